import { seconds } from '../shared/progress';
import type { Figures } from '../shared/report';
import type { SyncStage } from './stage';

/** Words in each text, which then has about 500 bytes. */
const WORDS = 60;

/** The nodes that handle the whole list at once. */
const NODES = ['List Is Complete', 'Known Documents', 'Compare'];

/**
 * Measures how long a list is compared with a table of as many other documents: the run then stops,
 * since all of these would be deleted.
 */
export async function measureCompare(stage: SyncStage, documents: number): Promise<Figures> {
	const [lane] = stage.lanes;
	const ids = Array.from({ length: documents }, (_, number) => number);
	await lane.insertRows(ids.map((number) => `gone-${number}`));
	const source = ids.map((number) => ({
		id: `new-${number}`,
		sections: [`${number} ${'Almonds '.repeat(WORDS)}`],
	}));
	await lane.call(source, { confirmDeletes: false });
	const execution = await lane.lastExecution();
	await lane.forgetAll();
	const isRefused = execution.message?.includes('would be deleted');
	const refused = isRefused ? '' : ` (unexpected: ${execution.message ?? execution.status})`;
	return [
		['The whole run', `${seconds(execution.milliseconds)}${refused}`],
		...NODES.map((name): [string, string] => [name, seconds(execution.took(name))]),
	];
}
