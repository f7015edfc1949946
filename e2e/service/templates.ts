import { readFileSync } from 'node:fs';

import type { Sandbox } from '../../sandbox';
import type { N8nApi } from '../n8n/api';
import type { CredentialValues, Workflow } from '../n8n/workflow';
import { demoCredentials } from './credentials';
import { TEMPLATE_URL } from './sandbox';

export type Credentials = Record<string, CredentialValues>;

/** Creates the demo credentials in n8n, or updates them if they were created by an earlier start. */
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

/** The folder that n8n 2 may read in Docker. The example workflows use this path. */
const TEMPLATE_FOLDER = '/home/node/.n8n-files';

/**
 * Reads a workflow file, and connects the workflow to the stored credentials and the running sandbox.
 * @param url URL of the sandbox
 * @param files the folder that n8n may read, for workflows that read a file
 * @throws Error if the workflow uses a credential that is not stored
 */
export function readTemplate(
	file: string,
	credentials: Credentials,
	{ url, files = TEMPLATE_FOLDER }: { url: string; files?: string },
): Workflow {
	const text = readFileSync(file, 'utf8')
		.replaceAll(TEMPLATE_URL, url)
		.replaceAll(TEMPLATE_FOLDER, files);
	return connected(JSON.parse(text) as Workflow, credentials);
}

/**
 * Connects the workflow to the stored credentials.
 * @throws Error if the workflow uses a credential that is not stored
 */
export function connected(workflow: Workflow, credentials: Credentials): Workflow {
	for (const node of workflow.nodes) {
		for (const reference of Object.values(node.credentials ?? {})) {
			const credential = credentials[reference.name];
			if (!credential) {
				throw new Error(
					`${workflow.name}: there is no demo credential '${reference.name}'`,
				);
			}
			reference.id = credential.id;
		}
	}
	return workflow;
}
