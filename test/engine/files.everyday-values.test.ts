/**
 * Tests typical values in files. Also tests files without records. The nodes process each file twice: once plain and
 * once compressed with gzip.
 */
import { gzipSync } from 'node:zlib';

import type { INodeParameters } from 'n8n-workflow';

import { DEMO } from '../../sandbox';
import { idsOf, useEverydayFiles } from '../../support/everyday-files';
import { CONTINUE, hintsOf, jsonOf } from '../../support/sandbox';

const { files, sandbox, chunk, runPush, runDelete, ...everyday } = useEverydayFiles();

describe.each(['', '.gz'])('%s', (extension) => {
	const item = async (content: string | Buffer, name: string) =>
		await everyday.item(content, name, extension);
	const push = async (content: string | Buffer, name?: string, parameters?: INodeParameters) =>
		await everyday.push(content, name, parameters, extension);

	describe('row 15: numbers that JavaScript would round', () => {
		describe.each([
			'"n":12345678901234567890,"d":0.12345678901234567890,"e":1e400',
			// Of each of these numbers, nothing is left in the text that JavaScript writes.
			'"n":1e400',
			'"n":-1E+400',
			'"n":1000000000000000000000001',
			'"n":-0.12345678901234567890',
		])('%s', (BIG) => {
			it.each<[string, string, INodeParameters, string]>([
				[
					'an unchanged record',
					`{"id":"1","name":"A",${BIG}}`,
					{},
					`{"id":"1","name":"A",${BIG}}`,
				],
				[
					'a numeric ID and name',
					`{"id":1,"name":2.0,${BIG}}`,
					{},
					`{"id":"1","name":"2",${BIG}}`,
				],
				[
					'another ID field',
					`{"key":1001.0,"name":"A",${BIG}}`,
					{ idField: 'key' },
					`{"key":1001,"name":"A",${BIG},"id":"1001"}`,
				],
				[
					'an excluded field',
					`{"id":"1","name":"A","x":1,${BIG}}`,
					{ options: { excludeFields: 'x' } },
					`{"id":"1","name":"A",${BIG}}`,
				],
				[
					'a packed vector',
					`{"id":"1","name":"A","vector":"i8:AQID",${BIG}}`,
					{},
					`{"id":"1","name":"A","vector":[1,2,3],${BIG}}`,
				],
			])('%s: they stay as they are', async (_case, record, parameters, sent) => {
				for (const [name, text] of [
					['d.jsonl', `${record}\n`],
					['d.json', `[${record}]`],
				]) {
					const { json } = await push(text, name, parameters);
					expect(json).toMatchObject({ pushed: 1, failed: 0 });
					const { bodyBytes, body } = sandbox().requests.at(-1) ?? {};
					// If the node rounded a number, the number would have fewer digits, and the lengths would differ.
					expect(bodyBytes).toBe(sent.length);
					expect(body).toEqual(JSON.parse(sent));
				}
			});
		});

		it('Chunk Text adds a hint if it keeps such numbers, and fails a record that would lose a number', async () => {
			const record = (id: string, more: string) =>
				`{"id":"${id}","name":"A","text":"x",${more}}\n`;
			const content = record('1', '"n":12345678901234567890') + record('2', '"n":1e400');
			const result = await chunk(
				[await item(content, 'd.jsonl')],
				{ textSource: 'file', output: 'documents', options: { keepSourceFields: 'all' } },
				CONTINUE,
			);
			expect(hintsOf(result).join()).toMatch(
				/1 record of .* lost digits.*12345678901234567890/,
			);
			expect(JSON.stringify(jsonOf(result.output))).toContain('the number 1e400');
		});
	});

	it.each([
		['1001.0', '1002.0', true],
		['1.0', '1.1', false],
	])('row 16: IDs such as %s and %s get a hint: %p', async (one, other, isHint) => {
		const { hints, documents } = await push(`id,name\n${one},A\n${other},B\n`);
		expect(idsOf(documents)).toEqual([one, other]);
		const hint = `2 IDs of 'd.csv' end with .0 (the first on line 2: '1001.0')`;
		expect(hints).toEqual(isHint ? [expect.stringContaining(hint)] : []);
	});

	describe('row 17: JSON Columns', () => {
		const options = { jsonColumns: 'price, inStock, tags, vector' };
		it('are numbers, booleans, lists and vectors; everything else stays text', async () => {
			const { documents } = await push(
				'id;name;price;inStock;tags;vector;no\n' +
					'1;A;2.5;true;"[""a"",""b""]";[0.5,1];00123\n' +
					'2;B;;false;null;i8:AQID;7\n',
				'd.csv',
				{ options },
			);
			expect(documents).toEqual([
				{
					...{ id: '1', name: 'A', price: 2.5, inStock: true },
					...{ tags: ['a', 'b'], vector: [0.5, 1], no: '00123' },
				},
				{ id: '2', name: 'B', inStock: false, tags: null, vector: [1, 2, 3], no: '7' },
			]);
		});

		it.each([
			['00123', /not JSON/],
			['2,50', /not JSON/],
			['12345678901234567890', /would lose digits/],
			['1e400', /would lose digits/],
		])('a cell such as %s fails its record', async (cell, message) => {
			const { documents, failures } = await push(
				`id;name;price\n1;A;${cell}\n2;B;1\n`,
				'd.csv',
				{
					options: { jsonColumns: 'price' },
				},
			);
			expect(documents).toEqual([{ id: '2', name: 'B', price: 1 }]);
			expect(failures).toEqual([expect.stringMatching(message)]);
			expect(failures[0]).toMatch(/^The column 'price'/);
		});

		it('must exist', async () => {
			const { failures } = await push('id,name\n1,A\n', 'd.csv', { options });
			expect(failures).toEqual([expect.stringMatching(/has no column 'price'/)]);
		});
	});

	describe('also seen', () => {
		it('blank rows are counted', async () => {
			const { hints } = await push('id,name\n1,A\n,\n\n2,B\n,\n,\n');
			expect(hints).toEqual(["4 blank rows of 'd.csv' skipped (the first on line 3)"]);
		});

		const DOCX = Buffer.from('PK\x03\x04\x14\0\x06\0', 'latin1');
		it.each([
			['a PDF', '%PDF-1.7', /Extract From PDF/],
			['a Word file', DOCX, /Save a Word document as text/],
			[
				'a login page',
				'<!doctype html><title>Login</title>',
				/the URL and the credential.*HTML node/,
			],
		])('%s gets the same advice from every file source', async (_case, content, advice) => {
			const advices = [];
			for (const name of ['page', 'd.csv', 'd.jsonl', 'd.txt']) {
				const file = await item(content, name);
				for (const run of [
					runPush([file]),
					runPush([file], { documentSource: 'textFile' }),
					runDelete([file]),
					chunk([file], { textSource: 'file' }),
					chunk([file], { textSource: 'textFile' }),
				])
					advices.push((await run).error?.description);
			}
			expect(
				new Set(advices.map((text) => text?.replace(' Nothing was sent.', ''))).size,
			).toBe(1);
			expect(advices[0]).toMatch(advice);
		});

		it('a second gzip member is read, or the advice says how to write a single member', async () => {
			const content = Buffer.concat([
				gzipSync('{"id":"1","name":"A"}\n'),
				gzipSync('{"id":"2","name":"B"}\n'),
			]);
			const result = await runPush([await files.item(content, 'd.jsonl.gz')], {}, CONTINUE);
			const readsMembers = Number(process.versions.node.split('.')[0]) < 24;
			if (readsMembers) expect(sandbox().documents(DEMO.endpoint)).toHaveLength(2);
			else
				expect(hintsOf(result).join()).toMatch(
					/Write it as one member, .*gzip -dc \| gzip\./,
				);
		});
	});
});
