import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import type { Sandbox } from '../../sandbox';
import type { ChatModel } from '../service/chat-model';
import type { N8nApi } from '../n8n/api';
import type { StoredWorkflow, Workflow } from '../n8n/workflow';
import type { Credentials } from '../service/templates';
import { readTemplate, saveCredentials } from '../service/templates';
import { EXAMPLES } from '../shared/paths';
import { say } from '../shared/progress';

const FIRST_EXAMPLE = 'getting-started';

export interface Imported {
	credentials: Credentials;
	/** Imported workflows, keyed by the example's file name without `.json`. */
	workflows: Record<string, StoredWorkflow>;
}

/** Previously imported examples, keyed by name. Each entry contains n8n's version ID and the contents of the file. */
type EarlierImport = Record<string, { versionId: string | undefined; template: string }>;

/**
 * Returns the names of all example workflows. A name is the file name without `.json`. The example for newcomers comes
 * first.
 */
export function exampleNames(): string[] {
	const others = readdirSync(EXAMPLES)
		.filter((file) => file.endsWith('.json'))
		.map((file) => path.basename(file, '.json'))
		.filter((name) => name !== FIRST_EXAMPLE);
	return [FIRST_EXAMPLE, ...others];
}

/** Triggers that n8n starts only in published workflows. Schedules are omitted, so no example runs by itself. */
const PUBLISHED = ['n8n-nodes-base.webhook', 'n8n-nodes-base.errorTrigger'];

function mustBePublished(workflow: Workflow): boolean {
	return workflow.nodes.some(({ type }) => PUBLISHED.includes(type));
}

function readEarlierImport(file: string): EarlierImport {
	return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as EarlierImport) : {};
}

/**
 * Stores the demo credentials and all example workflows in n8n. Publishes the workflows whose triggers require
 * publication. Does not overwrite examples that were edited in n8n since the last start.
 * @param files the folder that n8n may read
 * @param folder the folder that stores the list of imported examples
 */
export async function importExamples(
	api: N8nApi,
	{ sandbox, chatModel, files }: { sandbox: Sandbox; chatModel: ChatModel; files: string },
	folder: string,
): Promise<Imported> {
	const credentials = await saveCredentials(api, sandbox, chatModel.url);
	const file = path.join(folder, 'imported.json');
	const earlier = readEarlierImport(file);
	const workflows: Record<string, StoredWorkflow> = {};
	let isAnySaved = false;
	for (const name of exampleNames()) {
		const example = path.join(EXAMPLES, `${name}.json`);
		const template = readTemplate(example, credentials, { url: sandbox.url, files });
		const text = JSON.stringify(template);
		const existing = await api.findWorkflow(template.name);
		const isEdited = existing && existing.versionId !== earlier[name]?.versionId;
		if (isEdited) say(`    '${template.name}' was edited: it stays as it is`);
		if (existing && (isEdited || earlier[name]?.template === text)) {
			workflows[name] = existing;
			continue;
		}
		const saved = await api.saveWorkflow(template, existing?.id);
		if (mustBePublished(saved)) await api.activate(saved);
		workflows[name] = saved;
		isAnySaved = true;
		const { versionId } = (await api.findWorkflow(template.name)) ?? saved;
		earlier[name] = { versionId, template: text };
	}
	writeFileSync(file, JSON.stringify(earlier));
	// n8n lists the most recently saved workflow first, so the first example is saved again. Saving a workflow without
	// changes does not change its version, so the next start does not treat it as edited.
	const first = workflows[FIRST_EXAMPLE];
	if (isAnySaved) await api.saveWorkflow(first, first.id);
	return { credentials, workflows };
}
