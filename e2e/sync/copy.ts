import path from 'node:path';

import type { Sandbox } from '../../sandbox';
import type { Workflow } from '../n8n/workflow';
import { readTemplate, type Credentials } from '../service/templates';
import { EXAMPLES } from '../shared/paths';

const EXAMPLE = 'sync-chunks-by-source';

/** Options of our nodes in the copies: what makes a run fast, and a failure likely. */
const OPTIONS: Record<string, Record<string, unknown>> = {
	'Chunk Text': { maxAttempts: 2, firstIntervalSeconds: 0.1, longestIntervalSeconds: 0.3 },
	'Push Documents': { maxAttempts: 2, documentsPerRequest: 3 },
	'Delete Document': { maxAttempts: 2 },
};

/** The table of a copy. No name is part of another, since n8n finds tables by a part of their name. */
export const tableOf = (lane: string): string => `Synced Chunks of ${lane}`;

/** The path of the webhook of a copy. */
export const pathOf = (lane: string): string => `${EXAMPLE}-${lane}`;

/** A copy of the example with a path and a table of its own. */
export function copyOf(lane: string, credentials: Credentials, sandbox: Sandbox): Workflow {
	const file = path.join(EXAMPLES, `${EXAMPLE}.json`);
	const template = readTemplate(file, credentials, sandbox);
	const nodes = template.nodes.map((node) => {
		const { parameters } = node;
		const changes = {
			...(parameters.path !== undefined && { path: pathOf(lane) }),
			...(parameters.tableName !== undefined && { tableName: tableOf(lane) }),
			...(node.name in OPTIONS && {
				options: { ...Object(parameters.options), ...OPTIONS[node.name] },
			}),
		};
		return { ...node, parameters: { ...parameters, ...changes } };
	});
	return { ...template, name: `${template.name}, ${lane}`, nodes };
}
