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

/** The example for newcomers. */
export const STARTER = 'getting-started';

export interface Imported {
	credentials: Credentials;
	/** Imported workflows, keyed by the example's file name without `.json`. */
	workflows: Record<string, StoredWorkflow>;
	/** The names of the examples that a user has changed in n8n. */
	edited: ReadonlySet<string>;
}

/** Examples that an earlier start imported, keyed by name. Each of them is as it was sent to n8n. */
type EarlierImport = Record<string, { template: string }>;

/** Returns the names of all example workflows. A name is the file name without `.json`. The starter comes first. */
export function exampleNames(): string[] {
	const others = readdirSync(EXAMPLES)
		.filter((file) => file.endsWith('.json'))
		.map((file) => path.basename(file, '.json'))
		.filter((name) => name !== STARTER);
	return [STARTER, ...others];
}

/** Triggers that n8n starts only in published workflows. Schedules are omitted, so no example runs by itself. */
const PUBLISHED = ['n8n-nodes-base.webhook', 'n8n-nodes-base.errorTrigger'];

function mustBePublished(workflow: Workflow): boolean {
	return workflow.nodes.some(({ type }) => PUBLISHED.includes(type));
}

/**
 * Returns everything in a workflow that a user can edit. n8n's version number is not used, because n8n also changes it
 * if the same content is saved again.
 */
const contentOf = ({ nodes, connections, nodeGroups, settings, pinData }: Workflow): string =>
	JSON.stringify([nodes, connections, nodeGroups ?? [], settings, pinData]);

function readEarlierImport(file: string): EarlierImport {
	return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as EarlierImport) : {};
}

/**
 * Stores the demo credentials and all example workflows in n8n. Publishes the workflows whose triggers require
 * publication. Replaces an example that an earlier start stored, unless its content was edited in n8n.
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
	const edited = new Set<string>();
	let isAnySaved = false;
	for (const name of exampleNames()) {
		const example = path.join(EXAMPLES, `${name}.json`);
		const template = readTemplate(example, credentials, { url: sandbox.url, files });
		const wanted = contentOf(template);
		const known = earlier[name] && contentOf(JSON.parse(earlier[name].template) as Workflow);
		const existing = await api.findWorkflow(template.name);
		const content = existing && contentOf(existing);
		if (existing && content !== wanted && content !== known) {
			say(`    '${template.name}' was edited: it stays as it is`);
			edited.add(name);
			workflows[name] = existing;
			continue;
		}
		earlier[name] = { template: JSON.stringify(template) };
		if (existing && content === wanted) {
			workflows[name] = existing;
			continue;
		}
		const saved = await api.saveWorkflow(template, existing?.id);
		if (mustBePublished(saved)) await api.activate(saved);
		workflows[name] = saved;
		isAnySaved = true;
	}
	writeFileSync(file, JSON.stringify(earlier));
	// n8n lists the most recently saved workflow first, so the starter is saved again.
	const starter = workflows[STARTER];
	if (isAnySaved) await api.saveWorkflow(starter, starter.id);
	return { credentials, workflows, edited };
}
