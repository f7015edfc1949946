/**
 * Random histories of a sync: lists, failures, entries that cannot be read, kills at every point, late writers, and two
 * runs at once.
 */
import fc from 'fast-check';

import { runs } from '../../../support/runs';
import { occurring, Variations } from '../../../support/variations';
import type { Code } from './support/code';
import { broken, CODE } from './support/code';
import type { RunResult, Shape, SourceDocument } from './support/sync-world';
import { BrokenPromise, SyncWorld } from './support/sync-world';

const IDS = ['a', 'b', 'c', 'd', 'e'];

const SHAPES: Record<string, Shape> = {
	'whole documents': { isChunked: false, isFetched: false },
	chunks: { isChunked: true, isFetched: false },
	'chunks of fetched texts': { isChunked: true, isFetched: true },
};

interface History {
	lists: SourceDocument[][];
	seed: number;
	/** Percentages. */
	failures: number;
	kills: number;
	pauses: number;
	/** How likely it is that another run starts before the next step. */
	starts: number;
	/** How many runs may be active at the same time. */
	atOnce: number;
	/** Whether the database is SQLite. Otherwise, it is PostgreSQL. */
	reusesIds: boolean;
}

const document = ({ isChunked, isFetched }: Shape) =>
	fc
		.record({
			id: fc.constantFrom(...IDS),
			version: fc.nat(1),
			isReadable: fc.nat(3).map((number) => number > 0),
			isInList: fc.nat(5).map((number) => number > 0),
		})
		.map(({ id, version, isReadable, isInList }): SourceDocument => {
			// A version always has the same content and the same state.
			const number = (id.charCodeAt(0) + version * 3) % 7;
			const length = isChunked ? number % 4 : 1;
			const words = Array.from({ length }, (_, at) => `${id}${version}${at}`);
			const isGone = isFetched && number === 6;
			const state = isGone ? 'gone' : isReadable || !isChunked ? 'text' : 'problem';
			const isListed = !isFetched || isInList;
			return { id, version: version * 2 + Number(isReadable), state, words, isListed };
		});

/** Histories with many pauses, in which runs that have lost their lock still write to the table. */
const PAUSES: Partial<History> = { failures: 0, kills: 0, pauses: 8, atOnce: 3 };

/** Runs that start at the same time, so that one of them reads the other one's lock. */
const AT_ONCE: Partial<History> = { failures: 0, kills: 0, starts: 70, atOnce: 2 };

/** Such runs in PostgreSQL, where a run may see a newer lock before an older one. */
const LATE_COMMITS: Partial<History> = { ...AT_ONCE, pauses: 0, reusesIds: false };

const histories = (shape: Shape, fixed: Partial<History> = {}): fc.Arbitrary<History> =>
	fc
		.record({
			lists: fc.array(
				fc.uniqueArray(document(shape), { selector: ({ id }) => id, maxLength: 5 }),
				{ minLength: 2, maxLength: 9 },
			),
			seed: fc.integer(),
			failures: fc.constantFrom(0, 5, 30),
			kills: fc.constantFrom(0, 2, 10),
			pauses: fc.constantFrom(0, 2, 8),
			starts: fc.constantFrom(20, 70),
			atOnce: fc.constantFrom(1, 2, 3),
			reusesIds: fc.boolean(),
		})
		.map((history) => ({ ...history, ...fixed }));

/** Returns a generator of numbers from 0 to 99 that depend only on the seed. */
function percents(seed: number): () => number {
	let state = seed;
	return () => {
		state = (state + 0x6d2b79f5) | 0;
		let value = Math.imul(state ^ (state >>> 15), 1 | state);
		value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value;
		return ((value ^ (value >>> 14)) >>> 0) % 100;
	};
}

interface ActiveRun {
	steps: Generator<string, RunResult>;
	list: SourceDocument[];
	/** Whether no other run was active at the same time. */
	isAlone: boolean;
	lastStep: string;
}

/**
 * Carries out a history, and then one clean run with the last list.
 *
 * @returns what has occurred
 * @throws BrokenPromise if the index, the table or the result of a run is wrong
 */
function live(code: Code, shape: Shape, history: History): ReadonlySet<string> {
	const world = new SyncWorld(code, shape, history.reusesIds);
	const random = percents(history.seed);
	const waiting = [...history.lists];
	const active: ActiveRun[] = [];
	while (waiting.length > 0 || active.length > 0) {
		const isDue =
			active.length === 0 || (active.length < history.atOnce && random() < history.starts);
		const next = isDue ? waiting.shift() : undefined;
		// Otherwise, the lock of a run that was killed would refuse all later runs of a short history.
		if (active.length === 0 && random() < 70) world.now += 20;
		if (next) {
			const steps = start(world, next, history, random);
			active.push({ list: next, steps, isAlone: true, lastStep: 'nothing' });
		}
		if (active.length > 1) world.occurred.add('runs at the same time');
		if (active.length > 1) for (const run of active) run.isAlone = false;
		if (active.length === 0) continue;
		const run = active[random() % active.length];
		const chance = random();
		// It is not promised that a process that was suspended in a push may also be killed.
		if (chance < history.kills && !world.wasSuspended) {
			active.splice(active.indexOf(run), 1);
			world.occurred.add(`killed before: ${run.lastStep}`);
			continue;
		}
		world.now += chance < history.kills + history.pauses ? 20 : 0.2;
		const { done, value } = run.steps.next();
		if (!world.wasSuspended) world.checkConfirmed();
		if (!done) {
			run.lastStep = value;
			continue;
		}
		active.splice(active.indexOf(run), 1);
		if (run.isAlone && !world.wasSuspended) checkResult(world, shape, run.list, value);
	}
	const occurred = new Set(world.occurred);
	world.now += 100;
	world.wasSuspended = false;
	const list = history.lists[history.lists.length - 1];
	const before = new Map(IDS.map((id) => [id, world.contentInIndex(id)]));
	const end = toEnd(world, list);
	world.checkConfirmed();
	checkResult(world, shape, list, end);
	if (end.status === 200) {
		const { planned } = toEnd(world, list);
		if (planned > 0) throw new BrokenPromise(`${planned} documents are sent again`);
	}
	for (const id of IDS) {
		const inList = list.find((one) => one.id === id);
		const content = inList ? world.contentOf(inList) : '';
		const expected = inList?.state === 'problem' ? before.get(id) : content;
		if (world.contentInIndex(id) !== expected) {
			throw new BrokenPromise(
				`After a clean run, the index has '${world.contentInIndex(id)}' of '${id}' instead of '${expected}'`,
			);
		}
	}
	return occurred;
}

/** Carries out a run without a failure. */
function toEnd(world: SyncWorld, list: SourceDocument[], pushAgain: string[] = []): RunResult {
	const steps = world.run({ list, confirmDeletes: true, pushAgain, fails: () => false });
	let end = steps.next();
	while (!end.done) end = steps.next();
	return end.value;
}

function start(
	world: SyncWorld,
	list: SourceDocument[],
	{ failures }: History,
	random: () => number,
): Generator<string, RunResult> {
	const confirmDeletes = random() < 30;
	return world.run({ list, confirmDeletes, fails: () => random() < failures });
}

/** Checks that a run that says that all went well is right, and that one with a problem names it. */
function checkResult(
	world: SyncWorld,
	shape: Shape,
	list: SourceDocument[],
	{
		status,
		pushed,
		deleted,
		notIndexed = 0,
		failed,
		withheld,
		unreadable,
		planned,
		problems,
	}: RunResult,
): void {
	const sum = Number(pushed) + Number(deleted) + Number(notIndexed) + Number(failed);
	const isSum = status === 409 || status === 400 || sum <= planned;
	if (Number(failed) < 0 || !isSum) {
		throw new BrokenPromise(
			`${String(pushed)} + ${String(deleted)} + ${String(notIndexed)} + ${String(failed)} of ${planned}`,
		);
	}
	const isRed = Number(failed) + Number(withheld) + Number(unreadable) > 0;
	if (isRed !== (status === 500) && status < 400) throw new BrokenPromise('a failure is green');
	if (status !== 200) return;
	if ((problems as string[]).length > 0) throw new BrokenPromise('a problem is green');
	for (const id of IDS) {
		const inList = list.find((one) => one.id === id);
		const expected = inList ? world.contentOf(inList) : '';
		if (inList?.isListed && inList.state === 'problem' && shape.isChunked) {
			throw new BrokenPromise(`'${id}' could not be read, but the run is green`);
		}
		if (world.contentInIndex(id) !== expected) {
			throw new BrokenPromise(
				`The run is green, but the index has '${world.contentInIndex(id)}' of '${id}' instead of '${expected}'`,
			);
		}
	}
}

/** Enough histories for each event below, and for each broken rule to be noticed. */
const HISTORIES = 1000;

/** What must occur in many histories. Otherwise, they could not show that it is handled well. */
const OFTEN = [
	...['a compaction', 'a run that was refused', 'a lost lock', 'runs at the same time'],
	...['an ID of a row that was used before', 'a push or delete without a lock'],
];

/** Returns what must occur in some histories. */
const sometimes = ({ isChunked, isFetched }: Shape): string[] => [
	...['a late row', isFetched ? [] : 'deletes that were withheld'].flat(),
	...[
		'Lock',
		'Read State Table',
		'Renew Lock',
		'Documents',
		'Note Planned Changes',
		'push',
		'delete',
		'Sum Up the Batch',
	]
		.concat('Remember', 'Unlock', isChunked ? 'Renew Lock Again' : [])
		.map((step) => `killed before: ${step}`),
	...['push', 'delete', 'lostAnswer', isChunked ? 'chunk' : [], isFetched ? 'fetch' : []]
		.flat()
		.map((step) => `failed: ${step}`),
];

test.each(Object.entries(SHAPES))(
	'%s: whatever happened before, a clean run makes the index equal to the list',
	(_name, shape) => {
		const common = new Variations();
		const variations = new Variations();
		const liveAndNote = (history: History) => {
			const occurred = live(CODE, shape, history);
			common.note(occurring(OFTEN, (event) => occurred.has(event)));
			variations.note(occurring(sometimes(shape), (event) => occurred.has(event)));
		};
		fc.assert(
			fc.property(
				histories(shape),
				histories(shape, PAUSES),
				histories(shape, LATE_COMMITS),
				(...all) => {
					for (const history of all) liveAndNote(history);
				},
			),
			{ numRuns: runs(HISTORIES) },
		);
		expect(common.rarerThan(5)).toEqual([]);
		expect(variations.rarerThan(0.1)).toEqual([]);
	},
	60_000,
);

test.each(Object.entries(SHAPES).filter(([, { isFetched }]) => !isFetched))(
	'%s: documents that were gone already fail until something is pushed with their deletes',
	(_name, shape) => {
		const world = new SyncWorld(CODE, shape, false);
		const documentOf = (id: string): SourceDocument => ({
			...{ id, version: 0, state: 'text', words: [id], isListed: true },
		});
		const run = (ids: string[], pushAgain: string[] = []) =>
			toEnd(world, ids.map(documentOf), pushAgain);
		expect(run(IDS)).toMatchObject({ status: 200, pushed: 5 });
		const rest = ['a'];
		for (const id of [...world.index.keys()]) if (!id.startsWith('a')) world.index.delete(id);
		for (let at = 0; at < 2; at++) {
			expect(run(rest)).toMatchObject({ status: 500, failed: 4, deleted: 0 });
		}
		// A batch has two documents, so a run with one push proves one of three batches.
		const ends = [1, 2, 3, 4].map(() => run(rest, rest));
		expect(ends.map(({ status }) => status)).toEqual([500, 500, 500, 200]);
		expect(ends[0].error).toMatch(/status 404 to each delete/);
		expect(run(rest)).toMatchObject({ status: 200, unchanged: 1 });
	},
);

describe.each(Object.entries(SHAPES))('%s: documents that the service rejects', (_name, shape) => {
	const documentOf = (id: string, version: number): SourceDocument => ({
		...{ id, version, state: 'text', words: [`${id}${version}`], isListed: true },
	});
	const start = (batchSize: number, bad: string[]) => {
		const world = new SyncWorld(CODE, shape, false);
		world.batchSize = batchSize;
		const refuses = (id: string) =>
			bad.includes(id) ? 'The push service answered with status 502' : '';
		return (list: SourceDocument[]) => {
			const steps = world.run({ list, confirmDeletes: true, fails: () => false, refuses });
			let end = steps.next();
			while (!end.done) end = steps.next();
			return { result: end.value, has: (id: string) => world.contentInIndex(id) };
		};
	};

	test('one bad document alone in the first batch does not keep others from the index', () => {
		const run = start(1, ['a']);
		for (const version of [1, 2, 3]) {
			const list = IDS.map((id) => documentOf(id, version));
			const { result, has } = run(list);
			expect(result).toMatchObject({ status: 500, pushed: 4, failed: 1 });
			expect(result).not.toHaveProperty('later');
			for (const id of IDS.slice(1)) expect(has(id)).toBe(`${id}${version}`);
			expect(result.error).toMatch(
				/^Documents: 4 pushed, 1 failed\. 1 of 5 documents failed/,
			);
		}
	});

	test('two bad batches in a row end the run, and the next run begins with the others', () => {
		const run = start(1, ['a', 'b']);
		const list = IDS.map((id) => documentOf(id, 1));
		expect(run(list).result).toMatchObject({ status: 500, pushed: 0, failed: 2, later: 3 });
		const { result, has } = run(list);
		expect(result).toMatchObject({ status: 500, pushed: 3, failed: 2 });
		for (const id of ['c', 'd', 'e']) expect(has(id)).toBe(`${id}1`);
	});

	test('a batch of ten bad documents ends the run at once, but one of nine does not', () => {
		const failures = (batchSize: number, count: number) => {
			const ids = Array.from({ length: count }, (_, at) => `${at}`);
			return start(batchSize, ids)(ids.map((id) => documentOf(id, 1))).result;
		};
		expect(failures(10, 30)).toMatchObject({ failed: 10, later: 20 });
		expect(failures(9, 27)).toMatchObject({ failed: 18, later: 9 });
	});
});

/** Each rule of the Code nodes, and how it is broken. */
const RULES: Array<
	[rule: string, file: keyof Code, from: string, to: string, fixed?: Partial<History>]
> = [
	['the oldest lock counts', 'known', 'rows.find((', '[...rows].reverse().find(('],
	['an expired lock does not count', 'known', '&& new Date(lockedUntil) > now', ''],
	['only the owner of the lock works', 'plan', 'if (!known.isOwner) {', 'if (false) {'],
	[
		'the last entry counts',
		'known',
		'\t\t\t\tknown.set(id, entry);',
		'if (!known.has(id)) known.set(id, entry);',
	],
	['a late row makes a document unknown', 'known', 'other > run && other < row', 'false', PAUSES],
	[
		'only a later run makes a document certain again',
		'known',
		'run < (lateRows.get(id) ?? 0)',
		'isLate',
		PAUSES,
	],
	['a deleted document is forgotten', 'known', 'known.delete(id)', 'undefined'],
	[
		'a snapshot has everything',
		'plan',
		'known.compactUpTo ? known.entries : []',
		'known.compactUpTo ? [] : []',
	],
	['compaction keeps what was not read', 'known', 'isGrown ? lastRow', 'isGrown ? lastRow + 3'],
	[
		'compaction ends at a row that is never deleted alone',
		'known',
		'isGrown ? lastRow',
		'isGrown ? rows[rows.length - 1].id',
		AT_ONCE,
	],
	[
		'nothing is compacted without a batch',
		'plan',
		'if (work.length === 0) return [{ json: { batch: 0, summary } }];',
		'',
	],
	['before a push, a document is unknown', 'planned-changes', "[id, '',", "[id, 'kept',"],
	[
		'before a push, the larger number of chunks counts',
		'planned-changes',
		'Math.max(chunks, count)',
		'count',
	],
	['before a push, new chunks count', 'planned-changes', 'Math.max(chunks, count)', 'chunks'],
	[
		'a failed document is unknown',
		'batch-row',
		"entries.push([id, '', most, oldText]);",
		'entries.push([id, version, most, oldText]);',
	],
	[
		'a failed push may have left more chunks',
		'batch-row',
		"[id, '', most, oldText]",
		"[id, '', 0, oldText]",
	],
	[
		'a document without an answer has failed',
		'batch-row',
		'const error = text.error ?? push.error ?? deletion.error;',
		'const error = undefined; push.pushed ??= text.documents?.length;',
	],
	[
		'results belong to the document with their ID',
		'batch-row',
		'answers.map((answer) => [answer.id, answer])',
		'answers.map((answer, at) => [documents[at].id, answer])',
	],
	[
		'chunks belong to the document with their ID',
		'planned-changes',
		'counts.get(id) ?? 0',
		'texts[documents.findIndex((one) => one.id === id)].chunkCount ?? 0',
	],
	[
		'a deleted document is remembered as deleted',
		'batch-row',
		'version === null ? [id, null]',
		"version === null ? [id, '']",
	],
	['what was never in the index is not deleted', 'batch-row', 'chunks > 0', 'true'],
	[
		'a shorter document has fewer chunks',
		'batch-row',
		'text.removalsKnown ? text.chunkCount : most',
		'text.removalsKnown ? 0 : most',
	],
	[
		'a problem is remembered for its version only',
		'plan',
		'oldVersion !== version || isConfirmed',
		'(oldVersion !== version && !oldProblem) || isConfirmed',
	],
	['a problem is named in each run', 'plan', '} else if (oldProblem) {', '} else if (false) {'],
	[
		'a transient problem is not remembered',
		'batch-row',
		'!isTransient && version !== null',
		'version !== null',
	],
	[
		'a missing document with a problem is not forgotten',
		'batch-row',
		'!isTransient && version !== null',
		'!isTransient',
	],
	[
		'what could not be read is kept',
		'documents',
		"json.problem !== '' || json.isWithheld",
		'json.isWithheld',
	],
	[
		'what is withheld is kept',
		'documents',
		"json.problem !== '' || json.isWithheld",
		"json.problem !== ''",
	],
	[
		'an entry that was not fetched is not gone',
		'documents',
		"{ error: 'was not fetched' }",
		'{ gone: true }',
	],
	[
		'no answer is not gone',
		'documents',
		'if (result.error) return',
		'if (result.error && document) return',
	],
	['too many deletes are withheld', 'plan', 'indexed > most', 'false'],
	['a document of the list is not missing', 'plan', '!inList.has(id)', 'true'],
	['unreadable documents are red', 'result', 'if (unreadable > 0)', 'if (false)'],
	[
		'a batch without a row has failed',
		'result',
		"sum('failed') + summary.planned - done",
		"sum('failed')",
	],
	['withheld deletes are red', 'result', 'if (withheld > 0)', 'if (false)'],
];

test.each(RULES)(
	'breaking the rule is noticed: %s',
	(_rule, file, from, to, fixed = {}) => {
		const code = broken(file, from, to);
		// One history for each shape in turn, because some rules matter for one shape only.
		const shapes = Object.values(SHAPES);
		const check = fc.check(
			fc.property(fc.tuple(...shapes.map((shape) => histories(shape, fixed))), (all) => {
				for (const [at, history] of all.entries()) live(code, shapes[at], history);
			}),
			{ seed: 1, numRuns: HISTORIES, endOnFailure: true },
		);
		expect(check.failed).toBe(true);
	},
	120_000,
);
