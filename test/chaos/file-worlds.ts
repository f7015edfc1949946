/** Worlds of files: each input item has one, and the node reads its records. All plain JSON. */
import fc from 'fast-check';

import type { NodeKey, Settings } from './adapter';
import { EXTENSION, recordsOf, type Draft, type FileFormat, type FilePlan } from './file-plan';
import { textOf, type Route, type ServicePlan } from './service';
import {
	anyChunking,
	anyDocumentId,
	anyFaults,
	anyJob,
	anyOnError,
	BAD_IDS,
	anyPushAnswer,
	COMMON,
	jobsFor,
	maybeCancel,
	NEVER,
	oftenBusy,
	OWN_FIELDS,
	worldOf,
	type Flow,
	type World,
} from './world';

/** A record, given its place among all records. */
type DraftAt = (place: string) => Draft;

const good =
	(value: object | string | number): DraftAt =>
	() => ({ value, kind: 'good' });
const bad =
	(value: unknown): DraftAt =>
	() => ({ value, kind: 'bad' });
const UNREADABLE = bad('unreadable');
const unreadable: DraftAt = (place) => ({ ...UNREADABLE(place), kind: 'unreadable' });

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

const FORMATS: FileFormat[] = ['jsonLines', 'jsonArray', 'csv'];

/** Whatever is wrong with a file itself stays so, and a node that stops would get no further. */
function anyFiles(
	node: NodeKey,
	drafts: fc.Arbitrary<DraftAt>,
	{ first, formats = FORMATS }: { first: fc.Arbitrary<DraftAt>; formats?: FileFormat[] },
): fc.Arbitrary<(isWhole: boolean) => FilePlan[]> {
	const anyFile = fc.record({
		format: fc.constantFrom(...formats),
		isNamed: fc.boolean(),
		isTextPlain: fc.boolean(),
		naming: fc.constantFrom('own', 'own', 'own', 'bare', 'txt'),
		isGzip: fc.boolean(),
		members: fc.constantFrom(1, 1, 2, 3),
		isPadded: fc.boolean(),
		isCut: fc.constantFrom(false, false, false, true),
		cutBy: fc.constantFrom(undefined, 'zeros and a member' as const, 'other bytes' as const),
		range: fc.constantFrom(...Array<undefined>(6).fill(undefined), 3, 5),
		skip: fc.constantFrom(0, 0, 0, 2),
		encoding: fc.constantFrom(
			...Array<undefined>(6).fill(undefined),
			...(['utf-8 with mark', 'utf-16le', 'utf-16be'] as const),
		),
		blanks: fc.constantFrom(...Array<number>(11).fill(0), 70_000, 70_000, 70_000, 1_500_000),
		refused: fc.constantFrom(
			...Array<undefined>(12).fill(undefined),
			...(['missing', 'empty', 'no text', 'unclear format'] as const),
		),
		first,
		drafts: fc.array(drafts, { maxLength: 14 }),
	});
	return fc.array(anyFile, { minLength: 1, maxLength: 2 }).map(
		(files) => (isWhole) =>
			files.flatMap((given, number): FilePlan[] => {
				const { drafts: others, encoding, refused, naming, range, first: draft } = given;
				const { isNamed, format, skip, cutBy, members, isPadded, ...rest } = given;
				const file = {
					...{ number, isNamed, format, skip },
					...{ isGzip: rest.isGzip, isCut: rest.isCut, blanks: rest.blanks },
					isTextPlain: rest.isTextPlain,
					...(rest.isGzip && { members, isPadded, ...(cutBy && { cutBy }) }),
				};
				const gz = file.isGzip ? '.gz' : '';
				const name = `f${number}${extensionOf(node, file, naming)}${gz}`;
				if (refused === 'unclear format' && node === 'delete' && !isWhole) {
					const unclear = { isGzip: false, isNamed: false, isCut: false, records: [] };
					return [{ ...file, ...unclear, name: `f${number}`, refused }];
				}
				if (refused && refused !== 'unclear format' && !isWhole)
					return [{ ...file, name, refused, isCut: false, records: [] }];
				const records = recordsOf(node, file.format, number, [draft, ...others]);
				const whole: FilePlan = {
					...file,
					name,
					...(encoding && { encoding }),
					isCut: file.isCut && !isWhole,
					records: isWhole ? records.filter(({ key }) => key !== undefined) : records,
				};
				return range === undefined ? [whole] : rangesOf(whole, range);
			}),
	);
}

/** A name that the node can tell the format by, alone or with the content. */
function extensionOf(
	node: NodeKey,
	{ format, isNamed }: Pick<FilePlan, 'format' | 'isNamed'>,
	naming: string,
): string {
	const isJsonLines = format === 'jsonLines' && node !== 'delete';
	// Lines of text that begin like JSON are lines by their name only.
	if (naming === 'bare' && (isNamed || isJsonLines)) return '';
	if (naming === 'txt' && (isNamed || isJsonLines)) return '.txt';
	return `.${EXTENSION[format]}`;
}

/** The same file again and again, each time with the records that follow. */
function rangesOf(file: FilePlan, range: number): FilePlan[] {
	const count = Math.ceil(file.records.length / range);
	const rest = { ...file, name: `rest-${file.name}`, skip: count * range };
	const ranges = Array.from({ length: count }, (_, at) => ({
		...file,
		name: `r${at}-${file.name}`,
		skip: at * range,
		max: range,
	}));
	return [...ranges, rest];
}

/** How each node finds the records of its file. */
export const READING: Settings = {
	...COMMON,
	bytesPerFile: 1000,
	fileFormat: '={{ $json.format }}',
	listPath: '={{ $json.path }}',
	skipRecords: '={{ $json.skip }}',
	maxRecords: '={{ $json.max }}',
};

const anyTrouble = (...routes: Route[]) => ({
	onError: anyOnError,
	faults: anyFaults(...routes),
	cancelAfterMs: maybeCancel,
});

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
		}),
		service: fc.record({
			refusesPoison: fc.boolean(),
			maxPushBytes: fc.constantFrom(300, 5_000_000),
			pushAnswer: anyPushAnswer,
			hasNumericSecrets: fc.boolean(),
		}),
	})
	.map(({ files, settings, ...world }) =>
		worldOf({
			...world,
			node: 'push',
			files: files(world.onError === 'stopWorkflow'),
			settings: { ...READING, documentSource: 'file', ...settings },
		}),
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
		settings: fc.record({
			commit: fc.constantFrom('serviceDefault', 'lastDeleteOnly', 'everyDelete'),
			concurrency: fc.integer({ min: 1, max: 3 }),
			ignoreNotFound: fc.boolean(),
		}),
		service: fc.record({
			unknownId: fc.constantFrom<ServicePlan['unknownId']>('notFound', 'success'),
			indexed: fc.subarray(['d0', 'd1', 'd2', 'd3', 'd4', 'd5', 'd6', 'd7', 'a/b', '7'], {
				minLength: 5,
			}),
		}),
	})
	.map(({ files, settings, ...world }) =>
		worldOf({
			...world,
			node: 'delete',
			files: files(world.onError === 'stopWorkflow'),
			settings: { ...READING, idSource: 'file', ...settings },
		}),
	);

const anyFileChunking: fc.Arbitrary<World> = fc
	.record({
		...anyTrouble('token', 'submit', 'submit', 'results', 'results', 'results'),
		files: anyFiles('chunk', anyTextDraft, {
			first: fc.constant((key) =>
				good({ id: key, name: 'Name', text: textOf({ key, parts: 2 }) })(key),
			),
		}),
		flow: fc.constantFrom<Flow>('once', 'once', 'submitThenGet'),
		jobs: fc.array(anyJob, { minLength: 1, maxLength: 3 }),
		never: fc.constantFrom(...Array<boolean>(24).fill(false), true),
		bad: fc.array(fc.nat({ max: 8 }), { maxLength: 1 }),
		revokesTokens: fc.boolean(),
		settings: fc.record({
			chunkOutput: fc.constantFrom('documents', 'documents', 'chunks', 'texts', 'raw'),
			outputTo: fc.constantFrom('items', 'files', 'files'),
			keepOrder: fc.boolean(),
			includeVectors: fc.boolean(),
			textsPerRequest: fc.integer({ min: 1, max: 4 }),
			textsInFlight: fc.integer({ min: 2, max: 12 }),
			concurrency: fc.integer({ min: 1, max: 3 }),
			isolate: fc.boolean(),
		}),
	})
	.map(({ files, flow, jobs, never, bad: badTexts, revokesTokens, settings, ...world }) =>
		worldOf({
			...world,
			node: 'chunk',
			flow: never ? 'once' : flow,
			files: files(world.onError === 'stopWorkflow'),
			settings: { ...READING, textSource: 'file', ...settings },
			service: {
				jobs: jobsFor(never ? 'once' : flow, never ? [...jobs, NEVER] : jobs),
				badTexts: badTexts.map((at) => `i0t${at}`),
				revokesTokens,
			},
		}),
	);

/** Texts of items, whose chunks go to files. */
const anyChunkingToFiles: fc.Arbitrary<World> = fc
	.tuple(anyChunking, fc.boolean())
	.map(([world, keepOrder]) => ({
		...world,
		settings: { ...world.settings, outputTo: 'files', keepOrder, bytesPerFile: 1000 },
	}));

/** Any world of files. */
export const anyFileWorld: fc.Arbitrary<World> = oftenBusy(
	fc.oneof(
		{ weight: 3, arbitrary: anyFilePush },
		{ weight: 2, arbitrary: anyFileDelete },
		{ weight: 3, arbitrary: anyFileChunking },
		{ weight: 1, arbitrary: anyChunkingToFiles },
	),
);
