import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import type { Sandbox } from '../../sandbox';
import { DEMO } from '../../sandbox';
import type { CredentialValues, N8nApi, Workflow } from './n8n-api';
import { EXAMPLES } from './paths';
import { say } from './progress';
import { SANDBOX_PORT } from './sandbox';

/** The address the templates name for the sandbox. */
const TEMPLATE_ADDRESS = `http://localhost:${SANDBOX_PORT}`;

/** A template as n8n stores it. */
export type StoredWorkflow = Workflow & { id: string };

/** What the demo put into n8n. */
export interface Demo {
	/** By name. */
	credentials: Record<string, CredentialValues>;
	/** By the template's file name, without `.json`. */
	workflows: Record<string, StoredWorkflow>;
}

/** The demo credentials, filled in for the running sandbox. */
function credentialsFor(sandbox: Sandbox): Array<Omit<CredentialValues, 'id'>> {
	const { authUrl, aiUrl, pushUrl, baseUrl } = sandbox.addresses;
	const aiService = (name: string, scope: string) => ({
		name,
		type: 'aiServiceOAuth2Api',
		data: {
			authUrl,
			authorizationServerId: DEMO.authServerId,
			clientId: DEMO.clientId,
			clientSecret: DEMO.clientSecret,
			aiUrl,
			scope,
		},
	});
	return [
		aiService('Demo AI Service', 'machinelearning.predict'),
		aiService('Demo AI Service (Rules)', 'merchandising.rules'),
		{
			name: 'Demo Push Endpoint',
			type: 'pushEndpointApi',
			data: { pushUrl, endpoint: DEMO.endpoint, apiKey: DEMO.pushKey },
		},
		{
			name: 'Demo Blob Service',
			type: 'blobServiceApi',
			data: { baseUrl, authentication: 'none' },
		},
	];
}

/** Creates the demo credentials, or brings those of an earlier start up to date. */
export async function saveCredentials(
	api: N8nApi,
	sandbox: Sandbox,
): Promise<Record<string, CredentialValues>> {
	const saved: Record<string, CredentialValues> = {};
	for (const credential of credentialsFor(sandbox)) {
		saved[credential.name] = { id: await api.saveCredential(credential), ...credential };
	}
	return saved;
}

/** Reads a template, pointing it at this instance's credentials and sandbox. */
export function readTemplate(
	file: string,
	credentials: Record<string, CredentialValues>,
	sandbox: Sandbox,
): Workflow {
	const text = readFileSync(file, 'utf8');
	const workflow = JSON.parse(text.replaceAll(TEMPLATE_ADDRESS, sandbox.url)) as Workflow;
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

/** True when the workflow starts by itself and must be published for that. */
function hasWebhook(workflow: Workflow): boolean {
	return workflow.nodes.some(({ type }) => type === 'n8n-nodes-base.webhook');
}

/** Templates as they were imported: what n8n called the version, and what was in it. */
type Imported = Record<string, { versionId: string | undefined; template: string }>;

function readImported(file: string): Imported {
	return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Imported) : {};
}

/**
 * Puts the demo credentials and all example workflows into n8n and publishes those with a webhook.
 * An example that was edited in n8n since the last start is left as it is.
 */
export async function importDemo(api: N8nApi, sandbox: Sandbox, folder: string): Promise<Demo> {
	const credentials = await saveCredentials(api, sandbox);
	const importedFile = path.join(folder, 'imported.json');
	const imported = readImported(importedFile);
	const workflows: Record<string, StoredWorkflow> = {};
	for (const file of readdirSync(EXAMPLES).filter((name) => name.endsWith('.json'))) {
		const name = path.basename(file, '.json');
		const template = readTemplate(path.join(EXAMPLES, file), credentials, sandbox);
		const existing = await api.findWorkflow(template.name);
		const before = imported[name];
		const text = JSON.stringify(template);
		if (existing && existing.versionId !== before?.versionId) {
			say(`    '${template.name}' was edited: it stays as it is`);
			workflows[name] = existing;
			continue;
		}
		if (existing && before?.template === text) {
			workflows[name] = existing;
			continue;
		}
		const saved = await api.saveWorkflow(template, existing?.id);
		if (hasWebhook(saved)) await api.activate(saved);
		workflows[name] = saved;
		const { versionId } = (await api.findWorkflow(template.name)) ?? saved;
		imported[name] = { versionId, template: text };
	}
	writeFileSync(importedFile, JSON.stringify(imported));
	return { credentials, workflows };
}
