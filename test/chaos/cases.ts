/**
 * One world for each way in which the nodes were found to break, the smallest that shows it. They
 * are played beside the random worlds for good, so that what was repaired stays so.
 */
import { NODE_KEYS, type NodeKey, type Settings } from './adapter';
import type { Form } from './canaries';
import { REQUESTS, TARGETS } from './fault-matrix';
import type { Fault } from './faults';
import type { FilePlan } from './files';
import type { Invariant } from './invariants';
import { textOf, type Damage, type Route, type ServicePlan } from './service';
import { READING, jobOf, worldOf, type World } from './world';

export interface Case {
	/** What the world must not break. */
	invariant: Invariant;
	world: World;
}

const COMMON: Settings = { maxAttempts: 2, timeout: 1, maxRefused: 2 };

const FORBIDDEN: Fault = { kind: 'status', status: 403, body: 'json', effect: false };

const times = (route: Route, fault: Fault, count = 9) => [{ route, skip: 0, times: count, fault }];

const chunking = (given: Partial<World>, service: Partial<ServicePlan> = {}): World =>
	worldOf({
		node: 'chunk',
		texts: [[2], [3]],
		...given,
		settings: {
			...COMMON,
			chunkOutput: 'documents',
			textsPerRequest: 2,
			concurrency: 2,
			whenTimeRunsOut: 'fail',
			...given.settings,
		},
		service,
	});

const pushing = (given: Partial<World>, service: Partial<ServicePlan> = {}): World =>
	worldOf({
		node: 'push',
		items: [
			{ id: '11', name: 'A', version: 'v0' },
			{ id: '12', name: 'B', version: 'v1', reject: true },
		],
		...given,
		settings: { ...COMMON, ...given.settings },
		service,
	});

const deleting = (given: Partial<World>, service: Partial<ServicePlan> = {}): World =>
	worldOf({
		node: 'delete',
		items: [{ id: 'd0' }, { id: 'd1' }],
		...given,
		settings: { ...COMMON, ...given.settings },
		service: { indexed: ['d0', 'd1'], ...service },
	});

const migrating = (given: Partial<World>): World =>
	worldOf({ node: 'migrate', items: [{}], ...given, settings: { confirm: true, timeout: 1 } });

const WORLDS: Record<NodeKey, (given: Partial<World>) => World> = {
	chunk: chunking,
	push: (given) =>
		pushing(
			{ items: [{ id: 'd0', name: 'A', version: 'v0' }], ...given },
			{ pushAnswer: 'status' },
		),
	delete: (given) => deleting({ items: [{ id: 'd0' }], ...given }),
	migrate: migrating,
};

/** The first request of a node that takes effect. */
const routeOf = (node: NodeKey): Route =>
	REQUESTS.find((request) => TARGETS[request].node === node) ?? 'token';

/** The same fault in every node, since the same reasoning applies. */
function inEveryNode(
	name: string,
	invariant: Invariant,
	fault: Fault,
	nodes = NODE_KEYS,
): Array<[string, Case]> {
	return nodes.map((node) => [
		`${name} (${node})`,
		{
			invariant,
			world: WORLDS[node]({
				faults: times(routeOf(node), fault),
				...(fault.kind === 'trickle' && { settings: { maxAttempts: 1 } }),
			}),
		},
	]);
}

const SECRET_FORMS: Form[] = [
	'percent',
	'percentLower',
	'base64Unpadded',
	'base64Url',
	'json',
	'upper',
	'lower',
	'stripped',
];

const allForms = (): Array<[string, Case]> =>
	SECRET_FORMS.flatMap((echo) => [
		...inEveryNode(`secret repeated as ${echo} in a failure`, 'secret shown', {
			kind: 'status',
			status: 400,
			body: 'text',
			effect: false,
			echo,
		}),
		...inEveryNode(
			`secret repeated as ${echo} in a success`,
			'secret shown',
			{ kind: 'echo', echo, where: 'message' },
			['push', 'migrate'],
		),
	]);

const PLAIN_FILE: FilePlan = {
	name: 'f0.jsonl',
	format: 'jsonLines',
	isNamed: true,
	isGzip: false,
	isCut: false,
	skip: 0,
	records: [],
};

function textFile(key: string): FilePlan {
	const text = textOf({ key, parts: 2 });
	const record = { text: JSON.stringify({ id: key, name: 'A', text }), key, id: key };
	return { ...PLAIN_FILE, name: `${key}.jsonl`, records: [record] };
}

/** Texts that are submitted one after the other, each once the one before has its chunks. */
const chunkingInTurn = (keys: string[], service: Partial<ServicePlan>): World =>
	chunking(
		{
			texts: [],
			settings: {
				textSource: 'file',
				...READING,
				...{ textsPerRequest: 1, textsInFlight: 1, concurrency: 1 },
			},
			files: [{ ...PLAIN_FILE, records: keys.flatMap((key) => textFile(key).records) }],
		},
		service,
	);

function linesOf(ids: string[]): FilePlan {
	const records = ids.map((id) => ({ text: id, key: id, id }));
	return { ...PLAIN_FILE, name: 'f0.txt', format: 'lines', records };
}

const deletingLines = (ids: string[], file: Partial<FilePlan>): World =>
	deleting({
		items: [],
		settings: { idSource: 'file', ...READING },
		files: [{ ...linesOf(ids), ...file }],
	});

/** Both files are in fields of one item. */
const deletingTwoFiles = (faults: World['faults'] = []): World =>
	deleting({
		items: [],
		settings: { idSource: 'file', ...READING },
		files: ['d0', 'd1'].map((id, at) => ({
			...linesOf([id]),
			name: `f${at}.txt`,
			...(at > 0 && { field: `data${at}` }),
		})),
		faults,
	});

const DAMAGES: Damage[] = [
	'nan',
	'infinity',
	'truncated',
	'trailingBytes',
	'controlCharacter',
	'jsonInString',
];

const previous: Settings = { previousChunkCount: 6 };

export const CASES: Record<string, Case> = {
	'two documents that shared a request are mixed up by Get Results after a timeout': {
		invariant: 'mixed up texts',
		world: chunking(
			{ texts: [[2], [3]], flow: 'waitThenGet' },
			{ jobs: [jobOf({ end: 'never' })] },
		),
	},
	'two documents that shared a request are mixed up by Resume Chunking ID': {
		invariant: 'mixed up texts',
		world: chunking({ flow: 'waitThenResume' }, { jobs: [jobOf({ end: 'never' })] }),
	},
	'chunks are returned by each item that shares the request': {
		invariant: 'every item once',
		world: chunking(
			{ texts: [[2], [3]], flow: 'waitThenGet' },
			{ jobs: [jobOf({ end: 'never' })] },
		),
	},
	'an unknown status with an empty list removes all chunks': {
		invariant: 'removed what exists',
		world: chunking(
			{ texts: [[2]], settings: previous },
			{ jobs: [jobOf({ pendingStatus: 'RUNNING', pendingData: 'emptyTexts', polls: 2 })] },
		),
	},
	'a lowercase status with an empty list removes all chunks': {
		invariant: 'removed what exists',
		world: chunking(
			{ texts: [[2]], settings: previous },
			{ jobs: [jobOf({ pendingStatus: 'submitted', pendingData: 'emptyTexts', polls: 2 })] },
		),
	},
	'a text the service left out completely loses all its chunks': {
		invariant: 'removed what exists',
		world: chunking(
			{ texts: [[40]], settings: previous },
			{ jobs: [jobOf({ truncate: 'whole' })] },
		),
	},
	'a text without spans loses its tail': {
		invariant: 'removed what exists',
		world: chunking(
			{ texts: [[4]], settings: previous },
			{ jobs: [jobOf({ truncate: 'tail', shape: 'noSpans' })] },
		),
	},
	'Get Results removes the tail of a text it does not know': {
		invariant: 'removed what exists',
		world: chunking(
			{ texts: [[4]], flow: 'submitThenGet', settings: previous },
			{ jobs: [jobOf({ truncate: 'tail' })] },
		),
	},
	'chunks of an item whose texts failed in two requests are lost': {
		invariant: 'lost what was delivered',
		world: chunking(
			{
				texts: [[1], [2, 2], [1]],
				settings: { textSource: 'list' },
				flow: 'waitThenResume',
			},
			{ jobs: [jobOf({ end: 'never' })] },
		),
	},
	'jobs of a file are forgotten when the run stops at the next one': {
		invariant: 'forgot a chunking ID',
		world: chunking({
			onError: 'stopWorkflow',
			settings: { textSource: 'file', ...READING },
			flow: 'submitThenGet',
			files: [textFile('i0t0'), textFile('i1t0')],
			faults: [{ route: 'submit', skip: 1, times: 1, fault: { kind: 'html' } }],
		}),
	},
	'a file of raw responses is linked to some of its items only': {
		invariant: 'every item once',
		world: chunking({ settings: { chunkOutput: 'raw', outputTo: 'files' } }),
	},
	'data in an unknown shape is lost of a file': {
		invariant: 'lost what was delivered',
		world: chunking(
			{ settings: { textSource: 'file', ...READING }, files: [textFile('i0t0')] },
			{ jobs: [jobOf({ shape: 'unknown', once: true })] },
		),
	},
	'the only record of a file that breaks off after it is lost': {
		invariant: 'lost by resuming',
		world: deleting({
			settings: { idSource: 'file', ...READING },
			items: [],
			files: [
				{
					...PLAIN_FILE,
					name: 'f0.txt.gz',
					format: 'lines',
					isGzip: true,
					isCut: true,
					records: [{ text: 'd0', key: 'd0', id: 'd0' }],
				},
			],
		}),
	},
	'the last records of a truncated file are lost while requests are slow': {
		invariant: 'lost by resuming',
		world: worldOf({
			onError: 'continueErrorOutput',
			settings: {
				documentSource: 'file',
				...READING,
				documentsPerRequest: 3,
				concurrency: 1,
			},
			files: [
				{
					...PLAIN_FILE,
					name: 'f0.csv.gz',
					format: 'csv',
					isGzip: true,
					isCut: true,
					blanks: 70_000,
					records: Array.from({ length: 300 }, (_, at) => ({
						text: `d${at},A,v${at},,,${'x'.repeat(100)}`,
						key: `v${at}`,
						id: `d${at}`,
					})),
				},
			],
			faults: [{ route: 'push', skip: 0, times: 2, fault: { kind: 'hang', effect: false } }],
		}),
	},
	'data of a job that ended in ERROR is lost': {
		invariant: 'lost what was delivered',
		world: chunking({ texts: [[2]] }, { jobs: [jobOf({ end: 'errorWithData' })] }),
	},
	'data in an unknown shape is lost': {
		invariant: 'lost what was delivered',
		world: chunking({ texts: [[2]] }, { jobs: [jobOf({ shape: 'unknown' })] }),
	},
	'data of a job that stays pending is lost': {
		invariant: 'lost what was delivered',
		world: chunking(
			{ texts: [[2]] },
			{ jobs: [jobOf({ pendingData: 'firstChunk', polls: 1000 })] },
		),
	},
	'a rejection as text is a success': {
		invariant: 'claims too much',
		world: pushing({}, { rejection: 'textStatus' }),
	},
	'a rejection in a list of errors is a success': {
		invariant: 'claims too much',
		world: pushing({}, { rejection: 'errorsBeside' }),
	},
	'a rejection of an ID that is listed twice is a success': {
		invariant: 'claims too much',
		world: pushing({}, { rejection: 'listedTwice' }),
	},
	'a rejection with a number as ID is a success': {
		invariant: 'claims too much',
		world: pushing({}, { rejection: 'numericId' }),
	},
	'a rejection in a line of its own is a success': {
		invariant: 'claims too much',
		world: pushing({}, { rejection: 'lines' }),
	},
	'a rejection in a text that is withheld for a secret is a success': {
		invariant: 'claims too much',
		world: pushing(
			{ faults: times('push', { kind: 'echo', echo: 'base64', where: 'message' }) },
			{ rejection: 'lines' },
		),
	},
	'a number of rejected documents is a success': {
		invariant: 'claims too much',
		world: pushing({}, { rejection: 'words' }),
	},
	'a word within an ID is a rejection': {
		invariant: 'denies what happened',
		world: pushing(
			{
				items: ['/error-handling', 'failed', 'b'].map((id, at) => ({
					...{ id, name: 'A', version: `v${at}` },
				})),
			},
			{ rejection: 'keyed' },
		),
	},
	'the hint counts documents as skipped whose later one was rejected': {
		invariant: 'claims too much',
		world: pushing({
			items: ['a', 'a', 'b', 'b'].map((id, at) => ({
				...{ id, name: 'A', version: `v${at}`, reject: at === 1 },
			})),
			settings: { duplicates: 'keepLast' },
		}),
	},
	'what documents are in is one of them': {
		invariant: 'claims too much',
		world: pushing(
			{
				items: ['results', 'b'].map((id, at) => ({
					...{ id, name: 'A', version: `v${at}`, reject: at === 1 },
				})),
			},
			{ rejection: 'keyed' },
		),
	},
	'a number beyond the safe integers deletes another document': {
		invariant: 'wrong document deleted',
		world: deleting({ items: [{ id: 2 ** 53 }] }),
	},
	'a deeply nested message loses the other jobs': {
		invariant: 'lost what was delivered',
		world: chunking(
			{
				texts: [[2], [2], [2]],
				settings: { textsPerRequest: 1 },
				faults: [
					{
						route: 'results',
						skip: 2,
						times: 99,
						fault: { kind: 'shape', shape: 'nested' },
					},
				],
			},
			{ jobs: [jobOf({ polls: 0 })] },
		),
	},
	'a token request that hangs outlives a cancel': {
		invariant: 'too late',
		world: chunking({
			cancelAfterMs: 100,
			faults: times('token', { kind: 'hang', effect: false }),
		}),
	},
	'a token response that trickles outlives a cancel': {
		invariant: 'too late',
		world: chunking({ cancelAfterMs: 100, faults: times('token', { kind: 'trickle' }) }),
	},
	'a token response that trickles has no end': {
		invariant: 'too late',
		world: chunking({ faults: times('token', { kind: 'trickle' }, 1) }),
	},
	'polls that hang leave timers behind': {
		invariant: 'handles left',
		world: chunking({ faults: times('results', { kind: 'hang', effect: false }) }),
	},
	'a job listed by a connection that broke is submitted again': {
		invariant: 'submitted twice',
		world: chunking({ faults: times('submit', { kind: 'reset', when: 'after' }, 1) }),
	},
	'texts are submitted again though their job ended well, its response lost': {
		invariant: 'submitted twice',
		world: chunking(
			{
				texts: [[1], [1], [1]],
				settings: { concurrency: 1, isolate: true },
				faults: times('results', { kind: 'reset', when: 'withinHeaders' }, 3),
			},
			{ jobs: [jobOf({ once: true })] },
		),
	},
	'a token repeated by the results': {
		invariant: 'secret shown',
		world: chunking({
			settings: { chunkOutput: 'raw' },
			faults: times('results', { kind: 'echo', echo: 'raw', where: 'message' }),
		}),
	},
	'a token repeated by the results in another letter case': {
		invariant: 'secret shown',
		world: chunking({
			settings: { chunkOutput: 'raw' },
			faults: times('results', { kind: 'echo', echo: 'upper', where: 'field' }),
		}),
	},
	'a vector of another text, because one is missing from the list of all': {
		invariant: 'mixed up texts',
		world: chunking(
			{ texts: [[2], [2]], settings: { includeVectors: true } },
			{ jobs: [jobOf({ shape: 'older', vectors: 'oneLess' })] },
		),
	},
	'a vector of another chunk, because there is one more': {
		invariant: 'mixed up texts',
		world: chunking(
			{ texts: [[2]], settings: { includeVectors: true } },
			{ jobs: [jobOf({ vectors: 'oneMore' })] },
		),
	},
	'entries in another order than the texts': {
		invariant: 'mixed up texts',
		world: chunking({}, { jobs: [jobOf({ isReversed: true })] }),
	},
	...Object.fromEntries(
		DAMAGES.map((damage): [string, Case] => [
			`results that come once and damaged are lost: ${damage}`,
			{
				invariant: 'lost what was delivered',
				world: chunking(
					{ settings: { includeVectors: true } },
					{ jobs: [jobOf({ damage, once: true })] },
				),
			},
		]),
	),
	'damaged results are replaced by a later response that has other data': {
		invariant: 'lost what was delivered',
		world: chunking(
			{
				texts: [[2]],
				faults: [
					{
						route: 'results',
						skip: 1,
						times: 99,
						fault: { kind: 'echo', echo: 'raw', where: 'field' },
					},
				],
			},
			{ jobs: [jobOf({ polls: 0, damage: 'trailingBytes', once: true })] },
		),
	},
	'Raw returns a later response in place of damaged results': {
		invariant: 'lost what was delivered',
		world: chunking(
			{
				texts: [[2]],
				settings: { chunkOutput: 'raw' },
				faults: [
					{
						route: 'results',
						skip: 1,
						times: 99,
						fault: { kind: 'echo', echo: 'raw', where: 'status' },
					},
				],
			},
			{ jobs: [jobOf({ polls: 0, damage: 'trailingBytes', once: true })] },
		),
	},
	'chunks without spans that came in another order go to other documents': {
		invariant: 'mixed up texts',
		world: chunking({}, { jobs: [jobOf({ isReversed: true, shape: 'noSpans' })] }),
	},
	'a chunking ID that is repeated gives a document the chunks of another': {
		invariant: 'mixed up texts',
		world: chunkingInTurn(['i0t0', 'i0t1', 'i0t2'], { repeatsIds: true }),
	},
	'what was fetched is lost when n8n runs the node again': {
		invariant: 'lost what was delivered',
		world: chunking(
			{ texts: [[0], [2], [3]], retries: true, flow: 'once' },
			{ jobs: [jobOf({ once: true })] },
		),
	},
	'chunks that came early are lost to an ERROR when n8n runs the node again': {
		invariant: 'lost what was delivered',
		world: chunking(
			{ retries: true, flow: 'submitThenGet' },
			{ jobs: [jobOf({ pendingData: 'firstChunk', end: 'error' })] },
		),
	},
	'texts are submitted again when n8n runs the node again': {
		invariant: 'submitted twice',
		world: chunking({ texts: [[0], [2], [3]], retries: true }),
	},
	...Object.fromEntries(
		(['push', 'delete'] as const).map((node): [string, Case] => [
			`a later try denies what an earlier one did (${node})`,
			{
				invariant: 'denies what happened',
				world: WORLDS[node]({
					items: ['', 'd0', 'd1'].map((id, at) => ({ id, name: 'A', version: `v${at}` })),
					retries: true,
					settings: {
						concurrency: 1,
						...(node === 'push' && { documentsPerRequest: 1 }),
					},
					faults: [{ route: node, skip: 2, times: 9, fault: FORBIDDEN }],
				}),
			},
		]),
	),
	'a migration is repeated when n8n runs the node again': {
		invariant: 'migrated twice',
		world: {
			...migrating({ retries: true, items: [{}] }),
			faults: times('migrate', { kind: 'reset', when: 'after' }, 1),
		},
	},
	...Object.fromEntries(
		NODE_KEYS.map((node): [string, Case] => {
			const world = WORLDS[node]({ settings: { maxAttempts: 2, maxRefused: 60 } });
			const busy = { status: 429, refusesAllForMs: 300, requestsPerInterval: 1 } as const;
			return [
				`a phase of 429 fails what could have waited (${node})`,
				{
					invariant: 'gave up too soon',
					world: { ...world, service: { ...world.service, busy } },
				},
			];
		}),
	),
	...Object.fromEntries(
		(['push', 'delete', 'chunk'] as const).map((node): [string, Case] => {
			const items = ['d0', 'd1', 'd2'].map((id, at) => ({
				id,
				name: 'A',
				version: `v${at}`,
			}));
			const settings = { maxAttempts: 1, maxRefused: 60, concurrency: 1 };
			const world = WORLDS[node]({
				...(node === 'chunk' ? { texts: [[1], [2], [3]] } : { items }),
				settings: {
					...settings,
					...(node === 'push' && { documentsPerRequest: 1 }),
					...(node === 'chunk' && { textsPerRequest: 1 }),
				},
			});
			const busy = {
				status: 429,
				refusesAllForMs: 0,
				requestsPerInterval: 9,
				oneOf: 2,
			} as const;
			return [
				`a 429 now and then fails what could have waited (${node})`,
				{
					invariant: 'gave up too soon',
					world: { ...world, service: { ...world.service, busy } },
				},
			];
		}),
	),
	'an accepted document is rejected by its own fields or by those of another': {
		invariant: 'denies what happened',
		world: pushing(
			{
				items: [
					{ id: 'a', name: 'A', version: 'v0', error: { code: 7, line: 1 } },
					{ id: 'b', name: 'B', version: 'v1', errors: [{ line: 1, words: 'a typo' }] },
					{
						id: 'c',
						name: 'C',
						version: 'v2',
						related: [{ status: 'rejected', id: 'b' }],
					},
				],
			},
			{ pushAnswer: 'echo' },
		),
	},
	'a rejected document that is repeated counts as pushed': {
		invariant: 'claims too much',
		world: pushing({}, { pushAnswer: 'echo' }),
	},
	'a key of digits is repeated as a number in a list': {
		invariant: 'secret shown',
		world: pushing(
			{ faults: times('push', { kind: 'echo', echo: 'raw', where: 'status' }) },
			{ hasNumericSecrets: true },
		),
	},
	...Object.fromEntries(
		['[2024] report', '[1, 2] matrix', '{"id":"other"}'].map((id): [string, Case] => [
			`lines of text that begin like JSON name other documents: ${id}`,
			{
				invariant: 'wrong document deleted',
				world: deletingLines([id, 'd0'], { isNamed: false, isTextPlain: true }),
			},
		]),
	),
	'a file of an unclear format is guessed': {
		invariant: 'wrong document deleted',
		world: deletingLines([], {
			name: 'f0',
			isNamed: false,
			isTextPlain: true,
			refused: 'unclear format',
		}),
	},
	'a gzip file ends after its first member': {
		invariant: 'every record once',
		world: deletingLines(['d0', 'd1', 'd2'], { isGzip: true, members: 3, isPadded: true }),
	},
	...Object.fromEntries(
		(['zeros and a member', 'other bytes'] as const).map((cutBy): [string, Case] => [
			`a gzip file ends without a word at ${cutBy}`,
			{
				invariant: 'every record once',
				world: deletingLines(['d0', 'd1'], { isGzip: true, isCut: true, cutBy }),
			},
		]),
	),
	'failed records of a list cannot be read with the parameters of the list': {
		invariant: 'lost by resuming',
		world: worldOf({
			settings: { documentSource: 'file', ...READING },
			files: [
				{
					...PLAIN_FILE,
					name: 'f0.json',
					format: 'jsonArray',
					records: ['d0', 'd1'].map((id, at) => ({
						text: JSON.stringify({ id, name: 'A', version: `v${at}`, poison: true }),
						key: `v${at}`,
						id,
					})),
				},
			],
			service: { refusesPoison: true },
		}),
	},
	'ranges read a record twice or not at all': {
		invariant: 'every record once',
		world: deleting({
			items: [],
			settings: { idSource: 'file', ...READING },
			files: [0, 2, 4].map((skip) => ({
				...linesOf(['d0', 'd1', 'd2', 'd3', 'd4', 'd5']),
				name: `f${skip}.txt`,
				skip,
				max: 2,
			})),
		}),
	},
	'only one of several files of an item is read': {
		invariant: 'every record once',
		world: deletingTwoFiles(),
	},
	'a file is lost when the run ends in another one of its item': {
		invariant: 'lost by resuming',
		world: deletingTwoFiles(times('delete', FORBIDDEN, 1)),
	},
	'texts of several files of an item are mixed up': {
		invariant: 'mixed up texts',
		world: chunking({
			texts: [],
			settings: { textSource: 'file', ...READING },
			files: ['i0t0', 'i1t0'].map((key, at) => ({
				...textFile(key),
				...(at > 0 && { field: `data${at}` }),
			})),
		}),
	},
	'a range reports that its file breaks off behind it': {
		invariant: 'every record once',
		world: deletingLines(['d0', 'd1'], { isCut: true, max: 2 }),
	},
	'a cancel does nothing while a file has no records': {
		invariant: 'too late',
		world: {
			...deletingLines(['d0', 'd1'], { isGzip: true, blanks: 60_000_000 }),
			cancelAfterMs: 100,
		},
	},
	...Object.fromEntries([
		...inEveryNode('a response that trickles has no end', 'too late', { kind: 'trickle' }),
		...inEveryNode(
			'a lost connection is certain to have had no effect',
			'denies what happened',
			{
				kind: 'reset',
				when: 'after',
			},
		),
		...inEveryNode(
			'a response cut off is certain to have had no effect',
			'denies what happened',
			{
				kind: 'reset',
				when: 'withinHeaders',
			},
		),
		...inEveryNode('status 408 is certain to have had no effect', 'denies what happened', {
			kind: 'status',
			status: 408,
			body: 'json',
			effect: true,
		}),
		...inEveryNode('status 500 is certain to have had no effect', 'denies what happened', {
			kind: 'status',
			status: 500,
			body: 'json',
			effect: true,
		}),
		...inEveryNode('a timeout is certain to have had no effect', 'denies what happened', {
			kind: 'hang',
			effect: true,
		}),
		...allForms(),
	]),
};
