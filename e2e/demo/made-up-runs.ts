import result from '../../examples/src/code/result';
import type { Summary, SyncRun } from '../../examples/src/parts/types';
import { HOW_TO_DELETE } from '../../examples/src/parts/sync';

const NIGHTS = 30;

const HOUR = 3_600_000;

const SUMMARY: Summary = {
	...{ status: 200, problem: '', known: 1274, unchanged: 1184, missing: 90, withheld: 90 },
	...{ mostDeletes: 63, unreadable: 0, problems: [], planned: 0, compactUpTo: 0 },
};

const NOT_APPROVED = { isApproved: false, most: 0, isInvalid: false, remembered: 0 };

/** Returns what a run says that has withheld 90 deletes. */
function withheld(): Partial<SyncRun> {
	const [{ json }] = result({
		...{ summary: SUMMARY, batches: [], approval: NOT_APPROVED, isChunked: true },
		howToDelete: HOW_TO_DELETE,
	});
	const { approvable, error, pushed, deleted, unchanged } = json;
	const counts = { pushed, deleted, unchanged, withheld: json.withheld, approvable };
	return { ...counts, outcome: 'withheld', error };
}

/** A made-up sync. */
interface MadeUp {
	name: string;
	documents: number;
	/** Hours since the last run. */
	age: number;
	last?: Partial<SyncRun>;
}

/** Returns one run per night. The numbers look random, but are the same each time. */
function nights(now: Date, workflow: string, { name, documents, age, last }: MadeUp) {
	return Array.from({ length: NIGHTS }, (_, at): Partial<SyncRun> => {
		const since = age + (NIGHTS - 1 - at) * 24;
		const time = (hours: number) => new Date(now.getTime() - hours * HOUR).toISOString();
		const pushed = (at * documents) % 59;
		const run = {
			...{ workflow, name, startedBy: 'schedule', documents, unchanged: documents - pushed },
			...{ beganAt: time(since), endedAt: time(since - 0.2), aliveUntil: time(since - 0.2) },
			...{ nextBefore: time(since - 27), pushed, deleted: at % 3, chunksDeleted: at % 3 },
			...{ notIndexed: 0, failed: at % 11 === 8 ? 8 : 0, unreadable: 0, withheld: 0 },
			...{ later: 0, skipped: 0, outcome: at % 11 === 8 ? 'failed' : 'complete' },
			...{ error: '', problems: '', approvable: 0, more: '{}' },
		};
		return at === NIGHTS - 1 ? { ...run, ...last } : run;
	});
}

/**
 * Returns made-up runs of three syncs for the picture of Sync Status: one is late, one has withheld deletes, and one is
 * complete.
 * @param workflows IDs of the syncs, keyed by the file name of the example
 */
export function madeUpRuns(
	now: Date,
	workflows: Record<string, { id: string; name: string }>,
): Array<Partial<SyncRun>> {
	const syncs: Array<[example: string, sync: Omit<MadeUp, 'name'>]> = [
		['sync-from-google-drive', { documents: 1348, age: 30 }],
		['sync-of-a-folder', { documents: 1274, age: 6, last: withheld() }],
		['sync-of-a-website', { documents: 1237, age: 6 }],
	];
	return syncs.flatMap(([example, sync]) => {
		const { id, name } = workflows[example];
		return nights(now, id, { ...sync, name });
	});
}
