import { seconds } from '../shared/progress';
import { printChecks, printTable, requestRows } from '../shared/report';
import type { Stage } from './stage';

/** Prints what the scenarios did and checked; returns whether every check passed. */
export function printReport({ demo, figures, runs, checks }: Stage): boolean {
	const { sandbox } = demo;
	const indexed = Object.values(sandbox.stats().documents).join(', ');
	printTable('What happened', [...figures, ['In the index now', `${indexed} documents`]]);
	printTable('Requests the service saw', requestRows(sandbox));
	printTable(
		'Executions in n8n',
		runs.map(({ workflow, execution: { id, status, milliseconds } }) => [
			workflow,
			`${status} in ${seconds(milliseconds)} (execution ${id})`,
		]),
	);
	return printChecks(checks);
}
