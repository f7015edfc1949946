import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

import { until } from '../shared/wait';

/** A node began or ended, or an execution ended. */
const EVENTS = /"eventName":"n8n\.(node\.(started|finished)|workflow\.(success|failed|crashed))"/;

/** How long after the end of an execution n8n may take to write its events. */
const WRITTEN_WITHIN_MS = 10_000;

/** When a node of an execution ran, in milliseconds since the epoch. */
export interface NodeTime {
	from: number;
	to: number;
}

interface NodeEvent {
	ts: string;
	eventName: string;
	payload?: { executionId?: string; nodeName?: string };
}

/** What n8n has logged so far, in which lines are JSON; it opens the file with the first event. */
function readLog(userFolder: string): string {
	const file = path.join(userFolder, '.n8n', 'n8nEventLog.log');
	return existsSync(file) ? readFileSync(file, 'utf8') : '';
}

/**
 * When the nodes of an execution that has ended ran, from n8n's event log. Its data would say it too,
 * but n8n needs much memory to return data of many items.
 * @returns by the name of the node; of several runs, from the first to the last
 */
export async function nodeTimes(
	userFolder: string,
	executionId: string,
): Promise<Record<string, NodeTime>> {
	const times: Record<string, NodeTime> = {};
	let events: NodeEvent[] = [];
	// n8n writes it in another thread.
	await until(() => {
		events = readLog(userFolder)
			.split('\n')
			.filter((line) => EVENTS.test(line))
			.map((line) => JSON.parse(line) as NodeEvent)
			.filter(({ payload }) => payload?.executionId === executionId);
		return events.some(({ eventName }) => eventName.startsWith('n8n.workflow.'));
	}, WRITTEN_WITHIN_MS);
	for (const { ts, eventName, payload } of events) {
		const name = payload?.nodeName;
		if (name === undefined) continue;
		const at = Date.parse(ts);
		const time = (times[name] ??= { from: at, to: at });
		if (eventName === 'n8n.node.finished') time.to = at;
	}
	return times;
}
