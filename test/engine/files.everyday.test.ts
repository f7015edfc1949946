/**
 * Tests typical files, each with a common problem. The nodes process each file twice: once plain and once
 * compressed with gzip.
 */
import type { INodeParameters } from 'n8n-workflow';

import { DEMO } from '../../sandbox';
import { bytes, idsOf, useEverydayFiles } from '../../support/everyday-files';
import { hintsOf, indexes, jsonOf } from '../../support/sandbox';
import { push as pushDirectly } from '../../support/sandbox-client';
import { naming } from '../../support/wording';

const { sandbox, chunk, runDelete, ...everyday } = useEverydayFiles();

const latin1 = (text: string): Buffer => Buffer.from(text, 'latin1');
const lines = (count: number, write: (at: number) => string): string =>
	indexes(count).map(write).join('');

describe.each(['', '.gz'])('%s', (extension) => {
	const item = async (content: string | Buffer, name: string) =>
		await everyday.item(content, name, extension);
	const push = async (content: string | Buffer, name?: string, parameters?: INodeParameters) =>
		await everyday.push(content, name, parameters, extension);

	describe('row 2: a file that was written without quoting', () => {
		const COUNT = 10_000;
		const write = (delimiter: string) =>
			`id,name,year\n`.replaceAll(',', delimiter) +
			lines(COUNT, (at) => {
				const title = at === 1000 ? '"Weird Al, live' : `Title ${at}`;
				const last = at === 9999 ? 'Screen 24"' : title;
				return [`d${at}`, last, '1999\n'].join(delimiter);
			});

		it.each(['\t', ',', ';', '|'])('fails one row, not all after it: %j', async (delimiter) => {
			const { documents, failures, json } = await push(write(delimiter), 'd.tsv', {
				options: { documentsPerRequest: 5000 },
			});
			expect(json).toMatchObject({ records: COUNT, pushed: COUNT - 1, failed: 1 });
			expect(failures).toEqual([expect.stringMatching(/\b1001\b.*\b1002\b.*'Quotes'/)]);
			expect(documents).toHaveLength(COUNT - 1);
			expect(documents.at(-1)).toEqual({ id: 'd9999', name: 'Screen 24"', year: '1999' });
		});

		it('row 3: is read completely with Quotes: None', async () => {
			const { documents, failures } = await push(write('\t'), 'd.tsv', {
				options: { quotes: 'none', documentsPerRequest: 5000 },
			});
			expect(failures).toEqual([]);
			expect(documents).toHaveLength(COUNT);
			expect(documents[1000].name).toBe('"Weird Al, live');
		});

		it('is detected if the quote is never closed', async () => {
			const rows = lines(30, (at) => `d${at};${at === 3 ? '"' : ''}T;x\n`);
			const { documents, failures } = await push(`id;name;x\n${rows}`);
			expect(documents).toHaveLength(29);
			expect(failures).toEqual([expect.stringMatching(/\b4\b.*\b5\b.*'Quotes'/)]);
		});

		it('with few rows in one cell causes a hint', async () => {
			const rows = lines(30, (at) =>
				at === 3 ? 'd3;"T;x\n' : at === 7 ? 'd7;T";x\n' : `d${at};T;x\n`,
			);
			const { hints, documents } = await push(`id;name;x\n${rows}`);
			expect(documents).toHaveLength(26);
			expect(hints).toEqual([
				expect.stringMatching(
					/^1 quoted cell of 'd.csv' has several lines .*line 5.*'Quotes'/,
				),
			]);
		});

		it('keeps a table within prose in one cell', async () => {
			const table = `Our prices\nfollow here:\n${lines(20, () => 'a,b,c\n')}`;
			const { documents, failures } = await push(`id,name,text\n1,A,"${table}"\n`);
			expect(documents).toEqual([{ id: '1', name: 'A', text: table }]);
			expect(failures).toEqual([]);
		});

		it('keeps many lines of prose in one cell', async () => {
			const prose = lines(
				40,
				(at) => `Line ${at}, with a comma${at % 3 ? ', and more' : ''}\n`,
			);
			const { documents, failures, hints } = await push(
				`id,name,text\n1,A,"${prose}"\n2,B,x\n`,
			);
			expect(documents).toEqual([
				{ id: '1', name: 'A', text: prose },
				{ id: '2', name: 'B', text: 'x' },
			]);
			expect([...failures, ...hints]).toEqual([]);
		});
	});

	describe('row 4: a stray byte of Windows-1252', () => {
		const ROWS = lines(1000, (at) => `d${at},Müller ${at} €\n`);
		const file = bytes('id,name\nx,It', [0x92], 's\n', ROWS);

		it('does not decide the encoding of later lines, and causes a hint', async () => {
			const { documents, hints, failures } = await push(file);
			expect(failures).toEqual([]);
			expect(documents).toHaveLength(1001);
			expect(documents.slice(0, 2)).toEqual([
				{ id: 'x', name: 'It’s' },
				{ id: 'd0', name: 'Müller 0 €' },
			]);
			expect(hints).toContainEqual(
				expect.stringMatching(/^1 line of 'd.csv' .*Windows-1252 \(line 2: 'It’s'\)/),
			);
		});

		it('after UTF-8 fails its record', async () => {
			const { documents, failures } = await push(
				bytes('id,name\n', ROWS, 'x,It', [0x92], 's\n'),
			);
			expect(documents).toHaveLength(1000);
			expect(failures).toEqual([
				expect.stringMatching(/\b1001\b.*\b1002\b.*not UTF-8 \(0x92\).*'Encoding'/),
			]);
		});

		it('always fails with Encoding: UTF-8', async () => {
			const { documents, failures, hints } = await push(file, 'd.csv', {
				options: { encoding: 'utf-8' },
			});
			expect(documents).toHaveLength(1000);
			expect(failures).toEqual([expect.stringMatching(/\b1\b.*\b2\b.*0x92/)]);
			expect(hints.join('')).not.toContain('Windows-1252');
		});

		it('does the same in JSON Lines and in text files', async () => {
			const json = bytes('{"id":"1","name":"It', [0x92], 's"}\n{"id":"2","name":"Müller"}\n');
			const { documents, hints } = await push(json, 'd.jsonl');
			expect(documents.map(({ name }) => name)).toEqual(['It’s', 'Müller']);
			expect(hints).toEqual([expect.stringMatching(/^1 line .*\(line 1: '.*It’s.*'\)/)]);
			const { output, hints: shown } = await chunk(
				[await item(bytes('It', [0x92], 's\nMüller\n'), 'd.md')],
				{ textSource: 'textFile', output: 'documents', vectors: 'none' },
			);
			expect(jsonOf(output).map(({ text }) => text)).toEqual(['It’s', 'Müller']);
			expect(hintsOf({ hints: shown })).toEqual([expect.stringMatching(/^1 line .*'It’s'/)]);
		});
	});

	it('row 5: bytes that Windows-1252 does not have fail their record', async () => {
		const dos = bytes('id,name\n1,M', [0x81], 'ller\n2,B\n');
		const { documents, failures } = await push(dos);
		expect(idsOf(documents)).toEqual(['2']);
		expect(failures).toEqual([expect.stringMatching(/\b1\b.*\b2\b.*\(0x81\).*'Encoding'/)]);
		expect(JSON.stringify(documents)).not.toMatch(/[\u0080-\u009f\ufffd]/);
	});

	describe('row 6: other encodings', () => {
		it.each<[string, number[], string]>([
			['windows-1250', [0x8e, 0x6c, 0x75, 0x9d], 'Žluť'],
			['windows-1251', [0xcf, 0xf0, 0xe8, 0xe2, 0xe5, 0xf2], 'Привет'],
			['gb18030', [0xc4, 0xe3, 0xba, 0xc3], '你好'],
			['big5', [0xa7, 0x41, 0xa6, 0x6e], '你好'],
			['shift_jis', [0x83, 0x5c, 0x83, 0x58], 'ソス'],
			['macintosh', [0x4d, 0x9f, 0x8e], 'Müé'],
			['={{ "cp1251" }}', [0xcf, 0xf0], 'Пр'],
		])('%s is read if it is chosen', async (encoding, name, text) => {
			const { documents, failures, hints } = await push(
				bytes('id,name\n1,', name, '\n'),
				'd.csv',
				{ options: { encoding } },
			);
			expect(documents).toEqual([{ id: '1', name: text }]);
			expect([...failures, ...hints]).toEqual([]);
		});

		it('a byte that the encoding does not define fails its record', async () => {
			const { documents, failures } = await push(
				bytes('id,name\n1,', [0x83, 0x20], '\n2,B\n'),
				'd.csv',
				{ options: { encoding: 'shift_jis' } },
			);
			expect(idsOf(documents)).toEqual(['2']);
			expect(failures).toEqual([expect.stringMatching(/\b1\b.*\b2\b.*'Encoding'/)]);
		});

		it('a hint reports the guess, with the first word that shows it', async () => {
			const { hints } = await push(latin1('id,name\n1,caf\xe9 au lait\n2,na\xefve\n'));
			expect(hints).toEqual([
				"2 lines of 'd.csv' are not UTF-8 and were read as Windows-1252 (the first on line 2: 'café'). If the text looks wrong, set the option 'Encoding' to the encoding of the file. If the list does not contain it, convert the file to UTF-8 before this node.",
			]);
		});

		it('an unknown one is refused', async () => {
			const { failures } = await push('id,name\n', 'd.csv', {
				options: { encoding: '={{ "x" }}' },
			});
			expect(failures).toEqual([expect.stringMatching(/^'Encoding' must be an encoding/)]);
		});
	});

	describe('row 7: joined exports with a byte order mark', () => {
		it('lists of IDs: the documents are deleted', async () => {
			await pushDirectly(sandbox(), [
				{ id: '1', name: 'A' },
				{ id: '2', name: 'B' },
				{ id: '3', name: 'C' },
			]);
			const result = await runDelete([await item('\ufeff1\n\ufeff2\r\n\ufeff3', 'ids.txt')]);
			expect(result.output[0].json).toMatchObject({ deleted: 3, failed: 0 });
			sandbox().commit();
			expect(sandbox().documents(DEMO.endpoint)).toEqual([]);
		});
	});

	it('row 8: a truncated last row fails, and does not replace the complete document', async () => {
		await pushDirectly(sandbox(), [{ id: '2', name: 'B', text: 'whole', url: 'u' }]);
		const { documents, failures } = await push('id,name,text,url\n1,A,a,u\n2,B,half of th');
		expect(failures).toEqual([naming('3 cells', 'truncated')]);
		expect(documents).toContainEqual({ id: '2', name: 'B', text: 'whole', url: 'u' });
	});

	it('row 9: rows with fewer cells are read, and cause a hint', async () => {
		const { documents, hints, json } = await push(
			'id,name,text\n1,A,first\nsecond, and third\n2,B,x\n3,C\n4,D,y\n',
		);
		expect(documents).toHaveLength(5);
		expect(documents[4]).toEqual({ id: '4', name: 'D', text: 'y' });
		expect(hints).toEqual([
			expect.stringMatching(
				/^2 rows of 'd.csv' have fewer cells than the header row \(the first on line 3\)/,
			),
		]);
		expect(json.warnings).toEqual([naming('2 rows', 'fewer cells')]);
	});

	it('row 9: values in a column without a name are left out, and cause a hint', async () => {
		const { documents, hints, json } = await push('id,name,\n1,A,x\n2,B,\n');
		expect(documents).toEqual([
			{ id: '1', name: 'A' },
			{ id: '2', name: 'B' },
		]);
		expect(hints).toEqual([
			expect.stringMatching(
				/^1 row of 'd.csv' has a value in a column without a name \(line 2\)/,
			),
		]);
		expect(json).not.toHaveProperty('warnings');
	});

	it('row 10: Chunk Text adds a hint about two records with the same ID', async () => {
		const record = (id: string, text: string) => `${JSON.stringify({ id, name: 'N', text })}\n`;
		const file = await item(
			record('a', 'x\ny') + record('b', 'z') + record('a', 'w'),
			'd.jsonl',
		);
		const { hints } = await chunk([file], { textSource: 'file', output: 'documents' });
		expect(hintsOf({ hints }).map((hint) => hint.replaceAll('.gz', ''))).toContainEqual(
			"1 document of 'd.jsonl' has the same ID as an earlier document (line 3: 'a'). Documents with the same ID replace each other in the index. If they are different documents, give each one its own ID.",
		);
	});

	it('row 12: the delimiter is the one under which the ID column exists', async () => {
		const header =
			'id;name;price (EUR, incl. VAT, without shipping);images (with commas, at most 5)';
		const { documents } = await push(`${header}\n1;A;2,50;a.png\n`);
		expect(documents).toMatchObject([{ id: '1', name: 'A' }]);
	});

	it.each([
		['#TYPE System.IO.FileInfo\r\n"id","name"\r\n"1","A"\r\n'],
		['"sep=;"\r\nid;name\r\n1;A\r\n'],
		['sep=;\r\nid;name\r\n1;A\r\n'],
		// Files like these come from bank statements, DATEV, Apple Numbers, SQL tools and MS-DOS.
		['My account;\r\nIBAN;DE00\r\n\r\nid;name\r\n1;A\r\n'],
		['"EXTF";700;21;"Batch";13;;;\r\nid;name\r\n1;A\r\n'],
		['Table 1,\nid,name\n1,A\n'],
		['id,name\r\n--,----\r\n1,A\r\n\x1a'],
	])('row 13: what programs write before the header is skipped: %j', async (content) => {
		const { documents, failures } = await push(content);
		expect(documents).toEqual([{ id: '1', name: 'A' }]);
		expect(failures).toEqual([]);
	});

	it.each(['d.jsonl', 'd.json', 'd'])(
		'row 14: objects without a line break: %s',
		async (name) => {
			const objects = indexes(3).map((at) => `{"id":"${at}","name":"{\\"}{"}`);
			const { documents, failures } = await push(objects.join(''), name);
			expect(documents).toEqual(indexes(3).map((at) => ({ id: `${at}`, name: '{"}{' })));
			expect(failures).toEqual([]);
		},
	);
});
