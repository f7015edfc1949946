import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { PushDocuments } from '../../nodes/PushDocuments/PushDocuments.node';
import { pushAction } from '../../nodes/shared/service/outcome-messages';
import { PATHS } from '../../nodes/shared/service/url';
import { DEMO, type RecordedRequest } from '../../sandbox';
import { sandboxCredentials } from '../../support/credentials';
import {
	TO_ERROR_OUTPUT,
	CONTINUE,
	hintsOf,
	indexes,
	jsonOf,
	nodeRunner,
	pairedIndexes,
	useSandbox,
} from '../../support/sandbox';
import { naming, notDone } from '../../support/wording';

const sandbox = useSandbox();
const push = nodeRunner(new PushDocuments(), () => sandboxCredentials(sandbox()));

const bodies = () => sandbox().requests.map(({ body }) => body);
const indexed = () => sandbox().documents(DEMO.endpoint);
const documents = (count: number): IDataObject[] =>
	indexes(count).map((at) => ({ id: `d${at}`, name: `Document ${at}` }));
describe('documents', () => {
	it('are whole items, and a single document is sent as an object', async () => {
		const { output, status } = await push([
			{ id: 'a', name: 'Alpha', tags: ['x', 'y'], size: 3, nested: { deep: true } },
		]);
		expect(status).toBe('success');
		expect(sandbox().requests).toHaveLength(1);
		expect(sandbox().requests[0]).toMatchObject<Partial<RecordedRequest>>({
			method: 'POST',
			path: `/site-search${PATHS.push}/docs`,
			query: {},
			headers: { 'x-api-key': '***', 'content-type': 'application/json' },
			body: { id: 'a', name: 'Alpha', tags: ['x', 'y'], size: 3, nested: { deep: true } },
		});
		expect(output).toEqual([
			{
				json: { id: 'a', pushed: true, request: 1 },
				pairedItem: { item: 0 },
			},
		]);
	});

	it('are built from mapped fields, whose values keep their types', async () => {
		await push(
			[
				{
					key: 'k1',
					title: 'One',
					text: 'About one',
					link: 'https://a.example/1',
					tags: ['t'],
				},
				{ key: 'k2', title: 'Two', tags: [] },
			],
			{
				documentSource: 'fields',
				documentId: '={{ $json.key }}',
				documentName: '={{ $json.title }}',
				documentDescription: '={{ $json.text }}',
				documentUrl: '={{ $json.link }}',
				additionalFields: {
					field: [
						{ name: 'tags', value: '={{ $json.tags }}' },
						{ name: 'index', value: '={{ $itemIndex }}' },
						{ name: 'fixed', value: 'text' },
					],
				},
			},
		);
		expect(bodies()).toEqual([
			[
				{
					id: 'k1',
					name: 'One',
					description: 'About one',
					url: 'https://a.example/1',
					tags: ['t'],
					index: 0,
					fixed: 'text',
				},
				// Recommended fields are not sent if they are empty.
				{ id: 'k2', name: 'Two', tags: [], index: 1, fixed: 'text' },
			],
		]);
	});

	it.each<[string, INodeParameters, string[]]>([
		['none unless it is on', {}, []],
		['all', { includeOtherFields: true }, ['text', 'vector', 'secret']],
		[
			'all but some',
			{ includeOtherFields: true, options: { excludeFields: 'secret' } },
			['text', 'vector'],
		],
	])('include other fields of the item: %s', async (_case, parameters, expected) => {
		const others: Record<string, unknown> = { text: 'T', vector: 'i8:AQI=', secret: 's' };
		await push([{ id: 'old', name: 'Old', url: 'u', ...others } as IDataObject], {
			documentSource: 'fields',
			documentId: 'new',
			documentUrl: 'mapped',
			...parameters,
		});
		const sent = { ...others, vector: [1, 2] };
		const kept = Object.entries(sent).filter(([name]) => expected.includes(name));
		expect(bodies()).toEqual([
			{ id: 'new', name: 'Old', url: 'mapped', ...Object.fromEntries(kept) },
		]);
	});

	it('of whole items have their ID and name in the chosen fields', async () => {
		const items = [
			{ key: { sku: 7 }, title: 'T', text: 'x' },
			{ key: { sku: 'b' }, id: 'other', name: 'Other', title: 'U' },
			{ key: {}, title: 'V' },
		];
		const { output } = await push(items, { idField: 'key.sku', nameField: 'title' }, CONTINUE);
		expect(bodies()).toEqual([
			[
				{ id: '7', name: 'T', key: { sku: 7 }, title: 'T', text: 'x' },
				{ id: 'b', name: 'U', key: { sku: 'b' }, title: 'U' },
			],
		]);
		expect(jsonOf(output)).toMatchObject([
			{ id: '7', pushed: true },
			{ id: 'b', pushed: true },
			{ error: naming("'key.sku'", 'item 2') },
		]);
	});

	it.each<[string, string]>([
		['', "An entry in 'Additional Fields' has no name"],
		['  ', "An entry in 'Additional Fields' has no name"],
		['={{ null }}', "An entry in 'Additional Fields' has no name"],
		['={{ $json.absent }}', "An entry in 'Additional Fields' has no name"],
		['id', "'Additional Fields' must not contain the field 'id'"],
		['name', "'Additional Fields' must not contain the field 'name'"],
	])('need a name of its own for each additional field: %j', async (name, message) => {
		const { error } = await push(documents(1), {
			documentSource: 'fields',
			additionalFields: { field: [{ name, value: 'x' }] },
		});
		expect(error?.message).toBe(message);
		const parameter = { id: 'Document ID', name: 'Document Name' }[name];
		if (parameter) expect(error?.description).toContain(`Use the parameter '${parameter}'`);
		expect(sandbox().requests).toEqual([]);
	});

	it('can be JSON: an object or a list, as data or as text', async () => {
		const [a, b, c, d] = documents(4);
		const result = await push(
			[{ docs: a }, { docs: [b, c] }, { docs: JSON.stringify(d) }, { docs: [] }],
			{ documentSource: 'json', documentJson: '={{ $json.docs }}' },
		);
		expect(bodies()).toEqual([[a, b, c, d]]);
		expect(pairedIndexes(result)).toEqual([0, 1, 1, 2, 3]);
		expect(jsonOf(result.output)).toEqual([
			expect.objectContaining({ id: 'd0', pushed: true }),
			expect.objectContaining({ id: 'd1', pushed: true }),
			expect.objectContaining({ id: 'd2', pushed: true }),
			expect.objectContaining({ id: 'd3', pushed: true }),
			{ pushed: false, reason: 'The list of documents is empty' },
		]);
	});

	it.each([
		['{ "id": ', /^'Documents' is not valid JSON: /],
		['"text"', /JSON object/],
		[undefined, /^'Documents' is empty$/],
		['[{"id":"x","name":"X"},7]', /^Entry 1 /],
	])('that are not valid JSON are refused: %s', async (text, message) => {
		const items = [{ docs: { id: 'a', name: 'A' } }, { docs: text, isBlank: false }];
		const parameters = { documentSource: 'json', documentJson: '={{ $json.docs }}' };
		const { error } = await push(items, parameters);
		expect(error?.message).toMatch(message);
		expect(error?.context).toMatchObject({ itemIndex: 1 });
		expect(sandbox().requests).toEqual([]);
	});
});

describe("the byte order mark that Extract from File leaves in the first column's name", () => {
	const item = { '\uFEFFid': 'a', name: 'A', text: 'T' };

	it.each([
		['of a whole item', {}],
		[
			'of other input fields',
			{ documentSource: 'fields', documentId: 'a', includeOtherFields: true },
		],
	])('is not part of the name: %s', async (_case, parameters) => {
		await push([item, { ...item, id: 'clean' }], parameters);
		const [sent] = bodies() as IDataObject[][];
		expect([sent].flat()[0]).toEqual({ id: 'a', name: 'A', text: 'T' });
	});
});

describe('messages use the names of the ID and name fields in the node', () => {
	const mapped = (documentId: unknown, documentName: unknown) =>
		push([{ documentId, documentName } as IDataObject], {
			documentSource: 'fields',
			documentId: '={{ $json.documentId }}',
			documentName: '={{ $json.documentName }}',
		});

	it.each([
		['', 'A', ["'Document ID'"]],
		[' ', null, ["'Document ID'", "'Document Name'"]],
		[['a'], 'A', ["'Document ID'"]],
		['a', '', ["'Document Name'", "document 'a'"]],
		['a', {}, ["'Document Name'", "document 'a'"]],
	])('with Mapped Fields: %j and %j', async (documentId, documentName, labels) => {
		const { error } = await mapped(documentId, documentName);
		expect(error?.message).toEqual(naming(...labels));
		expect(error?.message).not.toMatch(/'(?:id|name)'/);
		expect(error?.description).not.toMatch(/'(?:id|name)'/);
	});
});

describe('an item without an ID or a name says what to enter', () => {
	const PRODUCT = { sku: 'a', title: 'A', price: 1 };
	const FIELDS = "The fields of the item are: 'sku', 'title', 'price'.";

	it.each<[string, IDataObject, INodeParameters, string, string]>([
		[
			'with the fields as they are',
			PRODUCT,
			{},
			"The field 'id' and the field 'name' are missing or empty",
			`${FIELDS} Enter one of these as 'ID Field' and one as 'Name Field'.`,
		],
		[
			'without the field that was entered',
			PRODUCT,
			{ idField: 'key', nameField: 'label' },
			"The field 'key' with the ID and the field 'label' with the name are missing or empty",
			`${FIELDS} Enter one of these as 'ID Field' and one as 'Name Field'.`,
		],
		[
			'without the name',
			PRODUCT,
			{ idField: 'sku' },
			"The field 'name' of document 'a' is missing or empty",
			`${FIELDS} Enter one of these as 'Name Field'.`,
		],
		[
			'without any field',
			{},
			{},
			"The field 'id' and the field 'name' are missing or empty",
			"The item has no fields. Add a node before this one that returns documents, or choose 'JSON' in 'Documents From'.",
		],
	])('%s', async (_case, item, parameters, message, description) => {
		const { error } = await push([item], parameters);
		expect(error?.message).toBe(message);
		expect(error?.description).toBe(`${description} Nothing was sent.`);
	});

	it.each<[number[], string]>([
		[[17], "1 of 50 items has no 'id' (item 17). Correct it"],
		[[2, 30], "2 of 50 items have no 'id' (items 2, 30). Correct them"],
		[indexes(25), `25 of 50 items have no 'id' (items ${indexes(20).join(', ')} and 5 more)`],
	])('without the ID that other items have: items %j', async (bad, said) => {
		const items = documents(50).map((item, at) => (bad.includes(at) ? { name: 'n' } : item));
		// Blank items are no documents, so they are not counted.
		for (const all of [items, [...items, {}, { id: '', name: ' ' }]]) {
			const { error } = await push(all);
			expect(error?.message).toContain("'id'");
			expect(error?.description).toContain(said);
			expect(error?.description).toContain(
				`or set 'On Error' to 'Continue (using error output)' to push the others. Nothing was sent.`,
			);
		}
	});

	it('without the ID, all of which are counted, beside a blank item', async () => {
		const alone = await push([{ name: 'a' }, { name: 'b' }]);
		const { error } = await push([{ name: 'a' }, {}, { name: 'b' }]);
		expect(error?.description).toBe(alone.error?.description);
	});
});

it('items without an ID and a name are counted among the items without a name', async () => {
	const { error } = await push([{ id: 'a' }, { x: 1 }, { id: 'c', name: 'C' }]);
	expect(error?.description).toContain("2 of 3 items have no 'name' (items 0, 1)");
});

it('a dry run ignores the request limit', async () => {
	const options = { dryRun: true, maxRequestsPerMinute: 1, documentsPerRequest: 1 };
	const { output } = await push(documents(5), { options });
	expect(output).toHaveLength(5);
});

it('the ID is the first column of every item', async () => {
	const items = [...documents(2), { id: 'd0', name: 'again' }, { id: 'x', name: 1 }];
	for (const dryRun of [false, true]) {
		const result = await push(items, { options: { dryRun } }, CONTINUE);
		expect(jsonOf(result.output).map((json) => Object.keys(json)[0])).toEqual(
			Array(4).fill('id'),
		);
	}
});

describe('fields', () => {
	it('are omitted by name', async () => {
		await push([{ id: 'a', name: 'A', vector: [1], notes: 'n', keep: 1 }], {
			options: { excludeFields: ' vector,notes , absent' },
		});
		expect(bodies()).toEqual([{ id: 'a', name: 'A', keep: 1 }]);
	});

	it('are dropped if empty, not if false or 0', async () => {
		const empty = { text: '', nothing: null, list: [], object: {} };
		const full = { no: false, zero: 0, space: ' ', holds: [''] };
		await push([{ id: 'a', name: 'A', ...empty, ...full }], { options: { dropEmpty: true } });
		await push([{ id: 'a', name: 'A', ...empty }]);
		expect(bodies()).toEqual([
			{ id: 'a', name: 'A', ...full },
			{ id: 'a', name: 'A', ...empty },
		]);
	});
});

describe('documents with the same ID', () => {
	const items = [
		{ id: 'a', name: 'first' },
		{ id: 'b', name: 'only' },
		{ id: 'a', name: 'second' },
		{ id: 'a', name: 'last' },
	];

	it('are replaced by the last one in their request', async () => {
		const result = await push(items);
		expect(bodies()).toEqual([[items[3], items[1]]]);
		expect(jsonOf(result.output)).toEqual([
			{ id: 'a', pushed: false, reason: 'A later document has the same ID' },
			expect.objectContaining({ id: 'b', pushed: true }),
			{ id: 'a', pushed: false, reason: 'A later document has the same ID' },
			expect.objectContaining({ id: 'a', pushed: true }),
		]);
		expect(pairedIndexes(result)).toEqual([0, 1, 2, 3]);
		expect(hintsOf(result)).toContain(
			"2 documents have the same ID as an earlier document (the first is 'a'). Documents with the same ID replace each other in the index. If they are different documents, give each one its own ID.",
		);
	});

	it('are not called skipped if their request failed', async () => {
		sandbox().faults.add({ route: 'push', status: 422 });
		const result = await push(items, {}, CONTINUE);
		expect(jsonOf(result.output)).toEqual(
			items.map(({ id }) => expect.objectContaining({ id, httpStatus: 422 })),
		);
		// They are counted when they are read.
		expect(hintsOf(result).join()).toContain('2 documents have the same ID');
	});
});

describe('limits of a request', () => {
	it('are the default of 500 documents', async () => {
		await push(documents(3050));
		const { requests } = sandbox();
		const counts = requests.map(({ body }) => (body as unknown[]).length);
		expect(counts.sort((a, b) => b - a)).toEqual([500, 500, 500, 500, 500, 500, 50]);
		expect(indexed()).toHaveLength(3050);
	});

	it.each<[string, INodeParameters, number[]]>([
		['5 MB', {}, [200, 200]],
		['10 MB, for a compatible service', { bytesPerRequest: 10_000_000 }, [200]],
	])('keep a request under %s', async (_case, options, statuses) => {
		Object.assign(sandbox().settings, { keepBodies: false, pushBodyLimitBytes: 10_000_000 });
		const items = indexes(8).map((at) => ({
			id: `${at}`,
			name: 'N',
			text: '漢'.repeat(400_000),
		}));
		await push(items, { options });
		const { requests } = sandbox();
		expect(requests.map(({ status }) => status)).toEqual(statuses);
		const most = options.bytesPerRequest ?? 5_000_000;
		for (const { bodyBytes } of requests) expect(bodyBytes).toBeLessThanOrEqual(Number(most));
		expect(indexed()).toHaveLength(8);
	});

	it('reject only the document that is too large, and name its size and its item', async () => {
		const text = '漢'.repeat(400);
		const items = [documents(1)[0], { id: 'big', name: 'B', text }, documents(2)[1]];
		const size = Buffer.byteLength(JSON.stringify(items[1]));
		const result = await push(items, { options: { bytesPerRequest: 1000 } }, CONTINUE);
		expect(jsonOf(result.output)).toMatchObject([
			{ id: 'd0', pushed: true },
			{
				id: 'big',
				error: naming(
					size.toLocaleString('en-US'),
					"1,000 that 'Bytes per Request'",
					notDone(pushAction('big')),
				),
				advice: expect.any(String),
			},
			{ id: 'd1', pushed: true },
		]);
		expect(pairedIndexes(result)).toEqual([0, 1, 2]);
		expect(JSON.stringify(bodies())).not.toContain('big');
	});
});

it.each([false, true])('only the document that is not JSON fails, dry run: %s', async (dryRun) => {
	const circle: IDataObject = {};
	circle.self = circle;
	const [first, last] = documents(2);
	const items = [first, { id: 'circle', name: 'C', circle }, last];
	const result = await push(items, { options: { dryRun } }, CONTINUE);
	expect(pairedIndexes(result)).toEqual([0, 1, 2]);
	expect(jsonOf(result.output)).toMatchObject([
		{ id: 'd0', pushed: !dryRun },
		{
			id: 'circle',
			error: expect.stringMatching(
				/^The document cannot be written as JSON \(Converting circular [^\n]*\), so document 'circle' was not pushed$/,
			),
		},
		{ id: 'd1', pushed: !dryRun },
	]);
	expect(indexed()).toHaveLength(dryRun ? 0 : 2);
});

describe('a dry run', () => {
	it.each([
		['={{ "false" }}', '"false"'],
		['={{ $json.missing }}', 'undefined'],
		[1, '1'],
	])('must be on or off: %j is refused before anything is sent', async (dryRun, shown) => {
		const { error } = await push(documents(1), { options: { dryRun } });
		expect(error?.message).toEqual(naming("'Dry Run'", shown));
		expect(sandbox().requests).toEqual([]);
	});

	it('sends nothing and counts what would be sent', async () => {
		const items = documents(5);
		const result = await push(items, { options: { dryRun: true, documentsPerRequest: 2 } });
		expect(sandbox().requests).toEqual([]);
		const bytes = Buffer.byteLength(JSON.stringify(items[0]));
		expect(jsonOf(result.output)).toEqual(
			items.map(({ id }, at) => ({
				id,
				pushed: false,
				dryRun: true,
				request: Math.floor(at / 2) + 1,
				bytes,
			})),
		);
		expect(pairedIndexes(result)).toEqual(indexes(5));
		// A request with two documents also contains two brackets and a comma, which add 3 bytes.
		const all = 5 * bytes + 2 * 3;
		expect(hintsOf(result)).toContain(
			`Dry run: 5 documents in 3 requests, ${all} bytes in total. Nothing was sent.`,
		);
	});

	it('says so if a document is rejected', async () => {
		const { error } = await push([...documents(2), { id: 'big', name: 'x'.repeat(2000) }], {
			options: { dryRun: true, bytesPerRequest: 1000 },
		});
		expect(error?.message).toMatch(
			/^The document has 2,0\d\d bytes, .*, so document 'big' was not pushed$/,
		);
		expect(error?.description).toMatch(/Nothing was sent, because this was a dry run\.$/);
		expect(sandbox().requests).toEqual([]);
	});
});

describe('the output', () => {
	it('is one summary with the figures of the requests', async () => {
		sandbox().faults.add({ route: 'push', status: 503, times: 1 });
		const items = [...documents(5), { id: 'd4', name: 'Ä' }, { id: 'x', name: 3.5 }];
		const result = await push(
			items,
			{ options: { output: 'summary', documentsPerRequest: 2, concurrency: 1 } },
			TO_ERROR_OUTPUT,
		);
		const sent = sandbox().requests.filter(({ status }) => status === 200);
		expect(result.output).toHaveLength(1);
		const [{ json, pairedItem }] = result.output;
		expect(json).toEqual({
			documents: 5,
			failures: 1,
			skipped: 1,
			stats: {
				requests: 3,
				retries: 1,
				splits: 0,
				throttled: 1,
				bytes: sent.reduce((sum, { bodyBytes }) => sum + bodyBytes, 0),
				seconds: expect.any(Number),
				recordsPerSecond: expect.any(Number),
			},
		});
		const { seconds, recordsPerSecond } = json.stats as IDataObject;
		expect(recordsPerSecond).toBeCloseTo(5 / (seconds as number), -1);
		expect(pairedItem).toEqual(indexes(6).map((item) => ({ item })));
		expect(jsonOf(result.errorOutput)).toEqual([
			expect.objectContaining({ id: 'x', name: 3.5 }),
		]);
		expect(result.errorOutput[0].pairedItem).toEqual({ item: 6 });
	});

	it('is one summary that counts skipped documents only if there are any', async () => {
		const { output } = await push(documents(2), { options: { output: 'summary' } });
		expect(Object.keys(output[0].json)).toEqual(['documents', 'failures', 'stats']);
	});

	it("matches the service's answers to their documents", async () => {
		sandbox().settings.pushResponse = 'perDocument';
		await push(documents(1));
		const { output } = await push(documents(3), { options: { documentsPerRequest: 2 } });
		expect(jsonOf(output).map((json) => json.response)).toEqual([
			{ id: 'd0', status: 'updated' },
			{ id: 'd1', status: 'created' },
			{ id: 'd2', status: 'created' },
		]);
	});

	it('shows the one rejected document, in whatever order the service answers', async () => {
		const results = [
			{ id: 'd2', status: 201 },
			{ id: 'd1', status: 422, error: 'name too long' },
			{ id: 'd0', status: 201 },
		];
		const body = JSON.stringify({ took: 3, results });
		sandbox().faults.add({ route: 'push', status: 200, body });
		const result = await push(documents(3), {}, TO_ERROR_OUTPUT);
		expect(jsonOf(result.output)).toEqual([
			expect.objectContaining({
				id: 'd0',
				pushed: true,
				response: { id: 'd0', status: 201 },
			}),
			expect.objectContaining({
				id: 'd2',
				pushed: true,
				response: { id: 'd2', status: 201 },
			}),
		]);
		expect(jsonOf(result.errorOutput)).toMatchObject([
			{
				id: 'd1',
				name: 'Document 1',
				httpStatus: 422,
				error: naming(422, '"name too long"', notDone(pushAction('d1'))),
				advice: expect.any(String),
			},
		]);
		expect(pairedIndexes(result)).toEqual([0, 2, 1]);

		const { error, status } = await push(documents(3));
		expect(status).toBe('error');
		expect(error?.message).toEqual(naming(422, notDone(pushAction('d1'))));
		expect(error).toMatchObject({ name: 'NodeApiError', httpCode: '422' });
		expect(error?.description).toMatch(/ 2 of 3 documents/);
	});

	it.each([
		['count', { received: 2 }],
		['text', 'OK'],
	] as const)('returns a response of unknown shape unchanged: %s', async (pushResponse, body) => {
		sandbox().settings.pushResponse = pushResponse;
		const { output } = await push(documents(2));
		expect(jsonOf(output)).toEqual(
			indexes(2).map((at) => ({
				id: `d${at}`,
				pushed: true,
				request: 1,
				response: body,
			})),
		);
	});
});

describe('a failing item', () => {
	const items = [
		...documents(2),
		{ id: 'bad', name: true },
		{ id: 'd3', name: 'Three', extra: 1 },
	];

	it('is returned as an item with its error, beside all others', async () => {
		const result = await push(items, {}, CONTINUE);
		expect(result.status).toBe('success');
		expect(pairedIndexes(result)).toEqual([0, 1, 2, 3]);
		expect(jsonOf(result.output)[2]).toMatchObject({
			id: 'bad',
			error: naming("'name'", "'bad'", 'item 2'),
			advice: expect.any(String),
		});
		expect(bodies()).toEqual([[items[0], items[1], items[3]]]);
	});

	it('can be one document of a list, and the others are pushed', async () => {
		const docs = [{ id: 'a', name: 'A' }, { id: 'b' }, { id: 'c', name: 'C' }];
		const result = await push(
			[{ docs }],
			{ documentSource: 'json', documentJson: '={{ $json.docs }}' },
			TO_ERROR_OUTPUT,
		);
		expect(jsonOf(result.output).map(({ id }) => id)).toEqual(['a', 'c']);
		expect(jsonOf(result.errorOutput)).toMatchObject([
			{
				docs,
				id: 'b',
				error: naming('Entry 1', "'name'", "'b'", 'item 0'),
				advice: expect.any(String),
			},
		]);
		expect(pairedIndexes(result)).toEqual([0, 0, 0]);
	});
});

describe('a blank row of a spreadsheet', () => {
	const BLANK = { id: '', name: null, text: ' ' };
	const items = [{}, documents(1)[0], BLANK];

	it.each<[string, INodeParameters]>([
		['a whole item', {}],
		['mapped fields', { documentSource: 'fields' }],
		['JSON', { documentSource: 'json' }],
	])('gives no item and a hint, whatever On Error says: %s', async (_case, parameters) => {
		for (const onError of ['stopWorkflow', 'continueErrorOutput'] as const) {
			const result = await push(items, parameters, { onError });
			expect(jsonOf([...result.output, ...result.errorOutput])).toMatchObject([
				{ id: 'd0', pushed: true },
			]);
			expect(hintsOf(result)).toEqual(['2 blank rows skipped']);
		}
	});

	it('fails if all rows are blank, or a parameter gives it an ID', async () => {
		const { error } = await push([{}, BLANK]);
		expect(error?.message).toEqual(naming("'id'", "'name'"));
		const parameters = { documentSource: 'fields', documentId: 'fixed' };
		const fixed = await push(items, parameters);
		expect(fixed.error?.message).toEqual(naming("'Document Name'", "'fixed'"));
	});
});

describe('hints', () => {
	it('say how many documents failed, because the node is shown as successful', async () => {
		const items = [{ id: 'a' }, ...documents(2), { name: 'B' }];
		expect(hintsOf(await push(items, {}, CONTINUE))).toEqual([
			"2 of 4 documents failed. See the field 'error' of the failed items.",
		]);
		sandbox().faults.add({ route: 'push', status: 403 });
		expect(hintsOf(await push(documents(3), {}, CONTINUE))).toEqual([
			"3 of 3 documents failed. See the field 'error' of the failed items.",
			'2 batches were split because they failed as a whole',
		]);
	});

	it.each<[number, unknown[]]>([
		[100, []],
		[1200, [expect.stringMatching(/^1,200 documents pushed in 3 requests, [\d.]+ s$/)]],
	])('say what was done with more than 100 documents: %i', async (count, expected) => {
		expect(hintsOf(await push(documents(count)))).toEqual(expected);
	});
});
