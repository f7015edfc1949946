import { readFileSync } from 'node:fs';

import type { Sandbox } from '../../sandbox';
import type { N8nApi } from '../n8n/api';
import type { CredentialValues, Workflow } from '../n8n/workflow';
import { demoCredentials } from './credentials';
import { TEMPLATE_URL } from './sandbox';

/** Stored credentials by name. */
export type Credentials = Record<string, CredentialValues>;

/** Creates the demo credentials in n8n, or updates those of an earlier start. */
export async function saveCredentials(
	api: N8nApi,
	sandbox: Sandbox,
	chatModelUrl?: string,
): Promise<Credentials> {
	const saved: Credentials = {};
	for (const credential of demoCredentials(sandbox, chatModelUrl)) {
		saved[credential.name] = { id: await api.saveCredential(credential), ...credential };
	}
	return saved;
}

/**
 * Reads the file of a workflow and connects it to the stored credentials and the running sandbox.
 * @throws Error if it names a credential that is not among them
 */
export function readTemplate(file: string, credentials: Credentials, sandbox: Sandbox): Workflow {
	const text = readFileSync(file, 'utf8');
	const workflow = JSON.parse(text.replaceAll(TEMPLATE_URL, sandbox.url)) as Workflow;
	for (const node of workflow.nodes) {
		for (const reference of Object.values(node.credentials ?? {})) {
			const credential = credentials[reference.name];
			if (!credential) {
				throw new Error(`${file}: there is no demo credential '${reference.name}'`);
			}
			reference.id = credential.id;
		}
	}
	return workflow;
}
