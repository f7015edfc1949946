import fc from 'fast-check';

import { runs } from '../../support/runs';
import { runDelete } from './delete-driver';
import type { DeleteGiven } from './delete';
import { useWorld } from './driver';
import type { Fault, Item, OnError } from './model';
import type { PushGiven } from './push';
import { runPush } from './push-driver';

const world = useWorld();

/** Good documents come first more often than by chance, so that runs have something to lose. */
const ID = fc.oneof(
	{ weight: 4, arbitrary: fc.constantFrom('a', 'b', 'c', 'd', 'e') },
	{ weight: 1, arbitrary: fc.constantFrom('hit', 'hit1', 'hit2') },
	fc.constantFrom<unknown>(0, 7, '0', ' a', 'a/b?#%', '="007"', 'é', 'x'.repeat(60)),
	fc.constantFrom<unknown>('', ' ', null, undefined, false, 1.5, '1E+9', '1.2E+12', ['a'], {}),
);
const NAME = fc.oneof(
	{ weight: 6, arbitrary: fc.constantFrom('A', 'Apple', ' ') },
	fc.constantFrom<unknown>(0, '', null, [], false),
);
const VALUE = fc.constantFrom<unknown>(0, false, '', null, [], {}, 'text', 'y'.repeat(70), {
	b: [1, ''],
});

const plain = (value: unknown): never => JSON.parse(JSON.stringify(value)) as never;

const DOCUMENT = fc
	.record({ id: ID, name: NAME, text: VALUE, more: VALUE }, { requiredKeys: ['id', 'name'] })
	.map((document) => plain(document));
const BLANK = fc
	.constantFrom<unknown>({}, { id: '', name: ' ' }, { id: null })
	.map((document) => plain(document));
const RECORD = fc.oneof({ weight: 8, arbitrary: DOCUMENT }, BLANK);

/** Faults whose effect does not depend on time. */
const FAULT = fc.constantFrom<Fault>(
	'nothing',
	'nothing',
	400,
	401,
	404,
	409,
	413,
	422,
	501,
	302,
	'once 429',
	'once 500',
	'once lost',
	'page',
	'complains',
);
const ON_ERROR = fc.constantFrom<OnError>(
	'continueRegularOutput',
	'continueErrorOutput',
	'stopWorkflow',
);

const SHARED = {
	onError: ON_ERROR,
	fault: FAULT,
	dryRun: fc.constantFrom(false, false, true),
	output: fc.constantFrom('perDocument' as const, 'perInputItem' as const),
};

const PUSH: fc.Arbitrary<PushGiven> = fc
	.record({
		...SHARED,
		source: fc.constantFrom('wholeItem' as const, 'json' as const, 'file' as const),
		records: fc.array(RECORD, { minLength: 1, maxLength: 9 }),
		cuts: fc.array(fc.boolean(), { minLength: 9, maxLength: 9 }),
		output: fc.constantFrom(
			'perDocument' as const,
			'perInputItem' as const,
			'summary' as const,
		),
		documentsPerRequest: fc.constantFrom(500, 1, 2, 3),
		bytesPerRequest: fc.constantFrom(5_000_000, 100, 150),
		dropEmpty: fc.boolean(),
		response: fc.constantFrom('empty' as const, 'perDocument' as const, 'text' as const),
		bodyLimit: fc.constantFrom(5_000_000, 5_000_000, 90),
		skipRecords: fc.constantFrom(0, 0, 2),
	})
	.map(({ records, cuts, source, skipRecords, bodyLimit, fault, ...given }) => ({
		...given,
		source,
		fault,
		items: itemsOf(source, records, cuts),
		concurrency: 1,
		keep: [],
		skipRecords: source === 'file' ? skipRecords : 0,
		maxRecords: 0,
		fields: { id: 'id', name: 'name', description: 'description', url: 'url' },
		text: '',
		includeOtherFields: false,
		additionalFields: {},
		excludeFields: [],
		bodyLimit: fault === 'nothing' ? bodyLimit : 5_000_000,
	}));

function itemsOf(source: PushGiven['source'], records: unknown[], cuts: boolean[]): Item[] {
	if (source === 'wholeItem') return records.map((json) => ({ json: json as Item['json'] }));
	if (source === 'file')
		return [
			{
				json: {},
				file: {
					name: 'd.jsonl',
					format: 'jsonLines',
					rows: records.map((value) => ({ value })),
				},
			},
		];
	return listsOf(records, cuts).map((documents) => ({ json: { documents } as never }));
}

/** Divides a list after some of its elements. */
function listsOf<T>(list: T[], cuts: boolean[]): T[][] {
	const lists: T[][] = [[]];
	for (const [at, one] of list.entries()) {
		lists.at(-1)?.push(one);
		if (cuts[at]) lists.push([]);
	}
	return lists;
}

const DELETE: fc.Arbitrary<DeleteGiven> = fc
	.record({
		...SHARED,
		source: fc.constantFrom('item' as const, 'list' as const, 'file' as const),
		ids: fc.array(ID, { minLength: 1, maxLength: 9 }),
		cuts: fc.array(fc.boolean(), { minLength: 9, maxLength: 9 }),
		commit: fc.constantFrom(
			'serviceDefault' as const,
			'everyDelete' as const,
			'lastDeleteOnly' as const,
		),
		ignoreNotFound: fc.boolean(),
		known: fc.constantFrom<string[] | undefined>(undefined, ['a', 'b', 'hit', '0']),
	})
	.map(({ ids, cuts, known, source, ...given }) => {
		const plainIds = ids.map((id) => plain(id ?? null) as unknown);
		const rows = plainIds.map((value) => ({ value }));
		const items =
			source === 'item'
				? plainIds.map((id) => ({ id }))
				: listsOf(plainIds, cuts).map((list) => ({ id: list }));
		return {
			...given,
			source,
			items:
				source === 'file'
					? [
							{
								json: {} as never,
								file: { name: 'd.jsonl', format: 'jsonLines' as const, rows },
							},
						]
					: items.map((json) => ({ json: json as never })),
			field: 'id',
			chunkCount: '',
			concurrency: 1,
			keep: [],
			skipRecords: 0,
			maxRecords: 0,
			...(known && { known }),
		};
	});

const seed = process.env.SEED ? { seed: Number(process.env.SEED) } : {};

it('Push Documents does what the contract says, with any documents', async () => {
	await fc.assert(
		fc.asyncProperty(PUSH, async (given) => await runPush(world, given)),
		{ numRuns: runs(150), ...seed },
	);
}, 120_000);

it('Delete Document does what the contract says, with any IDs', async () => {
	await fc.assert(
		fc.asyncProperty(DELETE, async (given) => await runDelete(world, given)),
		{ numRuns: runs(100), ...seed },
	);
}, 120_000);
