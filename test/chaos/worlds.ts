/** Random worlds: what each node may be given, as items and as files of records. */
import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';

import { anyFiles, bad, FORMATS, good, unreadable, type DraftAt } from './any-files';
import { textOf, type ServicePlan } from './service';
import { anyJob, anyTrouble, jobsFor, oftenBusy, oftenRetried } from './trouble';
import { COMMON, NEVER, READING, worldOf, type Flow, type World } from './world';

/** A limit of requests per minute that a world hardly notices, or none. */
const anyLimit = fc.constantFrom(0, 0, 6000);

/** IDs that a URL, a header or JSON may get wrong. */
const ODD_IDS = [
	'a/b',
	'a b?c#d',
	'100%',
	'ü漢😀',
	'%2F',
	'a+b&c=d',
	'https://example.com/x?y=1#z',
	'12345',
	'007',
	'"quoted\\"',
	// Words that responses have too.
	'documents',
	'error',
	'failed',
	'status',
	'/error-handling',
];

const anyDocumentId = fc.oneof(
	{ weight: 6, arbitrary: fc.constantFrom('d0', 'd1', 'd2', 'd3', 'd4', 'd5', 'd6', 'd7') },
	fc.constantFrom(...ODD_IDS),
);

/** What a document may have of its own that a response has too. */
const OWN_FIELDS = {
	error: fc.constantFrom<unknown>('failed once', { code: 7, line: 1 }),
	errors: fc.constant(['a typo']),
	related: fc.constantFrom('d0', 'd1', 'd2', 'd3').map((id) => [{ status: 'rejected', id }]),
};

/** `.` and `..`, numbers that are not exact, and other things that name no document. */
const BAD_IDS: unknown[] = [
	'',
	' ',
	'.',
	'..',
	'\ud800',
	2 ** 53,
	1e21,
	-(2 ** 60),
	null,
	{},
	[],
	true,
];

// Push Documents

const anyDocument = fc.record(
	{
		...OWN_FIELDS,
		id: anyDocumentId,
		name: fc.constant('Name'),
		reject: fc.constantFrom(false, false, false, true),
		poison: fc.constantFrom(false, false, false, false, true),
		text: fc.string({ unit: 'binary', maxLength: 20 }),
		// n8n's own ways to say that an item failed must not confuse anything.
		status: fc.constantFrom('draft', 'error', 500),
	},
	{ requiredKeys: ['id', 'name'] },
);

/** Larger than any request of these worlds may be. */
const TOO_LARGE = 'x'.repeat(700);

const anyPushDraft: fc.Arbitrary<DraftAt> = fc.oneof(
	{
		weight: 8,
		arbitrary: fc
			.record(
				{
					...OWN_FIELDS,
					id: anyDocumentId,
					reject: fc.constantFrom(false, false, false, true),
					poison: fc.constantFrom(false, false, false, false, true),
					text: fc.string({ unit: 'binary', maxLength: 20 }),
				},
				{ requiredKeys: ['id'] },
			)
			.map(
				(fields): DraftAt =>
					(place) =>
						good({ ...fields, name: 'Name', version: `v${place}` })(place),
			),
	},
	fc.constantFrom(
		bad({ id: 'noName' }),
		bad({ id: '', name: 'No ID' }),
		bad({ id: 'large', name: 'Name', text: TOO_LARGE }),
		bad('no object'),
		unreadable,
	),
);

const anyPushAnswer = fc.constantFrom<ServicePlan['pushAnswer']>(
	'none',
	'status',
	'perDocument',
	'echo',
	'echo',
);

/** What the service says of documents. */
const anyPushService = fc.record({
	refusesPoison: fc.boolean(),
	maxPushBytes: fc.constantFrom(300, 5_000_000),
	pushAnswer: anyPushAnswer,
	hasNumericSecrets: fc.boolean(),
	rejection: fc.constantFrom<ServicePlan['rejection']>(
		'status',
		'textStatus',
		'errorsBeside',
		'listedTwice',
		'numericId',
		'keyed',
		'lines',
		'words',
	),
});

const anyPush: fc.Arbitrary<World> = fc
	.record({
		documents: fc.array(
			fc.oneof(
				{ weight: 12, arbitrary: anyDocument },
				fc.constantFrom<IDataObject>(
					{ id: 5, name: 'A number as ID' },
					{ id: '', name: 'No ID' },
					{ id: 'noName' },
				),
			),
			{ minLength: 1, maxLength: 10 },
		),
		...anyTrouble('push'),
		settings: fc.record({
			documentsPerRequest: fc.integer({ min: 1, max: 5 }),
			bytesPerRequest: fc.integer({ min: 200, max: 600 }),
			concurrency: fc.integer({ min: 1, max: 3 }),
			perMinute: anyLimit,
			duplicates: fc.constantFrom('fail', 'keepLast', 'sendInOrder'),
			pushOutput: fc.constantFrom('documents', 'documents', 'documents', 'summary'),
			documentSource: fc.constantFrom('wholeItem', 'json'),
		}),
		service: anyPushService,
	})
	.map(({ documents, settings, ...world }) =>
		worldOf({
			...world,
			node: 'push',
			items: documents.map(
				(document, at) => ({ ...document, version: `v${at}` }) as IDataObject,
			),
			settings: { ...COMMON, ...settings },
		}),
	);

const anyFilePush: fc.Arbitrary<World> = fc
	.record({
		...anyTrouble('push'),
		files: anyFiles('push', anyPushDraft, {
			first: fc.constant((place) =>
				good({ id: 'first', name: 'Name', version: `v${place}` })(place),
			),
		}),
		settings: fc.record({
			documentsPerRequest: fc.integer({ min: 1, max: 5 }),
			bytesPerRequest: fc.integer({ min: 400, max: 700 }),
			concurrency: fc.integer({ min: 1, max: 3 }),
			perMinute: anyLimit,
		}),
		service: anyPushService,
	})
	.map(({ files, settings, ...world }) =>
		worldOf({
			...world,
			node: 'push',
			files: files(world.onError === 'stopWorkflow'),
			settings: { ...READING, documentSource: 'file', ...settings },
		}),
	);

// Delete Document

const anyDeleteDraft: fc.Arbitrary<DraftAt> = fc.oneof(
	{
		weight: 8,
		arbitrary: fc
			.tuple(fc.oneof(anyDocumentId, fc.constantFrom(7, 12345)), fc.boolean())
			.map(([id, isPlain]) => good(isPlain ? id : { id })),
	},
	fc
		.tuple(fc.constantFrom(...BAD_IDS), fc.boolean())
		.map(([id, isPlain]) => bad(isPlain ? id : { id })),
	fc.constant(unreadable),
);

/** How documents are deleted, and what the service has of them. */
const anyDeleting = {
	settings: fc.record({
		commit: fc.constantFrom('serviceDefault', 'lastDeleteOnly', 'everyDelete'),
		concurrency: fc.integer({ min: 1, max: 3 }),
		perMinute: anyLimit,
		ignoreNotFound: fc.boolean(),
	}),
	service: fc.record({
		unknownId: fc.constantFrom<ServicePlan['unknownId']>('notFound', 'success'),
		indexed: fc.subarray(['d0', 'd1', 'd2', 'd3', 'd4', 'd5', 'd6', 'd7', ...ODD_IDS, '7'], {
			minLength: 6,
		}),
	}),
};

const anyDelete: fc.Arbitrary<World> = fc
	.record({
		items: fc.array(
			fc
				.oneof(
					{ weight: 8, arbitrary: fc.oneof(anyDocumentId, fc.constantFrom(7, 12345)) },
					fc.constantFrom(...BAD_IDS),
				)
				.map((id) => ({ id }) as IDataObject),
			{ minLength: 1, maxLength: 10 },
		),
		...anyTrouble('delete'),
		...anyDeleting,
	})
	.map(({ settings, ...world }) =>
		worldOf({ ...world, node: 'delete', settings: { ...COMMON, ...settings } }),
	);

const anyFileDelete: fc.Arbitrary<World> = fc
	.record({
		...anyTrouble('delete'),
		files: anyFiles('delete', anyDeleteDraft, {
			// Lines of text that begin like JSON, and name other documents if they are taken for it.
			first: fc.constantFrom(
				...['d0', '[2024] report', '[1, 2] matrix', '{"id":"x0"}'].map((id) =>
					good({ id }),
				),
			),
			formats: [...FORMATS, 'lines', 'lines', 'lines'],
		}),
		...anyDeleting,
	})
	.map(({ files, settings, ...world }) =>
		worldOf({
			...world,
			node: 'delete',
			files: files(world.onError === 'stopWorkflow'),
			settings: { ...READING, idSource: 'file', ...settings },
		}),
	);

// Migrate Blobs

const anyMigration: fc.Arbitrary<World> = fc
	.record({
		count: fc.integer({ min: 1, max: 3 }),
		oncePerItem: fc.boolean(),
		...anyTrouble('migrate'),
		hasNumericSecrets: fc.boolean(),
	})
	.map(({ count, oncePerItem, hasNumericSecrets, ...world }) =>
		worldOf({
			...world,
			service: { hasNumericSecrets },
			node: 'migrate',
			items: Array.from({ length: count }, (_, n) => ({ n })),
			settings: { confirm: true, oncePerItem, timeout: 1 },
		}),
	);

// Chunk Text

const anyTextDraft: fc.Arbitrary<DraftAt> = fc.oneof(
	{
		weight: 8,
		arbitrary: fc.integer({ min: 1, max: 4 }).map(
			(parts): DraftAt =>
				(key) =>
					good({ id: key, name: 'Name', text: textOf({ key, parts }) })(key),
		),
	},
	fc.constantFrom(bad({ id: 'noText', name: 'Name', text: '' }), bad('no object'), unreadable),
);

/** What the service does with texts. */
const anyWork = {
	...anyTrouble('token', 'submit', 'submit', 'results', 'results', 'results'),
	jobs: fc.array(anyJob, { minLength: 1, maxLength: 3 }),
	never: fc.constantFrom(...Array<boolean>(24).fill(false), true),
	revokesTokens: fc.boolean(),
	repeatsIds: fc.constantFrom(...Array<boolean>(9).fill(false), true),
};

const anyChunking: fc.Arbitrary<World> = fc
	.record({
		texts: fc.array(fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 2 }), {
			minLength: 1,
			maxLength: 6,
		}),
		...anyWork,
		list: fc.boolean(),
		bad: fc.array(fc.tuple(fc.nat({ max: 5 }), fc.nat({ max: 1 })), { maxLength: 1 }),
		flow: fc.constantFrom<Flow>('once', 'once', 'submitThenGet'),
		later: fc.constantFrom<Flow>('once', 'waitThenGet', 'waitThenResume'),
		settings: fc.record({
			chunkOutput: fc.constantFrom(
				'documents',
				'documents',
				'documents',
				'chunks',
				'texts',
				'raw',
			),
			includeVectors: fc.boolean(),
			textsPerRequest: fc.integer({ min: 1, max: 4 }),
			concurrency: fc.integer({ min: 1, max: 3 }),
			perMinute: anyLimit,
			previousChunkCount: fc.constantFrom(0, 6),
			whenTimeRunsOut: fc.constantFrom('fail', 'output'),
			isolate: fc.boolean(),
		}),
	})
	.map(({ texts, list, jobs, never, bad, flow, later, settings, ...given }) => {
		const { revokesTokens, repeatsIds, ...world } = given;
		const actual = list ? texts : texts.map(([first]) => [first]);
		const { previousChunkCount, chunkOutput } = settings;
		const documents = chunkOutput === 'documents';
		return worldOf({
			...world,
			node: 'chunk',
			texts: actual,
			// A job that never ends costs a Max Wait.
			flow: never ? later : flow,
			settings: {
				...COMMON,
				...settings,
				textSource: list ? 'list' : 'expression',
				previousChunkCount: documents ? previousChunkCount : 0,
			},
			service: {
				jobs: jobsFor(never ? later : flow, never ? [...jobs, NEVER] : jobs),
				badTexts: bad.map(([item, at]) => `i${item}t${at}`),
				revokesTokens,
				repeatsIds: repeatsIds && (never ? later : flow) === 'once',
			},
		});
	});

const anyFileChunking: fc.Arbitrary<World> = fc
	.record({
		...anyWork,
		files: anyFiles('chunk', anyTextDraft, {
			first: fc.constant((key) =>
				good({ id: key, name: 'Name', text: textOf({ key, parts: 2 }) })(key),
			),
		}),
		flow: fc.constantFrom<Flow>('once', 'once', 'submitThenGet'),
		bad: fc.array(fc.nat({ max: 8 }), { maxLength: 1 }),
		settings: fc.record({
			chunkOutput: fc.constantFrom('documents', 'documents', 'chunks', 'texts', 'raw'),
			outputTo: fc.constantFrom('items', 'files', 'files'),
			keepOrder: fc.boolean(),
			includeVectors: fc.boolean(),
			textsPerRequest: fc.integer({ min: 1, max: 4 }),
			textsInFlight: fc.integer({ min: 2, max: 12 }),
			concurrency: fc.integer({ min: 1, max: 3 }),
			perMinute: anyLimit,
			isolate: fc.boolean(),
		}),
	})
	.map(({ files, flow, jobs, never, bad: badTexts, settings, ...given }) => {
		const { revokesTokens, repeatsIds, ...world } = given;
		return worldOf({
			...world,
			node: 'chunk',
			flow: never ? 'once' : flow,
			files: files(world.onError === 'stopWorkflow'),
			settings: { ...READING, textSource: 'file', ...settings },
			service: {
				jobs: jobsFor(never ? 'once' : flow, never ? [...jobs, NEVER] : jobs),
				badTexts: badTexts.map((at) => `i0t${at}`),
				revokesTokens,
				repeatsIds: repeatsIds && (never || flow === 'once'),
			},
		});
	});

/** Texts of items, whose chunks go to files. */
const anyChunkingToFiles: fc.Arbitrary<World> = fc
	.tuple(anyChunking, fc.boolean())
	.map(([world, keepOrder]) => ({
		...world,
		settings: { ...world.settings, outputTo: 'files', keepOrder, bytesPerFile: 1000 },
	}));

// All of them

/** Any world, chunking more often than the others because it has most to get wrong. */
const anyWorld: fc.Arbitrary<World> = oftenBusy(
	oftenRetried(
		fc.oneof(
			{ weight: 9, arbitrary: anyChunking },
			{ weight: 4, arbitrary: anyPush },
			{ weight: 3, arbitrary: anyDelete },
			{ weight: 2, arbitrary: anyMigration },
		),
	),
);

/** Any world of files. */
const anyFileWorld: fc.Arbitrary<World> = oftenBusy(
	fc.oneof(
		{ weight: 3, arbitrary: anyFilePush },
		{ weight: 2, arbitrary: anyFileDelete },
		{ weight: 3, arbitrary: anyFileChunking },
		{ weight: 1, arbitrary: anyChunkingToFiles },
	),
);

/** Worlds by where their entries come from. */
export const WORLDS = { items: anyWorld, files: anyFileWorld };
