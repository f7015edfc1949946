/**
 * Tests every option on every road that entries can take: items, each kind of file, and a second file or item. The
 * tables say for each option what must be sent or returned. If an option has no meaning on a road, its row says why.
 */
import { gzipSync } from 'node:zlib';

import type { IDataObject, INodeExecutionData, INodeParameters, INodeType } from 'n8n-workflow';

import { ChunkText } from '../../nodes/ChunkText/ChunkText.node';
import { DeleteDocument } from '../../nodes/DeleteDocument/DeleteDocument.node';
import { PushDocuments } from '../../nodes/PushDocuments/PushDocuments.node';
import type { RecordedRequest, Sandbox } from '../../sandbox';
import { useFiles } from '../../support/binary-data';
import { useChunkText } from '../../support/chunking';
import type { RunResult } from '../../support/engine';
import { merged, pathsOf } from '../../support/item-by-item';
import { CONTINUE, hintsOf, indexes, jsonOf, nodeRunner } from '../../support/sandbox';

type Value = Record<string, string>;

/** How the records of a row are written. */
interface Writing {
	delimiter?: string;
	isQuoted?: boolean;
	encode?: (text: string) => Buffer;
}

interface Road {
	name: string;
	/** Number of files or, without files, 1. Each of them has four records. */
	groups: number;
	source: 'items' | 'list' | 'file' | 'textFile';
	isCsv?: boolean;
	items: (groups: Value[][], writing: Writing) => Promise<INodeExecutionData[]>;
}

interface Seen extends RunResult {
	requests: RecordedRequest[];
	json: IDataObject[];
	/** Everything the run says about its input. */
	words: string;
}

interface Row {
	option: string;
	parameters: INodeParameters;
	/** Changes a record so that the option has an effect. The index counts the records of all files. */
	record?: (value: Value, index: number, total: number) => Value;
	writing?: Writing;
	prepare?: (sandbox: Sandbox) => void;
	check: (seen: Seen, groups: Value[][], road: Road) => void;
	/** Roads on which the option has no meaning, and the reason. */
	without?: Array<[roads: string | RegExp, reason: string]>;
}

const files = useFiles();
const { sandbox, credentials } = useChunkText({ unknownDeleteStatus: 404 });

const COUNT = 4;
const recordOf = (index: number): Value => ({
	id: `d${index}`,
	name: `N${index}`,
	text: `Text ${index}`,
	sku: `s${index}`,
	title: `T${index}`,
	summary: `Summary ${index}`,
	link: `https://example.com/${index}`,
	note: 'ä',
	number: '7',
	empty: '',
});

const csv = (records: Value[], { delimiter = ',', isQuoted = false }: Writing) => {
	const quote = isQuoted ? (cell: string) => `"${cell.replaceAll('"', '""')}"` : String;
	const rows = [Object.keys(records[0] ?? {}), ...records.map((one) => Object.values(one))];
	return rows.map((cells) => cells.map(quote).join(delimiter)).join('\r\n');
};
const jsonLines = (records: Value[]) =>
	records.map((record) => `${JSON.stringify(record)}\n`).join('');
const idLines = (records: Value[]) => records.map(({ id }) => `${id}\n`).join('');

const utf8 = (text: string) => Buffer.from(text);
const fileItem = async (text: string, name: string, { encode = utf8 }: Writing) => {
	const bytes = encode(text);
	return await files.item(name.endsWith('.gz') ? gzipSync(bytes) : bytes, name);
};
const ofFile = (
	name: string,
	fileName: string,
	write: (records: Value[], writing: Writing) => string,
): Road => ({
	name,
	groups: 1,
	source: 'file',
	isCsv: write === csv,
	items: async ([records = []], writing) => [
		await fileItem(write(records, writing), fileName, writing),
	],
});

const ROADS: Road[] = [
	{
		name: 'items',
		groups: 1,
		source: 'items',
		items: async ([records = []]) => await Promise.resolve(records.map((json) => ({ json }))),
	},
	ofFile('JSON Lines', 'd.jsonl', jsonLines),
	ofFile('JSON list', 'd.json', (records) => JSON.stringify(records)),
	ofFile('JSON Lines in a .json file', 'd.json', jsonLines),
	ofFile('CSV', 'd.csv', csv),
	ofFile('gzip', 'd.csv.gz', csv),
	{
		name: 'text file',
		groups: 1,
		source: 'textFile',
		items: async ([records = []], writing) =>
			await Promise.all(
				records.map(async (json) => ({
					...(await fileItem(String(json.text), `${json.id}.txt`, writing)),
					json,
				})),
			),
	},
	{
		name: 'second file',
		groups: 2,
		source: 'file',
		isCsv: true,
		items: async ([one = [], two = []], writing) => {
			const { binary } = await fileItem(csv(one, writing), 'd.csv', writing);
			const second = await fileItem(csv(two, writing), 'e.csv', writing);
			return [{ json: {}, binary: { ...binary, other: second.binary?.data as never } }];
		},
	},
	{
		name: 'second item',
		groups: 2,
		source: 'file',
		isCsv: true,
		items: async (groups, writing) =>
			await Promise.all(
				groups.map(async (one) => await fileItem(csv(one, writing), 'd.csv', writing)),
			),
	},
];

const DELETE_ROADS: Road[] = [
	...ROADS.filter(({ source }) => source !== 'textFile'),
	{
		name: 'list',
		groups: 1,
		source: 'list',
		items: async ([records = []]) =>
			await Promise.resolve([{ json: { ids: records.map(({ id }) => id) } }]),
	},
	ofFile('lines', 'd.txt', idLines),
];

const NO_FILE: [RegExp, string] = [/^(items|list)$/, 'there is no file'];
const NO_RECORDS: [string, string] = ['text file', 'the whole file is one document'];
const NOT_CSV: [RegExp, string] = [/JSON|lines/, 'only CSV has cells'];
const ONLY_CSV: Row['without'] = [NO_FILE, NO_RECORDS, NOT_CSV];
const FROM_ITEMS: [RegExp, string] = [/JSON|CSV|gzip|second|lines/, 'hidden for files'];

const utf16 = (text: string) => Buffer.from(text, 'utf16le');
/** Options that choose and read records. `sees` compares what was sent with the records. */
const fileRows = (sees: Row['check']): Row[] => [
	{
		option: 'skipRecords',
		parameters: { options: { skipRecords: 2 } },
		check: (seen, groups, road) =>
			sees(
				seen,
				groups.map((group) => group.slice(2)),
				road,
			),
		without: [NO_FILE, NO_RECORDS],
	},
	{
		option: 'maxRecords',
		parameters: { options: { maxRecords: 3, skipRecords: 1 } },
		check: (seen, groups, road) => {
			sees(
				seen,
				groups.map((group) => group.slice(1)),
				road,
			);
		},
		without: [NO_FILE, NO_RECORDS],
	},
	{
		option: 'maxRecords',
		parameters: { options: { maxRecords: 1 } },
		check: (seen, groups, road) => {
			sees(
				seen,
				groups.map((group) => group.slice(0, 1)),
				road,
			);
		},
		without: [NO_FILE, NO_RECORDS],
	},
	{
		option: 'encoding',
		parameters: { options: { encoding: 'utf-16le' } },
		writing: { encode: utf16 },
		check: sees,
		without: [NO_FILE],
	},
	{
		option: 'delimiter',
		parameters: { options: { delimiter: '~' } },
		writing: { delimiter: '~' },
		record: (value) => ({ ...value, note: 'a,b;c' }),
		check: sees,
		without: ONLY_CSV,
	},
	{
		option: 'quotes',
		parameters: { options: { quotes: 'none' } },
		record: (value) => ({ ...value, note: '"a' }),
		check: sees,
		without: ONLY_CSV,
	},
	{
		option: 'bytesPerFile',
		parameters: { options: { bytesPerFile: 1000 } },
		// Without an ID, no record can be sent.
		record: (value) => ({ ...value, id: '', text: 'x'.repeat(700) }),
		check: ({ output }, groups) => {
			const failed = output.flatMap(({ binary = {} }) => Object.keys(binary));
			expect(failed).toHaveLength(groups.flat().length);
		},
		without: [NO_FILE, NO_RECORDS, ['lines', 'an empty line is no record']],
	},
];

const inParts = (groups: Value[][], size: number): number[] =>
	groups.flatMap(({ length }) =>
		indexes(Math.ceil(length / size)).map((part) => Math.min(size, length - part * size)),
	);

/** A request with one document contains no list. */
const bodies = ({ requests }: Seen) => requests.map(({ body }) => [body].flat());
const seesDocuments = (seen: Seen, groups: Array<Array<Record<string, unknown>>>) => {
	expect(bodies(seen).flat()).toEqual(groups.flat());
};
const changed = (groups: Value[][], change: (value: Value) => Record<string, unknown>) =>
	groups.map((group) => group.map(change));
const without = (value: Record<string, unknown>, ...names: string[]) =>
	Object.fromEntries(Object.entries(value).filter(([name]) => !names.includes(name)));
const MAPPED: [string, string] = ['text file', 'parameters say what the document contains'];
/** Every second record has the ID of the record two places before it, or of the first file. */
const repeated = (value: Value, index: number, total: number): Value => ({
	...value,
	id: index === total - 1 ? 'd0' : String(value.id),
});

const mostAtOnce = ({ requests }: Seen) => Math.max(...requests.map(({ inFlight }) => inFlight));

const keeping = (keepSourceFields: string): INodeParameters => ({
	options: { output: 'perInputItem', keepSourceFields, sourceFieldsToKeep: 'sku, ids' },
});
const KEPT_FIELDS: Row[] = [
	{
		option: 'keepSourceFields',
		parameters: keeping('none'),
		check: ({ json }) => {
			expect(json).not.toEqual([]);
			expect(json.filter((one) => 'sku' in one || 'ids' in one)).toEqual([]);
		},
		without: [FROM_ITEMS],
	},
	{
		option: 'sourceFieldsToKeep',
		parameters: keeping('listed'),
		check: ({ json }, groups, { source }) => {
			const values = groups.flat();
			const ofItems = values.map(({ sku }) => ({ sku }));
			const ofList = [{ ids: values.map(({ id }) => id) }];
			expect(json).toMatchObject(source === 'list' ? ofList : ofItems);
		},
		without: [FROM_ITEMS],
	},
];

const PUSH: Row[] = [
	...fileRows(seesDocuments),
	{
		option: 'jsonColumns',
		parameters: { options: { jsonColumns: 'number' } },
		check: (seen, groups) =>
			seesDocuments(
				seen,
				changed(groups, (value) => ({ ...value, number: 7 })),
			),
		without: ONLY_CSV,
	},
	{
		option: 'excludeFields',
		parameters: { options: { excludeFields: 'text, note' } },
		check: (seen, groups) =>
			seesDocuments(
				seen,
				changed(groups, (value) => without(value, 'text', 'note')),
			),
	},
	{
		option: 'dropEmpty',
		parameters: { options: { dropEmpty: true } },
		check: (seen, groups) =>
			seesDocuments(
				seen,
				changed(groups, (value) => without(value, 'empty')),
			),
	},
	{
		option: 'dryRun',
		parameters: { options: { dryRun: true } },
		check: (seen, groups) => {
			expect(seen.requests).toEqual([]);
			const checked = seen.json.reduce((sum, json) => sum + Number(json.checked ?? 1), 0);
			expect(checked).toBe(groups.flat().length);
			expect(seen.json.every(({ dryRun }) => dryRun === true)).toBe(true);
		},
	},
	{
		option: 'documentsPerRequest',
		parameters: { options: { documentsPerRequest: 3 } },
		check: (seen, groups) => {
			expect(bodies(seen).map(({ length }) => length)).toEqual(inParts(groups, 3));
		},
	},
	{
		option: 'bytesPerRequest',
		parameters: {
			options: { bytesPerRequest: 2 * Buffer.byteLength(JSON.stringify(recordOf(0))) + 3 },
		},
		check: (seen, groups) => {
			expect(bodies(seen).map(({ length }) => length)).toEqual(inParts(groups, 2));
		},
	},
	{
		option: 'idField',
		parameters: { idField: 'sku' },
		check: (seen, groups) =>
			seesDocuments(
				seen,
				changed(groups, (value) => ({ ...value, id: value.sku })),
			),
		without: [MAPPED],
	},
	{
		option: 'nameField',
		parameters: { nameField: 'title' },
		check: (seen, groups) =>
			seesDocuments(
				seen,
				changed(groups, (value) => ({ ...value, name: value.title })),
			),
		without: [MAPPED],
	},
	{
		option: 'descriptionField',
		parameters: { descriptionField: 'summary' },
		check: (seen, groups) =>
			seesDocuments(
				seen,
				changed(groups, (value) => ({ ...value, description: value.summary })),
			),
		without: [MAPPED],
	},
	{
		option: 'urlField',
		parameters: { urlField: 'link' },
		check: (seen, groups) =>
			seesDocuments(
				seen,
				changed(groups, (value) => ({ ...value, url: value.link })),
			),
		without: [MAPPED],
	},
	{
		option: 'concurrency',
		parameters: { options: { documentsPerRequest: 1, concurrency: 3 } },
		prepare: (sandbox) => sandbox.faults.add({ route: 'push', latencyMs: 150, times: 3 }),
		check: (seen) => expect(mostAtOnce(seen)).toBe(3),
	},
	{
		option: 'output',
		parameters: { options: { output: 'summary' } },
		check: ({ json }) => expect(json).toMatchObject([{ documents: COUNT, failures: 0 }]),
		without: [FROM_ITEMS],
	},
	...KEPT_FIELDS,
	{
		option: 'an ID that was sent before',
		parameters: { options: { documentsPerRequest: 1 } },
		record: repeated,
		check: ({ words }) => expect(words).toMatch(/same (document )?ID as an earlier/),
	},
];

const seesIds = (seen: Seen, groups: Value[][]) => {
	const ids = seen.requests.map(({ path }) => path.split('/').at(-1));
	expect(ids).toEqual(groups.flat().map(({ id }) => id));
};
const commits = ({ requests }: Seen) => requests.map(({ query }) => query.commit === 'true');
const ONLY_ITEMS: [RegExp, string] = [
	/JSON|CSV|gzip|second|lines|list/,
	'hidden for lists and files',
];
const NO_FIELDS: [RegExp, string] = [/^(items|list|lines)$/, 'the entries have no fields'];

const DELETE: Row[] = [
	...fileRows(seesIds),
	{
		option: 'jsonColumns',
		parameters: { idField: 'note', options: { jsonColumns: 'note' } },
		record: (value) => ({ ...value, note: JSON.stringify(value.id) }),
		writing: { isQuoted: true },
		check: seesIds,
		without: [...ONLY_CSV],
	},
	{
		option: 'idField',
		parameters: { idField: 'sku' },
		check: (seen, groups) =>
			seesIds(seen, changed(groups, ({ sku = '' }) => ({ id: sku })) as Value[][]),
		without: [NO_FIELDS],
	},
	{
		option: 'dryRun',
		parameters: { options: { dryRun: true } },
		check: ({ requests, json }) => {
			expect(requests).toEqual([]);
			expect(json.every(({ dryRun }) => dryRun === true)).toBe(true);
		},
	},
	{
		option: 'ignoreNotFound',
		parameters: { options: { ignoreNotFound: true } },
		check: ({ json }, groups) => {
			const found = json.reduce((sum, one) => sum + Number(one.notFound), 0);
			expect(found).toBe(groups.flat().length);
			expect(json.filter(({ error }) => error)).toEqual([]);
		},
	},
	{
		option: 'commit',
		parameters: { commit: 'everyDelete' },
		check: (seen, groups) => expect(commits(seen)).toEqual(groups.flat().map(() => true)),
	},
	{
		option: 'commit',
		parameters: { commit: 'lastDeleteOnly' },
		check: (seen, groups) => {
			const { length } = groups.flat();
			expect(commits(seen)).toEqual(indexes(length).map((at) => at === length - 1));
		},
	},
	{
		option: 'chunkCount',
		parameters: { options: { chunkCount: 2 } },
		check: (seen, groups) => {
			const chunks = groups.flat().flatMap(({ id }) => [`${id}%230`, `${id}%231`]);
			seesIds(seen, [chunks.map((id) => ({ id }))]);
		},
		without: [ONLY_ITEMS],
	},
	{
		option: 'output',
		parameters: { options: { output: 'perInputItem', ignoreNotFound: true } },
		check: ({ json }, groups, { source }) =>
			expect(json.map(({ notFound }) => notFound)).toEqual(
				source === 'list' ? [COUNT] : groups.flat().map(() => 1),
			),
		without: [FROM_ITEMS],
	},
	...KEPT_FIELDS,
	{
		option: 'concurrency',
		parameters: { options: { concurrency: 3 } },
		prepare: (sandbox) => sandbox.faults.add({ route: 'delete', latencyMs: 150, times: 3 }),
		check: (seen) => expect(mostAtOnce(seen)).toBe(3),
	},
];

interface SubmitBody extends IDataObject {
	batch: Array<{ text: string }>;
}
const submitted = ({ requests }: Seen) => requests.map(({ body }) => body as SubmitBody);
const seesTexts = (seen: Seen, groups: Value[][]) => {
	const sent = submitted(seen).flatMap(({ batch }) => batch.map(({ text }) => text));
	expect(sent).toEqual(groups.flat().map(({ text }) => text));
};
const chunksOf = ({ json }: Seen) => json.filter((one) => 'chunkIndex' in one);
const seesChunks =
	(expected: (value: Value) => object): Row['check'] =>
	(seen, groups) => {
		const values = groups.flat();
		expect(chunksOf(seen)).toHaveLength(values.length);
		// Two files are chunked at the same time.
		for (const value of values)
			expect(chunksOf(seen)).toContainEqual(expect.objectContaining(expected(value)));
	};
const seesBodies =
	(body: object): Row['check'] =>
	(seen) =>
		expect(submitted(seen)).toEqual(seen.requests.map(() => expect.objectContaining(body)));

const CHUNK: Row[] = [
	...fileRows(seesTexts),
	{
		option: 'jsonColumns',
		parameters: { options: { jsonColumns: 'number', keepSourceFields: 'all' } },
		check: seesChunks(() => ({ number: 7 })),
		without: ONLY_CSV,
	},
	{
		option: 'textField',
		parameters: { textField: 'summary' },
		check: (seen, groups) =>
			seesTexts(
				seen,
				groups.map((group) => group.map(({ summary = '' }) => ({ text: summary }))),
			),
		without: [NO_FILE, NO_RECORDS],
	},
	{
		option: 'idField',
		parameters: { idField: 'sku' },
		check: seesChunks(({ sku }) => ({ id: `${sku}#0` })),
		without: [NO_FILE, NO_RECORDS],
	},
	{
		option: 'nameField',
		parameters: { nameField: 'title' },
		check: seesChunks(({ title }) => ({ name: title })),
		without: [NO_FILE, NO_RECORDS],
	},
	{
		option: 'descriptionField',
		parameters: { options: { descriptionField: 'summary' } },
		check: seesChunks(({ summary }) => ({ description: summary })),
		without: [NO_FILE, NO_RECORDS],
	},
	{
		option: 'urlField',
		parameters: { options: { urlField: 'link' } },
		check: seesChunks(({ link }) => ({ url: link })),
		without: [NO_FILE, NO_RECORDS],
	},
	{
		option: 'documentDescription',
		parameters: { options: { documentDescription: 'About' } },
		check: seesChunks(() => ({ description: 'About' })),
		without: [FROM_ITEMS],
	},
	{
		option: 'documentUrl',
		parameters: { options: { documentUrl: 'https://example.com' } },
		check: seesChunks(() => ({ url: 'https://example.com' })),
		without: [FROM_ITEMS],
	},
	{
		option: 'previousChunkCount',
		parameters: { output: 'perDocument', options: { previousChunkCount: 2 } },
		check: ({ json }, groups) =>
			expect(json).toMatchObject(
				groups.flat().map(({ id }) => ({ removedIds: [`${id}#1`] })),
			),
		without: [FROM_ITEMS],
	},
	{
		option: 'keepSourceFields',
		parameters: { options: { keepSourceFields: 'all' } },
		check: seesChunks(({ note, sku }) => ({ note, sku })),
	},
	{
		option: 'sourceFieldsToKeep',
		parameters: { options: { keepSourceFields: 'listed', sourceFieldsToKeep: 'sku' } },
		check: (seen, groups, road) => {
			seesChunks(({ sku }) => ({ sku }))(seen, groups, road);
			for (const chunk of chunksOf(seen)) expect(chunk).not.toHaveProperty('note');
		},
	},
	{
		option: 'vectors',
		parameters: { options: { vectors: 'none' } },
		check: (seen, groups) => {
			expect(chunksOf(seen)).toHaveLength(groups.flat().length);
			for (const chunk of chunksOf(seen)) expect(chunk).not.toHaveProperty('vector');
		},
	},
	{
		option: 'chunkDetails',
		parameters: { options: { chunkDetails: true } },
		check: seesChunks(({ text = '' }) => ({ chunkCount: 1, start: 0, end: text.length })),
	},
	{
		option: 'outputTo',
		parameters: { options: { outputTo: 'files', bytesPerFile: 1000 } },
		check: (seen) => {
			expect(chunksOf(seen)).toEqual([]);
			const names = seen.output.flatMap(({ binary = {} }) =>
				Object.values(binary).map(({ fileName }) => fileName),
			);
			expect(names).not.toEqual([]);
			for (const name of names) expect(name).toMatch(/chunks.*\.jsonl$/);
		},
	},
	{
		option: 'dataType',
		parameters: { options: { dataType: 'query' } },
		check: seesBodies({ useCaseConfig: { dataType: 'query' } }),
	},
	{
		option: 'dimReductionSize',
		parameters: { options: { dimReductionSize: 2 } },
		check: seesBodies({ modelConfig: { dimReductionSize: 2 } }),
	},
	{
		option: 'vectorQuantizationMethod',
		parameters: { options: { vectorQuantizationMethod: 'min-max' } },
		check: seesBodies({ modelConfig: { vectorQuantizationMethod: 'min-max' } }),
	},
	{
		option: 'additionalBodyFields',
		parameters: { options: { additionalBodyFields: '{"a":1}' } },
		check: seesBodies({ a: 1 }),
	},
	{
		option: 'textsPerRequest',
		parameters: { options: { textsPerRequest: 3 } },
		check: (seen, groups) => {
			expect(submitted(seen).map(({ batch }) => batch.length)).toEqual(inParts(groups, 3));
		},
	},
	{
		option: 'bytesPerRequest',
		parameters: { options: { bytesPerRequest: 1000 } },
		record: (value) => ({ ...value, text: `${value.id}${'x'.repeat(480)}` }),
		check: (seen, groups) => {
			expect(submitted(seen).map(({ batch }) => batch.length)).toEqual(inParts(groups, 2));
		},
	},
	{
		option: 'concurrency',
		parameters: { options: { textsPerRequest: 1, concurrency: 3 } },
		prepare: (sandbox) => sandbox.faults.add({ route: 'submit', latencyMs: 150, times: 3 }),
		check: (seen) => expect(mostAtOnce(seen)).toBe(3),
	},
	{
		option: 'maxWaitSeconds',
		parameters: { options: { maxWaitSeconds: 1 } },
		prepare: ({ settings }) => void (settings.chunkDelayMs = 600_000),
		check: ({ words }) => expect(words).toContain('1 s'),
	},
	{
		option: 'whenTimeRunsOut',
		parameters: { options: { maxWaitSeconds: 1, whenTimeRunsOut: 'output' } },
		prepare: ({ settings }) => void (settings.chunkDelayMs = 600_000),
		check: ({ json }, groups) =>
			expect(json).toMatchObject(groups.flat().map(() => ({ status: 'SUBMITTED' }))),
		without: [FROM_ITEMS],
	},
	{
		option: 'resultsPath',
		// Polls of a path that the service does not know would go on for a while.
		parameters: { options: { resultsPath: '/other/{chunkingId}', maxWaitSeconds: 1 } },
		check: () => {
			const polls = sandbox().requests.filter(({ method }) => method === 'GET');
			expect(polls).not.toEqual([]);
			for (const { path } of polls) expect(path).toMatch(/^\/other\//);
		},
	},
	{
		option: 'an ID that was chunked before',
		parameters: {},
		record: repeated,
		check: ({ words }) => expect(words).toContain('has the same ID as an earlier document'),
	},
];

/** Options that have the same effect on all roads, because one place in the code reads them for all requests. */
const FOR_ALL_REQUESTS = ['maxRequestsPerMinute', 'retryForSeconds', 'timeoutSeconds'];

const pushParameters = ({ source }: Road): INodeParameters => {
	if (source !== 'textFile') return { documentSource: source === 'items' ? 'wholeItem' : 'file' };
	const others = Object.keys(without(recordOf(0), 'id', 'name', 'text'));
	const field = others.map((name) => ({ name, value: `={{ $json.${name} }}` }));
	return {
		documentSource: 'textFile',
		fileDocumentId: '={{ $json.id }}',
		fileDocumentName: '={{ $json.name }}',
		additionalFields: { field },
	};
};
const chunkParameters = ({ source }: Road): INodeParameters => ({
	output: 'documents',
	modelId: { __rl: true, mode: 'id', value: 'gte-small' },
	textSource: source === 'items' ? 'item' : source,
	fileDocumentId: '={{ $json.id }}',
	fileDocumentName: '={{ $json.name }}',
});
const deleteParameters = ({ source }: Road): INodeParameters => ({
	idSource: source === 'items' ? 'item' : source,
});

const NODES: Array<
	[INodeType, RecordedRequest['route'], (road: Road) => INodeParameters, Road[], Row[]]
> = [
	[new PushDocuments(), 'push', pushParameters, ROADS, PUSH],
	[new DeleteDocument(), 'delete', deleteParameters, DELETE_ROADS, DELETE],
	[new ChunkText(), 'submit', chunkParameters, ROADS, CHUNK],
];

const reasonOf = ({ without = [] }: Row, { name }: Road): string | undefined =>
	without.find(([roads]) => (typeof roads === 'string' ? roads === name : roads.test(name)))?.[1];

describe.each(NODES.map((one) => [one[0].description.displayName, ...one] as const))(
	'%s',
	(_name, node, route, parametersOf, roads, rows) => {
		const run = nodeRunner(node, credentials);
		const groupsOf = ({ groups, source }: Road, { record }: Pick<Row, 'record'>): Value[][] => {
			const total = groups * COUNT;
			return indexes(groups).map((group) =>
				indexes(COUNT).map((at) => {
					const index = group * COUNT + at;
					const value = recordOf(index);
					return record && source !== 'list' ? record(value, index, total) : value;
				}),
			);
		};

		it('has a row for every option, and each row has a road', () => {
			const options = pathsOf(node).flatMap((path) => path.split('options.')[1] ?? []);
			const named = new Set(rows.map(({ option }) => option));
			expect(options.filter((name) => !named.has(name))).toEqual(FOR_ALL_REQUESTS);
			for (const row of rows)
				expect(roads.some((road) => reasonOf(row, road) === undefined)).toBe(true);
		});

		const runOn = async (road: Road, values: Value[][], row: Partial<Row> = {}) => {
			const items = await road.items(values, row.writing ?? {});
			row.prepare?.(sandbox());
			const binaryPropertyName = road.name === 'second file' ? 'data, other' : 'data';
			const common = { binaryPropertyName, options: { concurrency: 1, retryForSeconds: 1 } };
			const parameters = merged(merged(common, parametersOf(road)), row.parameters ?? {});
			return await run(items, parameters, CONTINUE);
		};

		it.each(roads.map((road) => [road.name, road] as const))(
			'%s: options without a meaning change nothing that is sent',
			async (_road, road) => {
				const values = groupsOf(road, {});
				const sent = () =>
					sandbox()
						.requests.filter((one) => one.route === route)
						.map(({ path, body }) => [path, body]);
				const plain = await runOn(road, values);
				const expected = [sent(), plain.error?.message];
				expect(sent()).not.toEqual([]);
				sandbox().reset();
				const options: INodeParameters = {};
				for (const row of rows) {
					if (reasonOf(row, road) === undefined) continue;
					const { [row.option]: value } = (row.parameters.options ??
						{}) as INodeParameters;
					if (value !== undefined) options[row.option] = value;
				}
				const result = await runOn(road, values, { parameters: { options } });
				expect([sent(), result.error?.message]).toEqual(expected);
			},
		);

		it.each(
			rows.flatMap((row) =>
				roads
					.filter((road) => reasonOf(row, road) === undefined)
					.map((road) => [row.option, road.name, row, road] as const),
			),
		)('%s: %s', async (_option, _road, row, road) => {
			const groups = groupsOf(road, row);
			const result = await runOn(road, groups, row);
			const json = jsonOf(result.output);
			const words = JSON.stringify([hintsOf(result), json]);
			const requests = sandbox().requests.filter((one) => one.route === route);
			row.check({ ...result, requests, json, words }, groups, road);
		});
	},
);
