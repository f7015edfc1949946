import type { Sandbox } from '../../sandbox';
import type { Checks } from './checks';
import { say, seconds } from './progress';
import type { IngestResult, Run } from './scenarios';

const HITS_SHOWN = 3;

/** What the report tells of. */
export interface Story {
	ingested: IngestResult;
	migratedBlobs: number;
	runs: Run[];
}

/** Prints a table, the first column aligned. */
export function table(rows: Array<[string, string]>): void {
	const width = Math.max(...rows.map(([left]) => left.length));
	for (const [left, right] of rows) say(`  ${left.padEnd(width)}  ${right}`);
}

/** Requests per route as the sandbox counted them, with statuses other than 200 named. */
export function requestRows(sandbox: Sandbox): Array<[string, string]> {
	return Object.entries(sandbox.stats().requests).map(([route, statuses]) => [
		route,
		Object.entries(statuses)
			.map(([status, count]) =>
				status === '200' ? `${count}` : `${count} with status ${status}`,
			)
			.join(', '),
	]);
}

/** Tells what happened. */
export function printStory(story: Story, sandbox: Sandbox): void {
	const { ingested, migratedBlobs, runs } = story;
	say();
	say('What happened');
	table([
		['Documents in', `${ingested.documentsIn} Markdown files of this repository`],
		['Chunks pushed', `${ingested.chunksOut}`],
		['Deleted', ingested.victim.id],
		['Blobs migrated', `${migratedBlobs}`],
		['In the index now', `${Object.values(sandbox.stats().documents).join(', ')} documents`],
	]);
	say();
	say(`Search for '${ingested.query}': ${ingested.hits.length} hits`);
	for (const { id, snippet } of ingested.hits.slice(0, HITS_SHOWN)) {
		say(`  ${id}: ${snippet.replace(/\s+/g, ' ')}`);
	}
	say();
	say('Requests the service saw');
	table(requestRows(sandbox));
	say();
	say('Executions in n8n');
	table(
		runs.map(({ workflow, execution }) => [
			workflow,
			`${execution.status} in ${seconds(execution.milliseconds)} (execution ${execution.id})`,
		]),
	);
}

/** Tells what was checked, one line each. */
export function listChecks(checks: Checks): void {
	say();
	say('Checks');
	for (const { title, passed, seen } of checks.all) {
		say(`  ${passed ? '✓' : '✗'} ${title}${seen === '' ? '' : ` (${seen})`}`);
	}
}

/** Tells what was checked, and how many passed. */
export function printChecks(checks: Checks): void {
	listChecks(checks);
	const failed = checks.failed.length;
	say();
	say(`${checks.all.length - failed} checks passed, ${failed} failed`);
}
