import { constants, gunzipSync, gzipSync } from 'node:zlib';

import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { PushDocuments } from '../../nodes/PushDocuments/PushDocuments.node';
import { pushAction } from '../../nodes/shared/service/outcome-messages';
import { DEMO } from '../../sandbox';
import { useFiles } from '../../support/binary-data';
import type { RunOptions, RunResult } from '../../support/engine';
import {
	TO_ERROR_OUTPUT,
	CONTINUE,
	HANGS,
	hintsOf,
	indexes,
	stopped,
	useNodes,
} from '../../support/sandbox';
import { naming, notDone } from '../../support/wording';

const { sandbox, runnerOf } = useNodes();
const files = useFiles();

const push = runnerOf(new PushDocuments(), { documentSource: 'file' });
const indexed = () => sandbox().documents(DEMO.endpoint);
const documents = (count: number): IDataObject[] =>
	indexes(count).map((at) => ({ id: `d${at}`, name: `Document ${at}`, n: at }));
const lines = (records: unknown[]): string =>
	records.map((record) => `${JSON.stringify(record)}\n`).join('');
const summary = ({ output }: RunResult): IDataObject => output[0].json;

describe('formats', () => {
	const three = documents(3);
	it.each<[string, string | Buffer, string, INodeParameters]>([
		['JSON Lines', lines(three), 'd.jsonl', {}],
		['JSON Lines called .json', lines(three), 'd.json', {}],
		['a JSON list', JSON.stringify(three, undefined, 2), 'd.json', {}],
		['a list within JSON', JSON.stringify({ a: { b: three } }), 'd.json', { listPath: 'a.b' }],
		['gzip', gzipSync(lines(three)), 'd.jsonl.gz', {}],
		['a format that was chosen', lines(three), 'd.csv', { fileFormat: 'jsonLines' }],
	])('reads %s', async (_what, content, fileName, parameters) => {
		const result = await push([await files.item(content, fileName)], parameters);
		expect(result.error).toBeUndefined();
		expect(indexed()).toEqual(three);
		expect(summary(result)).toMatchObject({ file: fileName, records: 3, pushed: 3, failed: 0 });
	});
});

it.each([
	['without', '$&'],
	['with', '$&\r\n'],
])('reads a file that an item has itself, %s line breaks in its Base64', async (_what, line) => {
	const many = documents(10_000);
	const data = Buffer.from(lines(many)).toString('base64').replace(/.{76}/g, line);
	expect(data.length).toBeGreaterThan(2 * 256 * 1024);
	const binary = { data: { data, mimeType: 'text/plain', fileName: 'd.jsonl' } };
	const result = await push([{ json: {}, binary }], { options: { documentsPerRequest: 5000 } });
	expect(result.error).toBeUndefined();
	expect(summary(result)).toMatchObject({ records: many.length, pushed: many.length, failed: 0 });
	expect(indexed()).toEqual(many);
});

it.each([0, 1])('CSV needs its columns, with %i records to skip', async (skipRecords) => {
	const item = await files.item('key,name\na,A\nb,B\n', 'd.csv');
	const { error } = await push([item], { options: { skipRecords } });
	expect(error?.message).toEqual(naming("'d.csv'", "'id'"));
	expect(error?.description).toMatch(
		/^Its columns are: 'key', 'name'\. Enter one of these as 'ID Field'\./,
	);
	expect(error?.description).not.toMatch(/CSV Delimiter|Fetch the file/);
	expect(sandbox().requests).toEqual([]);
});

it.each([';;', '"', '\n', '\r', '\\n'])("no file has the 'CSV Delimiter' %j", async (delimiter) => {
	const item = await files.item('id;;name\na;;A\n', 'd.csv');
	const { error } = await push([item], { options: { delimiter } });
	expect(error?.message).toEqual(naming("'CSV Delimiter'", JSON.stringify(delimiter)));
	expect(sandbox().requests).toEqual([]);
});

it.each([0, 1])('one object of objects is one record (%i skipped)', async (skipRecords) => {
	const item = await files.item('{"doc":{"id":"a","name":"A"},"more":{"x":1}}', 'd.json');
	const fields = { idField: 'doc.id', nameField: 'doc.name' };
	const result = await push([item], { ...fields, options: { skipRecords } });
	expect(result.error).toBeUndefined();
	expect(summary(result)).toMatchObject({ pushed: 1 - skipRecords, failed: 0 });
	expect(indexed().map(({ id }) => id)).toEqual(skipRecords === 0 ? ['a'] : []);
});

it('finds fields by dotted paths and applies the options', async () => {
	const record = {
		id: 'other',
		key: { sku: 7 },
		title: 'T',
		more: { sum: 'S', link: 'U' },
		no: '',
	};
	await push([await files.item(lines([record]))], {
		idField: 'key.sku',
		nameField: 'title',
		descriptionField: 'more.sum',
		urlField: 'more.link',
		options: { excludeFields: 'more, key', dropEmpty: true },
	});
	expect(indexed()).toEqual([{ id: '7', name: 'T', description: 'S', url: 'U', title: 'T' }]);
});

it('sends a record as it is in the file, with numbers of any length, but vectors as lists', async () => {
	await push([
		await files.item(
			'{"id": "a", "name": "A", "n": 12345678901234567890}\n{"id":"b","name":"B","vector":"i8:AQI="}\n',
		),
	]);
	expect(sandbox().requests[0].bodyBytes).toBe(
		'[{"id": "a", "name": "A", "n": 12345678901234567890},{"id":"b","name":"B","vector":[1,2]}]'
			.length,
	);
	expect(indexed()[1]).toEqual({ id: 'b', name: 'B', vector: [1, 2] });
});

describe('the summary', () => {
	it('says what was done', async () => {
		const { output, hints } = await push([await files.item(lines(documents(5)))], {
			options: { documentsPerRequest: 2 },
		});
		expect(output).toEqual([
			{
				json: {
					file: 'documents.jsonl',
					records: 5,
					pushed: 5,
					failed: 0,
					skipped: 0,
					atEnd: true,
					stats: {
						requests: 3,
						retries: 0,
						splits: 0,
						throttled: 0,
						bytes: sandbox().requests.reduce(
							(sum, { bodyBytes }) => sum + bodyBytes,
							0,
						),
						seconds: expect.any(Number),
						recordsPerSecond: expect.any(Number),
					},
				},
				pairedItem: { item: 0 },
			},
		]);
		expect(hints).toEqual([]);
	});

	it('counts a dry run without sending anything', async () => {
		const result = await push([await files.item(lines(documents(5)))], {
			options: { documentsPerRequest: 2, dryRun: true },
		});
		expect(summary(result)).toMatchObject({
			records: 5,
			checked: 5,
			stats: { requests: 3 },
			dryRun: true,
		});
		expect(summary(result)).not.toHaveProperty('pushed');
		expect(sandbox().requests).toEqual([]);
		expect(hintsOf(result)).toEqual([
			expect.stringMatching(
				/^Dry run: 5 documents in 3 requests, \d+ bytes in total\. Nothing was sent\.$/,
			),
		]);
	});

	it('never claims that a dry run has pushed anything, nor where to continue', async () => {
		const item = await files.item(`${lines(documents(5))}oops\n`);
		const { error } = await push([item], { options: { documentsPerRequest: 2, dryRun: true } });
		expect(error?.description).toMatch(
			/\d records? of the file 'documents.jsonl' had been checked and 1 .* dry run\.$/,
		);
	});

	it('covers each file separately', async () => {
		const items = [
			await files.item(lines(documents(3)), 'a.jsonl'),
			await files.item(`${lines(documents(2))}oops\n`, 'b.jsonl'),
			await files.item('[]', 'c.json'),
		];
		const { output } = await push(items, {}, CONTINUE);
		expect(
			output.map(({ json, pairedItem }) => [
				json.file,
				json.records,
				(json.stats as IDataObject).requests,
				json.failed,
				pairedItem,
			]),
		).toEqual([
			['a.jsonl', 3, 1, 0, { item: 0 }],
			['b.jsonl', 3, 1, 1, { item: 1 }],
			['c.json', 0, 0, 0, { item: 2 }],
		]);
	});

	it('lists 100 failures and counts all', async () => {
		const bad = indexes(150).map((at) => ({ id: at % 2 === 0 ? at : `d${at}` }));
		const result = await push([await files.item(lines(bad))], {}, CONTINUE);
		const { failures, failureCounts, failed, error } = summary(result);
		expect(error).toBeUndefined();
		expect(failed).toBe(150);
		expect(failures).toHaveLength(100);
		expect((failures as IDataObject[])[99]).toMatchObject({
			record: 100,
			line: 100,
			id: 'd99',
			error: naming("'name'", "'d99'"),
			advice: expect.stringMatching(/^Every document needs an ID and a name/),
		});
		expect(failureCounts).toMatchObject([{ error: naming("'name'"), records: 150 }]);
	});
});

describe('documents with the same ID', () => {
	it('are sent in their order, so that the last one wins', async () => {
		sandbox().faults.add({ route: 'push', latencyMs: 30, times: 1 });
		const versions = indexes(40).map((at) => ({ id: `d${at % 3}`, name: 'N', version: at }));
		const result = await push([await files.item(lines(versions), 'd.jsonl')], {
			options: { documentsPerRequest: 2, concurrency: 8 },
		});
		const warning =
			"37 documents of 'd.jsonl' have the same ID as an earlier document (the first on line 4: 'd0')";
		expect(hintsOf(result).join()).toContain(warning);
		expect(summary(result).warnings).toEqual([warning]);
		expect(
			indexed()
				.map(({ version }) => version)
				.sort(),
		).toEqual([37, 38, 39]);
	});

	it('are reported by the first one in the file, in whatever order documents are sent', async () => {
		const ids = ['a', 'b', 'b', 'a'];
		const text = lines(ids.map((id) => ({ id, name: 'N' })));
		const result = await push([await files.item(text)]);
		expect(summary(result).warnings).toEqual([naming('2 documents', "line 3: 'b'")]);
	});

	it('of items are counted in a hint', async () => {
		const json = { id: 'd', name: 'N' };
		const result = await runnerOf(new PushDocuments())([{ json }, { json }], {
			documentSource: 'wholeItem',
			options: { documentsPerRequest: 1 },
		});
		expect(hintsOf(result).join()).toContain(
			"1 document has the same ID as an earlier document ('d'). Documents with the same ID replace each other",
		);
	});

	it('are sent once if they are in one request: the last one counts, with a hint', async () => {
		const twice = indexes(2000).map((at) => ({ id: `d${at >> 1}`, name: 'N', version: at }));
		const result = await push([await files.item(lines(twice))]);
		expect(sandbox().requests).toHaveLength(2);
		expect(indexed().every(({ version }) => Number(version) % 2 === 1)).toBe(true);
		expect(summary(result)).toMatchObject({ records: 2000, pushed: 1000, skipped: 1000 });
		expect(summary(result).warnings).toEqual([
			"1,000 documents of 'documents.jsonl' have the same ID as an earlier document (the first on line 2: 'd0')",
		]);
		expect(hintsOf(result)).toEqual([
			naming('1,000 documents pushed'),
			naming('1,000 documents', 'line 2'),
		]);
	});
});

describe('failed records', () => {
	const PIECES = [
		{ id: 'a', name: 'A' },
		'oops',
		{ id: 'b' },
		{ id: 'c', name: 'poison' },
		{ id: 'd', name: 'D' },
		[1],
		{ id: 'e', name: 'x'.repeat(3000) },
	];
	const file = PIECES.map((piece) => (piece === 'oops' ? '{"id"' : JSON.stringify(piece))).join(
		'\n',
	);
	const run = async (settings: Partial<RunOptions>) => {
		sandbox().faults.add({ route: 'push', status: 422, whenBodyContains: 'poison' });
		return await push(
			[await files.item(file)],
			{ options: { bytesPerRequest: 2000, bytesPerFile: 3000 } },
			settings,
		);
	};

	it('stop a run with advice on how to continue without them', async () => {
		const item = await files.item(lines([{ id: 'a' }]), 'a.jsonl');
		const { error } = await push([item]);
		expect(error?.description).toContain("'On Error' to 'Continue'");
	});

	it('of several files share a hint, which names the first ones', async () => {
		const named = async (at: number) => await files.item(lines([{ id: 'a' }]), `${at}.jsonl`);
		const result = await push(await Promise.all(indexes(5).map(named)), {}, CONTINUE);
		expect(hintsOf(result)).toEqual([
			expect.stringMatching(
				/^1 record of '0\.jsonl' failed; 1 record of '1\.jsonl' failed; 1 record of '2\.jsonl' failed and 2 more\. See 'failures' on the JSON tab for the reasons\./,
			),
		]);
	});

	it('are returned with their reasons', async () => {
		const result = await run(CONTINUE);
		expect(summary(result)).toMatchObject({ records: 7, pushed: 2, failed: 5, skipped: 0 });
		const failures = summary(result).failures as IDataObject[];
		const byRecord = [...failures].sort(
			(one, other) => Number(one.record) - Number(other.record),
		);
		expect(byRecord).toMatchObject([
			{ record: 2, line: 2, error: naming('Line 2') },
			{
				record: 3,
				line: 3,
				id: 'b',
				error: naming("'name'", "'b'"),
				advice: expect.any(String),
			},
			{
				record: 4,
				line: 4,
				id: 'c',
				error: naming(notDone(pushAction('c'))),
				advice: expect.any(String),
				httpStatus: 422,
			},
			{
				record: 6,
				line: 6,
				error: naming('JSON object'),
				advice: expect.any(String),
			},
			{
				record: 7,
				line: 7,
				id: 'e',
				error: naming('2,000', "'Bytes per Request'"),
				advice: expect.any(String),
			},
		]);
		expect(hintsOf(result)).toContainEqual(
			naming('5 records', "'documents.jsonl'", "'failures'"),
		);
	});

	it.each([
		['d.json', '', '[{"id":"a"},{"id":"b"}]', '[\n{"id":"a"},\n{"id":"b"}\n]\n'],
		['d.json', 'x.y', '{"x":{"y":[{"id":"a"}]}}', '{"x":{"y":[\n{"id":"a"}\n]}}\n'],
		['d.csv', '', 'id,name\na,\nb,\n', 'id,name\na,\nb,\n'],
	])('are returned in the format of their file: %s %s', async (name, listPath, text, failed) => {
		const { output } = await push([await files.item(text, name)], { listPath }, CONTINUE);
		expect(await files.text(output[0].binary?.failed)).toBe(failed);
	});

	it('are counted in a hint when a 401 ends the run right after them', async () => {
		sandbox().faults.add({ route: 'push', status: 401 });
		const item = await files.item(lines([{ id: 'a' }, { id: 'b', name: 'B' }]), 'd.jsonl');
		expect(hintsOf(await push([item], {}, CONTINUE))).toEqual([
			naming("2 records of 'd.jsonl' failed"),
			naming("'d.jsonl'", "'error'"),
		]);
	});

	it('are returned after a run ended early, and the error and a hint say so', async () => {
		sandbox().faults.add({ route: 'push', status: 302 });
		const result = await push([await files.item(lines(documents(3000)))], {}, CONTINUE);
		const { records, error, atEnd } = summary(result);
		expect(atEnd).toBe(false);
		expect(error).toEqual(
			naming('Any records after record', Number(records).toLocaleString('en-US')),
		);
		expect(hintsOf(result)).toEqual([naming("'documents.jsonl'", "'error'")]);
	});

	it('are returned as files, with a separate file for records that cannot be parsed', async () => {
		const result = await run(CONTINUE);
		const { binary = {} } = result.output[0];
		const listed = summary(result).deadLetters as IDataObject[];
		expect(Object.keys(binary).sort()).toEqual(listed.map(({ field }) => field));
		const texts = await Promise.all(
			listed.map(async ({ field, fileName, bytes }) => {
				const part = binary[field as string];
				expect(part.fileName).toBe(fileName);
				const text = await files.text(part);
				expect(Buffer.byteLength(text)).toBe(bytes);
				return text;
			}),
		);
		const line = (at: number) => `${JSON.stringify(PIECES[at])}\n`;
		expect(texts.slice(0, -1).join('').split('\n').sort()).toEqual(
			[line(2), line(3), line(5), line(6)].join('').split('\n').sort(),
		);
		expect(listed.length).toBeGreaterThan(2);
		expect(texts.at(-1)).toBe('{"id"\n');
		expect(listed.at(-1)).toMatchObject({
			field: 'unreadable',
			fileName: 'documents.unreadable.jsonl',
			records: 1,
			unreadable: true,
		});
	});

	it('can be pushed again as they are', async () => {
		sandbox().faults.add({ route: 'push', status: 422, whenBodyContains: 'poison' });
		const csv = 'id;name;text\n"a;1";good;x\nb;poison;"two\nlines, ""quoted"""\nc;poison;\n';
		const list = JSON.stringify(
			[{ id: 'l', name: 'poison', deep: [1, { a: 'b\nc' }] }],
			undefined,
			2,
		);
		for (const [content, name] of [
			[csv, 'd.csv'],
			[list, 'd.json'],
		]) {
			const { output } = await push([await files.item(content, name)], {}, CONTINUE);
			sandbox().faults.clear();
			const again = await push([{ json: {}, binary: output[0].binary }], {
				binaryPropertyName: 'failed',
			});
			expect(summary(again)).toMatchObject({ failed: 0, pushed: output[0].json.failed });
			sandbox().faults.add({ route: 'push', status: 422, whenBodyContains: 'poison' });
		}
		expect(indexed()).toEqual([
			{ id: 'a;1', name: 'good', text: 'x' },
			{ id: 'b', name: 'poison', text: 'two\nlines, "quoted"' },
			{ id: 'c', name: 'poison', text: '' },
			{ id: 'l', name: 'poison', deep: [1, { a: 'b\nc' }] },
		]);
	});

	it('send the item to the error output with its files, and n8n does not retry it', async () => {
		const { output, errorOutput } = await run({
			onError: 'continueErrorOutput',
			retryOnFail: true,
			maxTries: 2,
			waitBetweenTries: 0,
		});
		expect(output).toEqual([]);
		expect(errorOutput).toHaveLength(1);
		const [{ json, binary = {} }] = errorOutput;
		expect(json).toMatchObject({ records: 7, failed: 5 });
		expect(json).not.toHaveProperty('error');
		expect(Object.keys(binary)).toContain('failed');
		const accepted = sandbox().requests.filter(({ status }) => status === 200);
		expect(accepted).toHaveLength(
			new Set(accepted.map(({ body }) => JSON.stringify(body))).size,
		);
	});

	it('leave a file without failures on the main output', async () => {
		const items = [await files.item(lines(documents(1))), await files.item('oops\n')];
		const { output, errorOutput } = await push(
			items,
			{ fileFormat: 'jsonLines' },
			TO_ERROR_OUTPUT,
		);
		expect(output.map(({ json }) => json.pushed)).toEqual([1]);
		expect(errorOutput.map(({ json }) => json.failed)).toEqual([1]);
	});
});

describe('bad input', () => {
	const good = lines(documents(2));
	const truncated = gzipSync(lines(documents(5000))).subarray(0, -2000);
	const text = gunzipSync(truncated, { finishFlush: constants.Z_SYNC_FLUSH }).toString();
	const whole = text.split('\n').length - 1;
	/** Columns: case, file, file name, the record's error, and the number of records before it. */
	it.each<[string, string | Buffer, string, RegExp, number]>([
		[
			'invalid JSON',
			`${good}{"id":\n${lines(documents(4).slice(2))}`,
			'd.jsonl',
			/^Line 3 is not valid JSON/,
			4,
		],
		['a truncated gzip file', truncated, 'd.jsonl.gz', /truncated/, whole],
		[
			'a byte that is not UTF-8',
			Buffer.concat([Buffer.from('id,name\na,ä\nb,B\nc,'), Buffer.from([0xe4, 0x0a])]),
			'd.csv',
			/3.*4.*0xe4/,
			2,
		],
	])('%s fails alone or ends the file', async (_what, content, name, message, others) => {
		const result = await push([await files.item(content, name)], {}, CONTINUE);
		const json = summary(result);
		const pushed = Number(json.pushed);
		expect((json.failures as IDataObject[]).map(({ error }) => error)).toEqual([
			expect.stringMatching(message),
		]);
		// If a gzip file is cut, Node.js drops what it has decompressed but not delivered yet.
		if (content === truncated) {
			expect(pushed).toBeGreaterThan(0);
			expect(pushed).toBeLessThanOrEqual(others);
			expect(json.readError).toEqual(expect.stringMatching(message));
		} else expect(pushed).toBe(others);
		expect(json.failed).toBe(1);
		expect(pushed + 1).toBe(json.records);
		expect(indexed()).toHaveLength(pushed);
		expect(JSON.stringify(indexed())).not.toContain('\ufffd');
	});

	it.each([
		['d.txt', 'text/plain'],
		['D.MD.gz', 'application/octet-stream'],
		['d', 'text/plain; charset=utf-8'],
	])('plain text has no records, and can be one document: %s, %s', async (name, mimeType) => {
		const { error } = await push([await files.item('Pears.\n\nPlums.\n', name, mimeType)]);
		expect(error?.message).toEqual(naming(`'${name}'`, 'plain text'));
		expect(error?.description).toEqual(naming("'File Format'", "'Text File'"));
		expect(sandbox().requests).toEqual([]);
	});

	it.each<[string, string | Buffer, string, RegExp]>([
		['an empty file', '', 'd.jsonl', /'d.jsonl' is empty/],
		[
			'an unknown format',
			'what?\n',
			'd.bin',
			/^The format of the file 'd.bin' .* cannot be detected/,
		],
		[
			'an object with lists',
			'{"meta":{},"docs":[{"id":"a","name":"A"}],"tags":[]}',
			'd.json',
			/^The file 'd.json' is one object without 'id' and 'name', but with a list in 'docs', 'tags'$/,
		],
		[
			'an export with a list further down',
			'{"responseHeader":{"status":0},"response":{"numFound":1,"docs":[{"id":"a"}]}}',
			'd.json',
			/^The file 'd.json' is one object without 'id' and 'name', but with a list in 'response.docs'$/,
		],
		[
			'a CSV file with two IDs',
			'id,x,name,x,id\na\n',
			'd.csv',
			/has several columns named 'id'$/,
		],
		['an HTML page', '\n<!DOCTYPE html>\n<html>', 'd.csv', /'d.csv' is an HTML page, such as/],
		['a header without the ID', 'key,name\n', 'd.csv', /has no column 'id'$/],
	])('%s is refused', async (_what, content, name, message) => {
		const { error } = await push([await files.item(content, name)]);
		expect(error?.message).toMatch(message);
		expect(error?.description).toMatch(/^(Check|Choose|If|Its|Every|Read|Fetch|Save) /);
		expect(sandbox().requests).toEqual([]);
	});

	it('a path without a list names the file and the parameter', async () => {
		const item = await files.item('{"docs":[]}', 'd.json');
		const { error } = await push([item], { listPath: 'items' });
		expect(error?.message).toBe(`'d.json': The file has no list at "items"`);
		expect(error?.description).toMatch(/^Check the file, 'File Format' and 'Path to List'\./);
	});

	it('the error for a missing field lists the existing fields', async () => {
		const item = await files.item('x');
		const { error } = await push([item], { binaryPropertyName: 'file' });
		expect(error?.message).toContain("'file'");
		expect(error?.description).toContain("Its files are in: 'data'.");
		const none = await push([{ json: {} }], {}, CONTINUE);
		expect(none.output[0].json.error).toEqual(naming("'data'", 'item 0'));
	});

	it('failed records that n8n cannot store end the run, and stay in the item', async () => {
		const bad = indexes(6).map((number) => ({ id: `bad${number}`, text: 'x'.repeat(500) }));
		const items = [await files.item(lines([...documents(2), ...bad, ...documents(2)]))];
		items.push(await files.item(lines(documents(1)), 'later.jsonl'));
		files.fail(new Error('No space left on device'));
		const { output } = await push(items, { options: { bytesPerFile: 1000 } }, CONTINUE);
		expect(output[0].json.error).toMatch(
			/'documents\.failed\.jsonl': No space left on device\. .*'documents.jsonl'/,
		);
		expect(output[1].json.error).toMatch(/No space left on device/);
		const { failed, skipped } = output[0].json as { failed: number; skipped: number };
		expect(skipped).toBeGreaterThan(0);
		const kept = Object.values(output[0].binary ?? {}).map(({ data }) =>
			Buffer.from(data, 'base64').toString(),
		);
		expect(kept.join('')).toBe(lines(bad.slice(0, failed)));
	});

	it('failed records that n8n cannot store at the end of a file do not mean that it was not read', async () => {
		const item = await files.item(lines([...documents(3), { id: 'bad' }]));
		files.fail(new Error('No space left on device'));
		const result = await push([item], {}, CONTINUE);
		expect(result.output[0].json).toMatchObject({ pushed: 3, failed: 1, atEnd: true });
		expect(result.output[0].json.error).toContain('No space left on device');
		expect(hintsOf(result).join()).not.toContain('before it had processed');
	});

	it('a file that n8n no longer has fails its item', async () => {
		const item = await files.item(lines(documents(1)));
		item.binary!.data.id = 'filesystem-v2:workflows/none/executions/none/binary_data/none';
		const { output } = await push([item, await files.item(lines(documents(1)))], {}, CONTINUE);
		expect(output[0].json.error).toMatch(
			/^n8n could not read the file 'documents.jsonl': .* \(item 0\)$/,
		);
		expect(output[1].json.pushed).toBe(1);
	});
});

describe('ending early', () => {
	const skipRecordsOf = (text: string | null | undefined): number =>
		Number(/'Skip Records' to (\d+)/.exec(text ?? '')?.[1]);

	it('stops at the first failure, and continues where it says', async () => {
		const all = documents(200);
		all[120].name = 'poison';
		sandbox().faults.add({ route: 'push', status: 422, whenBodyContains: 'poison' });
		const file = lines(all);
		const options = { documentsPerRequest: 10, concurrency: 4 };
		const { error } = await push([await files.item(file)], { options });
		expect(error?.message).toMatch(
			/^'documents.jsonl', record 121 \(line 121\): .*'d120' was not pushed/,
		);
		const skipRecords = skipRecordsOf(error?.description);
		expect(skipRecords).toBeGreaterThan(0);
		expect(skipRecords).toBeLessThanOrEqual(120);
		const ids = new Set(indexed().map(({ id }) => id));
		expect(all.slice(0, skipRecords).every(({ id }) => ids.has(id))).toBe(true);
		expect(ids.size).toBeLessThan(200);
		sandbox().faults.clear();
		const again = await push([await files.item(file)], {
			options: { ...options, skipRecords },
		});
		expect(summary(again)).toMatchObject({
			records: 200,
			skipped: skipRecords,
			pushed: 200 - skipRecords,
		});
		expect(indexed()).toHaveLength(200);
	});

	it.each(indexes(4))(
		'continues before all records that failed: the last one to fail is %d',
		async (slow) => {
			// The first failure ends the run. The requests that are still in flight can fail later.
			for (const at of indexes(4))
				sandbox().faults.add({
					...{ route: 'push', status: 422, whenBodyContains: `"d${at + 2}"` },
					latencyMs: at === slow ? 300 : 100 + 10 * at,
				});
			const options = { documentsPerRequest: 1, concurrency: 10 };
			const items = [await files.item(lines(documents(8)))];
			const { error } = await push(items, { options });
			expect(skipRecordsOf(error?.description)).toBe(2);
		},
	);

	it('does not skip a refused record, even if a later record succeeds after the run ended', async () => {
		const [first, second] = [{ times: 1 }, { skip: 1, times: 1 }];
		sandbox().faults.add({ route: 'push', status: 302, redirectTo: '/login', ...first });
		sandbox().faults.add({ route: 'push', latencyMs: 500, ...second });
		const options = { documentsPerRequest: 1, concurrency: 2 };
		const items = [await files.item(lines(documents(50)))];
		const { output } = await push(items, { options }, CONTINUE);
		expect(indexed().map(({ id }) => id)).toEqual(['d1']);
		expect(output[0]?.json).toMatchObject({ pushed: 1, failed: 1 });
		expect(output[0]?.json.error).not.toContain("'Skip Records'");
	});

	it('fails the item when the service refuses everything, and reads no further', async () => {
		sandbox().faults.add({ route: 'push', status: 401, skip: 3 });
		const items = [
			await files.item(lines(documents(500)), 'a.jsonl'),
			await files.item(lines(documents(1)), 'b.jsonl'),
		];
		const result = await push(
			items,
			{ options: { documentsPerRequest: 10, concurrency: 2 } },
			CONTINUE,
		);
		const [first, second] = result.output.map(({ json }) => json);
		expect(first.error).toMatch(/'Skip Records' to 30$/);
		expect(first).toMatchObject({ pushed: 30, httpStatus: 401 });
		expect(Number(first.records)).toBeLessThan(100);
		expect(first.records).toBe(
			Number(first.pushed) + Number(first.failed) + Number(first.skipped),
		);
		expect(second.error).toEqual(naming("'b.jsonl'", 401));
	});

	it('reports its progress when it is canceled', async () => {
		sandbox().faults.add({ route: 'push', ...HANGS, skip: 3 });
		const item = await files.item(lines(documents(500)));
		const options = { documentsPerRequest: 10, concurrency: 1 };
		const { error } = await stopped(
			sandbox(),
			[4],
			async (stop) => await push([item], { options }, stop),
		);
		expect(skipRecordsOf(error?.message)).toBe(30);
	});
});

describe('binary data', () => {
	it.each(['data', '_files.data', '={{ $json._files.data }}'])(
		'may be in the JSON: %s',
		async (binaryPropertyName) => {
			const { binary } = await files.item(`${lines(documents(3))}oops\n`);
			const { output } = await push(
				[{ json: { _files: binary as never } }],
				{ binaryPropertyName },
				{ binaryMode: 'combined', ...CONTINUE },
			);
			expect(output[0].json).toMatchObject({ pushed: 3, failed: 1 });
			const kept = output[0].json._files as { unreadable: never };
			expect(await files.text(kept.unreadable)).toBe('oops\n');
		},
	);

	it.each(['wholeItem', 'json'])('in the JSON is not part of a document: %s', async (from) => {
		const { binary } = await files.item('x');
		const item = { id: 'a', name: 'A', _files: binary as never };
		await push(
			[{ json: item }, { json: { id: 'b', name: 'B', _files: 'my own' } }],
			{ documentSource: from, documentJson: '={{ $json }}' },
			{ binaryMode: 'combined' },
		);
		expect(indexed()).toEqual([
			{ id: 'a', name: 'A' },
			{ id: 'b', name: 'B', _files: 'my own' },
		]);
	});
});

it('is read only as far as the requests in flight need', async () => {
	sandbox().faults.add({ route: 'push', latencyMs: 5 });
	let read = 0;
	let ahead = 0;
	files.stream(async function* () {
		for (const document of documents(600)) {
			yield Buffer.from(lines([document]));
			read++;
			ahead = Math.max(ahead, read - indexed().length);
		}
	});
	const result = await push([await files.item('')], {
		options: { documentsPerRequest: 10, concurrency: 3 },
	});
	expect(summary(result)).toMatchObject({ pushed: 600 });
	expect(ahead).toBeGreaterThan(10);
	expect(ahead).toBeLessThanOrEqual(45);
});
