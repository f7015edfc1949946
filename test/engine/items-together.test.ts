/**
 * Tests every parameter of every node with an expression that has a different value for each of two items. Together,
 * the items send and return the same as each item alone with a constant. If the first item's value holds for the whole
 * run, the other value has no effect. A parameter without a row in these tables fails the test.
 */
import type { IDataObject, INodeExecutionData, INodeType } from 'n8n-workflow';

import { ChunkText } from '../../nodes/ChunkText/ChunkText.node';
import { DeleteDocument } from '../../nodes/DeleteDocument/DeleteDocument.node';
import { MigrateBlobs } from '../../nodes/MigrateBlobs/MigrateBlobs.node';
import { PushDocuments } from '../../nodes/PushDocuments/PushDocuments.node';
import type { Sandbox } from '../../sandbox';
import { useFiles } from '../../support/binary-data';
import { useChunkText } from '../../support/chunking';
import {
	isShown,
	merged,
	pathsOf,
	Trial,
	watchReads,
	type Road,
	type Row,
	type Rows,
} from '../../support/item-by-item';
import { jsonOf, nodeRunner } from '../../support/sandbox';

const files = useFiles();
const { sandbox, chunk, credentials } = useChunkText({ unknownDeleteStatus: 404 });
afterEach(() => jest.restoreAllMocks());

const common = (at: number): IDataObject => ({
	id: `a${at}`,
	name: `A${at}`,
	description: `About a${at}`,
	url: `https://example.com/a${at}`,
	text: `One ${at}.\nTwo ${at}.\nThree ${at}.`,
	sku: `s${at}`,
	title: `T${at}`,
	summary: `Summary ${at}`,
	link: `https://example.com/s${at}`,
	body: `Four ${at}.\nFive ${at}.`,
	number: `${at}`,
	other: `1${at}`,
	empty: '',
	ids: [`x${at}`, `y${at}`],
	others: [`z${at}`],
});

const jsonItem = async (at: number): Promise<INodeExecutionData> =>
	await Promise.resolve({ json: common(at) });

const csvOf = (records: IDataObject[]) => {
	const names = Object.keys(records[0] ?? {}).filter(
		(name) => !Array.isArray(records[0]?.[name]),
	);
	const cells = (one: IDataObject) => names.map((name) => `"${String(one[name])}"`).join(',');
	return [names.join(','), ...records.map(cells)].join('\r\n');
};

/** Each item has a file with two records, and another file with one. */
const fileItem = async (at: number): Promise<INodeExecutionData> => {
	const item = await files.item(csvOf([0, 1].map((n) => common(10 * at + n))), 'a.csv');
	const { binary: other } = await files.item(csvOf([common(10 * at + 5)]), 'b.csv');
	return { ...item, binary: { ...item.binary, other: other?.data as never } };
};

const textItem = async (at: number): Promise<INodeExecutionData> => {
	const item = await files.item(`Text\nof ${at}.`, `t${at}.txt`);
	const { binary: other } = await files.item(`Other\nof ${at}.`, `o${at}.txt`);
	return { json: common(at), binary: { ...item.binary, other: other?.data as never } };
};

const ofEach = (one: unknown, other: unknown, more: Partial<Row> = {}): Row => ({
	applies: 'each',
	values: [one, other],
	...more,
});
const ofFirst = (one: unknown, other: unknown, more: Partial<Row> = {}): Row => ({
	applies: 'first',
	values: [one, other],
	...more,
});

const lists = (at: number) => ({
	content: JSON.stringify({ one: [common(at)], two: [common(10 + at)] }),
	name: 'a.json',
});
/** In these two encodings, the same bytes are different Cyrillic letters. */
const CYRILLIC = Buffer.from([0xcf, 0xf0, 0xe8, 0xe2, 0xe5, 0xf2]);

const REQUESTS: Rows = {
	'options.concurrency': ofFirst(1, 0),
	'options.maxRequestsPerMinute': ofFirst(0, -1),
	'options.retryForSeconds': ofFirst(1, -1),
	'options.timeoutSeconds': ofFirst(60, 0),
};

const inQuotes = (at: number) => ({
	content: `id,name,text
"a${at}",A,"b"`,
	name: 'a.csv',
});

const FILES: Rows = {
	binaryPropertyName: ofEach('data', 'other'),
	fileFormat: ofEach('csv', 'jsonLines'),
	listPath: ofEach('one', 'two', { file: lists }),
	'options.skipRecords': ofEach(0, 1),
	'options.maxRecords': ofEach(1, 2),
	'options.delimiter': ofFirst(',', ';'),
	'options.quotes': ofFirst('on', 'none', { file: inQuotes }),
	'options.bytesPerFile': ofFirst(32_000_000, 1),
};

const ENCODING: Row = ofEach('windows-1251', 'koi8-r');
const inRecords = (at: number) => ({
	content: Buffer.concat([
		Buffer.from(`id,name,text
a${at},A,`),
		CYRILLIC,
	]),
	name: 'a.csv',
});
const inText = (at: number) => ({ content: CYRILLIC, name: `a${at}.txt` });

/** In the error output, n8n itself keeps all fields. */
const succeeds = (sandbox: Sandbox) => void (sandbox.settings.unknownDeleteStatus = 200);

const KEPT_FIELDS: Rows = {
	'options.keepSourceFields': ofFirst('listed', 'none', {
		needs: { options: { output: 'perInputItem', sourceFieldsToKeep: 'sku' } },
		prepare: succeeds,
	}),
	'options.sourceFieldsToKeep': ofFirst('title', 'summary', {
		needs: { options: { output: 'perInputItem', keepSourceFields: 'listed' } },
		prepare: succeeds,
	}),
};

const PUSH: Rows = {
	...FILES,
	...REQUESTS,
	idField: ofEach('id', 'sku'),
	nameField: ofEach('name', 'title'),
	descriptionField: ofEach('description', 'summary'),
	urlField: ofEach('url', 'link'),
	documentId: ofEach('x', 'y'),
	documentName: ofEach('x', 'y'),
	documentDescription: ofEach('x', 'y'),
	documentUrl: ofEach('x', 'y'),
	documentText: ofEach('x', 'y'),
	fileDocumentId: ofEach('x', 'y'),
	fileDocumentName: ofEach('x', 'y'),
	includeOtherFields: ofEach(true, false),
	'additionalFields.field.name': ofEach('x', 'y', {
		set: (name) => ({ additionalFields: { field: [{ name, value: 'v' }] } }) as never,
	}),
	'additionalFields.field.value': ofEach('x', 'y', {
		set: (value) => ({ additionalFields: { field: [{ name: 'v', value }] } }) as never,
	}),
	documentJson: ofEach({ id: 'x', name: 'X' }, [{ id: 'y', name: 'Y' }]),
	'options.output': ofFirst('perDocument', 'summary'),
	...KEPT_FIELDS,
	'options.dryRun': ofFirst(false, true),
	'options.excludeFields': ofFirst('title', 'summary'),
	'options.dropEmpty': ofFirst(false, true),
	'options.documentsPerRequest': ofFirst(1, 2),
	'options.bytesPerRequest': ofFirst(5_000_000, 1),
	'options.jsonColumns': ofFirst('number', 'other'),
};

const DELETE: Rows = {
	...FILES,
	...REQUESTS,
	idField: ofEach('id', 'sku'),
	documentId: ofEach('x', 'y'),
	listField: ofEach('ids', 'others'),
	commit: ofFirst('everyDelete', 'serviceDefault'),
	'options.chunkCount': ofEach(1, 2),
	'options.output': ofFirst('perDocument', 'perInputItem'),
	...KEPT_FIELDS,
	'options.ignoreNotFound': ofFirst(true, false),
	'options.dryRun': ofFirst(false, true),
	'options.jsonColumns': ofFirst('number', 'id', { needs: { idField: 'number' } }),
};

const setting = (chunker: string, one: unknown, other: unknown) =>
	ofEach(one, other, { needs: { chunker } });
const isUnfinished = { prepare: () => void (sandbox().settings.chunkDelayMs = 60_000) };

const CHUNK: Rows = {
	...FILES,
	...REQUESTS,
	text: ofEach('one', 'two'),
	textField: ofEach('text', 'body'),
	idField: ofEach('id', 'sku'),
	nameField: ofEach('name', 'title'),
	documentId: ofEach('x', 'y'),
	documentName: ofEach('x', 'y'),
	fileDocumentId: ofEach('x', 'y'),
	fileDocumentName: ofEach('x', 'y'),
	chunkingId: ofEach(0, 1, { expression: (at) => `={{ $json.jobs[${at}] }}` }),
	textPosition: ofEach(0, 1),
	wait: ofFirst(false, true, {
		...isUnfinished,
		needs: { options: { maxWaitSeconds: 1 } },
	}),
	modelId: ofEach('gte-small', 'e5-small-v2', {
		set: (value) => ({ modelId: { __rl: true, mode: 'id', value } }) as never,
	}),
	regex: ofEach('One', '\\n', { needs: { chunker: 'regex-splitter' } }),
	'chunkerSettings.approximate': setting('semantic', true, false),
	'chunkerSettings.chunkSize': setting('sentence', 1, 2),
	'chunkerSettings.cosineThreshold': setting('semantic', 0.1, 0.9),
	'chunkerSettings.maxChunkSize': setting('dynamic-newline', 1, 8),
	'chunkerSettings.overlapSize': setting('semantic', 0, 1),
	chunkerName: setting('custom', 'dynamic-newline', 'sentence'),
	chunkerConfig: ofEach('{"maxChunkSize":1}', '{"maxChunkSize":8}', {
		needs: { chunker: 'custom', chunkerName: 'dynamic-newline' },
	}),
	'options.keepSourceFields': ofFirst('all', 'none'),
	'options.sourceFieldsToKeep': ofFirst('title', 'summary', {
		needs: { options: { keepSourceFields: 'listed' } },
	}),
	'options.vectors': ofFirst('list', 'none'),
	'options.chunkDetails': ofFirst(false, true),
	'options.documentDescription': ofEach('x', 'y'),
	'options.documentFields': ofEach({ a: 1 }, { a: 2 }),
	'options.documentUrl': ofEach('x', 'y'),
	'options.descriptionField': ofEach('description', 'summary'),
	'options.urlField': ofEach('url', 'link'),
	'options.previousChunkCount': ofEach(5, 6),
	'options.dataType': ofEach('passage', 'query'),
	'options.dimReductionSize': ofEach(1, 2),
	'options.vectorQuantizationMethod': ofEach('max-scale', 'min-max'),
	'options.additionalBodyFields': ofEach({ a: 1 }, { a: 2 }),
	'options.textsPerRequest': ofFirst(1, 2),
	'options.bytesPerRequest': ofFirst(1_000_000, 1),
	'options.maxWaitSeconds': ofFirst(300, 0),
	'options.whenTimeRunsOut': ofFirst('fail', 'output', {
		...isUnfinished,
		needs: { options: { maxWaitSeconds: 1 } },
	}),
	'options.resultsPath': ofFirst('/ai/async-chunking/{chunkingId}', '/ai'),
	'options.jsonColumns': ofFirst('number', 'other', {
		needs: { options: { keepSourceFields: 'all' } },
	}),
};

const MIGRATE: Rows = {
	confirm: ofFirst(true, false),
	'options.timeoutSeconds': ofFirst(3600, 0),
};

const ONE_A_REQUEST = { options: { documentsPerRequest: 1, concurrency: 1, retryForSeconds: 1 } };
const pushRoads: Road[] = (
	[
		['wholeItem', jsonItem],
		['fields', jsonItem],
		['json', jsonItem],
		['file', fileItem],
		['textFile', textItem],
	] as const
).map(([documentSource, item]) => ({
	name: documentSource,
	parameters: { documentSource, ...ONE_A_REQUEST },
	item,
}));

const deleteRoads: Road[] = (
	[
		['item', jsonItem],
		['list', jsonItem],
		['file', fileItem],
	] as const
).map(([idSource, item]) => ({
	name: idSource,
	parameters: { idSource, options: { concurrency: 1, retryForSeconds: 1 } },
	item,
}));

const CHUNKING = {
	modelId: { __rl: true, mode: 'id', value: 'gte-small' },
	chunker: 'dynamic-newline',
	chunkerSettings: {},
	options: { textsPerRequest: 1, concurrency: 1, vectors: 'list', retryForSeconds: 1 },
};
const jobItem = async (at: number): Promise<INodeExecutionData> => {
	const texts = [0, 1, 2, 3].map((n) => ({ text: `Text ${at}.${n}` }));
	const submitted = await chunk(texts, {
		operation: 'submit',
		options: { textsPerRequest: 2 },
	});
	const jobs = new Set(jsonOf(submitted.output).map(({ chunkingId }) => String(chunkingId)));
	return { json: { ...common(at), jobs: [...jobs], textsInRequest: 2 } };
};
const chunkRoads: Road[] = (
	[
		['submitAndWait', 'item', 'documents', jsonItem],
		['submitAndWait', 'file', 'documents', fileItem],
		['submitAndWait', 'textFile', 'documents', textItem],
	] as const
).map(
	([operation, textSource, output, item]): Road => ({
		name: [operation, textSource, output].join(' '),
		parameters: { operation, textSource, output, ...CHUNKING },
		item,
	}),
);
chunkRoads.push({
	name: 'getResults',
	parameters: {
		operation: 'getResults',
		output: 'documents',
		chunkingId: '={{ $json.jobs[0] }}',
		textPosition: '0',
		options: { concurrency: 1, vectors: 'list', retryForSeconds: 1 },
	},
	item: jobItem,
});

const NODES: Array<[INodeType, Rows, Road[]]> = [
	[new PushDocuments(), PUSH, pushRoads],
	[new DeleteDocument(), DELETE, deleteRoads],
	[new ChunkText(), CHUNK, chunkRoads],
	[new MigrateBlobs(), MIGRATE, [{ name: '', parameters: { confirm: true }, item: jsonItem }]],
];

/** Returns the row of a parameter for a road. Only the bytes of the encoding depend on the road. */
const rowOf = (rows: Rows, path: string, { name }: Road): Row | undefined => {
	if (path !== 'options.encoding') return rows[path];
	return { ...ENCODING, file: name.includes('textFile') ? inText : inRecords };
};

describe.each(
	NODES.map(([node, ...others]) => [node.description.displayName, node, ...others] as const),
)('%s', (_name, node, rows, roads) => {
	const run = nodeRunner(node, credentials);
	const cells = roads.flatMap((road) =>
		pathsOf(node).flatMap((path) => {
			const row = rowOf(rows, path, road);
			const parameters = merged(road.parameters, row?.needs ?? {});
			return row && isShown(node, path, parameters) ? [{ road, path, row }] : [];
		}),
	);
	const ofAll = cells.filter(({ row }) => row.applies === 'each');
	// All roads read these parameters in one place.
	const ofRun = cells.filter(
		({ path, row }, at) =>
			row.applies === 'first' && cells.findIndex((one) => one.path === path) === at,
	);
	const labeled = (some: typeof cells) =>
		some.map((cell) => [`${cell.path} ${cell.road.name}`, cell] as const);

	it('has a row for every parameter, and the code treats the same parameters as constant', async () => {
		expect(new Set(cells.map(({ path }) => path))).toEqual(new Set(pathsOf(node)));
		const reads = watchReads();
		for (const { name, parameters, item } of roads) {
			const items = [await item(0)];
			await run(items, parameters);
			expect([name, sandbox().requests.length]).not.toEqual([name, 0]);
		}
		const each = new Set(ofAll.map(({ path }) => path));
		const options = [...each].filter((path) => path.startsWith('options.'));
		expect([...reads.perItem].sort()).toEqual(options.sort());
		for (const path of reads.constant)
			expect([...each].filter((one) => one.startsWith(path))).not.toEqual([]);
	});

	if (ofAll.length > 0)
		it.each(labeled(ofAll))('%s: each item has its own value', async (_label, cell) => {
			const trial = new Trial(run, sandbox(), files, cell.road, cell.path, cell.row);
			const [one, other] = cell.row.values;
			const items = await trial.items([one, other]);
			const together = await trial.withExpression(items);
			const first = await trial.withConstant(items.slice(0, 1), one);
			const second = await trial.withConstant(items.slice(1), other);
			expect(together).toEqual({
				sent: [...first.sent, ...second.sent].sort(),
				results: [...first.results, ...second.results],
				error: undefined,
			});
			expect(await trial.withConstant(items.slice(1), one)).not.toEqual(second);
		});

	const ofRequests = ofAll.filter(({ road }) => road.name.startsWith('submitAndWait item'));
	if (ofRequests.length > 0)
		it.each(labeled(ofRequests))(
			'%s: texts with different values do not share what is sent',
			async (_label, { road, path, row }) => {
				const shared = merged(row.needs ?? {}, { options: { textsPerRequest: 10 } });
				const together = { ...row, needs: shared };
				const trial = new Trial(run, sandbox(), files, road, path, together);
				const items = await trial.items(row.values);
				const sent = await trial.sentForEachText(items);
				const first = await trial.sentForEachText(items.slice(0, 1));
				const second = await trial.sentForEachText(items.slice(1));
				expect(sent).toEqual([...first, ...second].sort());
			},
		);

	const ofTexts = ofAll.filter(
		({ row: { values, expression } }) => typeof values[1] === 'string' && !expression,
	);
	if (ofTexts.length > 0)
		it.each(labeled(ofTexts))('%s: an empty value is of its item', async (_label, cell) => {
			const trial = new Trial(run, sandbox(), files, cell.road, cell.path, cell.row);
			const items = await trial.items(['', cell.row.values[1]]);
			const together = await trial.withExpression(items);
			// n8n itself refuses a required parameter that is empty without an expression.
			const first = await trial.withExpression(items.slice(0, 1));
			const second = await trial.withExpression(items.slice(1));
			expect(together).toEqual({
				sent: [...first.sent, ...second.sent].sort(),
				results: [...first.results, ...second.results],
				error: undefined,
			});
		});

	it.each(labeled(ofRun))(
		"%s: the first item's value holds for the run",
		async (_label, cell) => {
			const trial = new Trial(run, sandbox(), files, cell.road, cell.path, cell.row);
			const [one, other] = cell.row.values;
			for (const values of [
				[one, other],
				[other, one],
			]) {
				const items = await trial.items(values);
				const constant = await trial.withConstant(items, values[0]);
				expect(await trial.withExpression(items)).toEqual(constant);
				expect(await trial.withConstant(items, values[1])).not.toEqual(constant);
			}
		},
	);
});
