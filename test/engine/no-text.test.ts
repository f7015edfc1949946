/** Tests files that are not text, and texts that are probably not what the user wanted. */
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';

import type { INodeParameters } from 'n8n-workflow';

import { DeleteDocument } from '../../nodes/DeleteDocument/DeleteDocument.node';
import { PushDocuments } from '../../nodes/PushDocuments/PushDocuments.node';
import { DEMO } from '../../sandbox';
import { useFiles } from '../../support/binary-data';
import { useChunkText } from '../../support/chunking';
import { CONTINUE, hintsOf, jsonOf, nodeRunner } from '../../support/sandbox';
import { naming } from '../../support/wording';

const files = useFiles();
const { sandbox, chunk, credentials } = useChunkText();
const indexed = () => sandbox().documents(DEMO.endpoint);

const push = nodeRunner(new PushDocuments(), credentials, { documentSource: 'textFile' });
const chunkFile: typeof push = async (items, parameters, settings) =>
	await chunk(
		items,
		{ textSource: 'textFile', output: 'documents', vectors: 'none', ...parameters },
		settings,
	);
const RUNNERS = [push, chunkFile];
const item = async (content: string | Buffer, type = 'text/plain') =>
	await files.item(content, 'a.md', type);

const CYRILLIC = 'Поиск документов.\nВторая строка.\n';
const CHINESE = '搜索平台的介绍。这是第二句，还有更多的文字。\n'.repeat(5);
const utf16 = (text: string) => Buffer.from(text, 'utf16le');
const utf32 = (text: string) =>
	Buffer.concat(
		[...text].map((character) => {
			const bytes = Buffer.alloc(4);
			bytes.writeUInt32LE(character.codePointAt(0) ?? 0);
			return bytes;
		}),
	);
const tar = Buffer.alloc(2048);
tar.write('readme.md');
tar.write('0000644', 100);
tar.write('ustar', 257);
tar.write('# Markdown\n', 512);

const BINARY: Array<[string, Buffer | string, string]> = [
	['tar', tar, 'a tar archive'],
	['tar.gz', gzipSync(tar), 'a tar archive'],
	['GIF', Buffer.from('GIF89a\x01\x02;', 'latin1'), 'a picture'],
	['PNG', Buffer.from('\x89PNG\r\n\x1a\nIHDR', 'latin1'), 'a picture'],
	['MP3', Buffer.from('ID3\x03\x02\x01TIT2', 'latin1'), 'a sound'],
	['MP3 without tags', Buffer.from('\xff\xfb\x90dABC', 'latin1'), 'a sound'],
	['SQLite', Buffer.from('SQLite format 3\0\x10'), 'a SQLite database'],
	['xz', Buffer.from('fd377a585a0000', 'hex'), 'compressed, but not with gzip'],
	['UTF-16 in Cyrillic', utf16(CYRILLIC), "UTF-16 without a byte order mark|'Encoding'"],
	['UTF-16 BE in Cyrillic', utf16(CYRILLIC).swap16(), "UTF-16 without|'Encoding'"],
	['UTF-16 in Chinese', utf16(CHINESE), "UTF-16 without|'Encoding'"],
	['UTF-16 in one Cyrillic word', utf16('Поиск'), "control characters|'Encoding'"],
	['UTF-32', utf32('Pears.'), "not text|'Encoding'"],
	['UTF-32 with a mark', utf32('\ufeffPears.'), 'UTF-32'],
	['padded with NULs', `Pears.${'\0'.repeat(9)}`, 'has NUL characters'],
	['one NUL', `${'Pears. '.repeat(1000)}\0.`, 'has NUL characters'],
	['two control characters in 1,000', `${'x'.repeat(998)}\x01\x02`, 'has control characters'],
];

describe.each(RUNNERS.map((run) => [run === push ? 'Push Documents' : 'Chunk Text', run] as const))(
	'%s',
	(_node, run) => {
		test.each(BINARY)('refuses a text file: %s', async (_what, content, words) => {
			const { error } = await run([await item(content)]);
			const said = `${error?.message} ${error?.description}`;
			expect(said).toEqual(naming("'a.md'", ...words.split('|')));
			expect(sandbox().requests).toEqual([]);
		});

		test('refuses a file that n8n delivers in small pieces', async () => {
			const pieces = Array.from({ length: 100 }, (_, at) => tar.subarray(9 * at, 9 * at + 9));
			files.opens(Readable.from(pieces));
			const { error } = await run([await item('')]);
			expect(error?.message).toEqual(naming("'a.md'", 'a tar archive'));
		});

		test.each<[string, string | Buffer, string?]>([
			['white space of converters', 'a\f\v\x1b[0m\tb\r\n\x1a'],
			['a control character in 1,000', `${'x'.repeat(999)}\x01`],
			['emoji and Chinese', `😀 ${CHINESE}`],
			['UTF-16 with a mark', utf16(`\ufeff${CHINESE}`)],
			[
				'Markdown with HTML',
				'<p align="center"><img src="a"></p>\n\nUse `<script>` and `<form>`.\n',
			],
			['XML', '<?xml version="1.0"?><book><title>Pears</title></book>'],
		])('reads a text file: %s', async (...[, content]) => {
			const result = await run([await item(content)]);
			expect([result.error?.message, hintsOf(result)]).toEqual([undefined, []]);
		});

		test.each([
			['a script', "<script>window.location='/login'</script>"],
			['comments longer than a slice', `${'<!-- x -->'.repeat(10_000)}<body>Sign in`],
			['a fragment that is labelled HTML', '<p>Sign in</p>'],
		])('refuses a page as text file: %s', async (_what, content) => {
			const { error } = await run([await item(content, 'text/html')]);
			expect(error?.message).toEqual(naming("'a.md' is an HTML page"));
			expect(sandbox().requests).toEqual([]);
		});
	},
);

describe('records', () => {
	const pushFile = nodeRunner(new PushDocuments(), credentials, { documentSource: 'file' });
	const remove = nodeRunner(new DeleteDocument(), credentials, { idSource: 'file' });
	const csv = (text: string | Buffer) => files.item(text, 'a.csv', 'text/csv');

	test.each([
		['a NUL', 'a\0', 'NUL characters'],
		['padding', 'a\0\0\0\0', 'NUL characters'],
		['a control character', 'a\x01', 'control characters'],
	])('only the record with %s in a cell fails', async (_what, cell, words) => {
		const rows = `id,name\nb,B\na,${cell}\nc,C\n`;
		const { output } = await pushFile([await csv(rows)], {}, CONTINUE);
		expect(output[0]?.json).toMatchObject({
			pushed: 2,
			failed: 1,
			failures: [{ record: 2, line: 3, error: naming('Record 2 (line 3)', words) }],
		});
		expect(indexed().map(({ id }) => id)).toEqual(['b', 'c']);
	});

	test('control characters are found wherever the file is cut', async () => {
		const rows = Array.from(
			{ length: 9_000 },
			(_, at) => `d${at},${at === 8_191 ? 'x\x02' : 'Pears'}`,
		);
		const { output } = await pushFile(
			[await csv(`id,name\n${rows.join('\n')}\n`)],
			{},
			CONTINUE,
		);
		expect(output[0]?.json).toMatchObject({ pushed: 8_999, failed: 1 });
	});

	test('a file that ends as in MS-DOS, or has a few control characters, is read', async () => {
		const { output } = await pushFile([
			await csv(`id,name\na,${'x'.repeat(1000)}\x01\nb,B\r\n\x1a`),
		]);
		expect(jsonOf(output)).toMatchObject([{ pushed: 2, failed: 0 }]);
	});

	test.each<[string, Buffer, string]>([
		['tar', tar, 'a tar archive'],
		['UTF-16 in Cyrillic', utf16('Ид;Имя\nПервый;Второй\n'), 'UTF-16 without'],
	])('a CSV file is refused if it is %s', async (_what, content, words) => {
		const { error } = await pushFile([await csv(content)]);
		expect(error?.message).toEqual(naming("'a.csv'", words));
	});

	test('no line of a page is deleted, however long its comments are', async () => {
		const page = `${'<!-- x -->\n'.repeat(10_000)}<script>location='/login'</script>\n`;
		const parameters: INodeParameters = { idSource: 'file', fileFormat: 'lines' };
		const { error } = await remove(
			[await files.item(page, 'ids.txt', 'text/plain')],
			parameters,
		);
		expect(error?.message).toEqual(naming("'ids.txt' is an HTML page"));
		expect(sandbox().requests).toEqual([]);
	});
});
