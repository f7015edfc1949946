import fc from 'fast-check';

import driveFiles from '../../../examples/src/code/drive-files';
import driveFolders from '../../../examples/src/code/drive-folders';
import fetchedFiles from '../../../examples/src/code/fetched-files';
import files from '../../../examples/src/code/files';
import kinds from '../../../examples/src/code/kinds';
import htmlTexts from '../../../examples/src/code/html-texts';
import type {
	AskedItem,
	ExtractedItem,
	FileItem,
	FileSettings,
	OfficeItem,
} from '../../../examples/src/parts/types';
import { occurring, Variations } from '../../../support/variations';

const now = new Date('2026-03-01T12:00:00Z');

const place: FileSettings = {
	...{ folder: '/docs', extensions: 'pdf, MD,txt', mostMegabytes: 20, minutesAtRest: 5 },
	...{ url: 'https://files.example.com', prefix: '' },
};

const listed = (path: string, more: object = {}) => ({
	...{ type: '-', name: path.split('/').pop(), path, size: 10 },
	modifyTime: '2026-03-01T11:00:00Z',
	...more,
});

const chosen = (path: string, more: object = {}, where: Partial<FileSettings> = {}) =>
	files({ files: [listed(path, more)], place: { ...place, ...where }, now })[0]?.json;

describe('Choose Files', () => {
	test('a file has its path in the folder as ID, and a version of its size and time', () => {
		expect(chosen('/docs/a b/c&d.PDF')).toEqual({
			...{ id: 'a b/c&d.PDF', path: '/docs/a b/c&d.PDF', name: 'c&d.PDF', size: 10 },
			...{ url: 'https://files.example.com/a%20b/c%26d.PDF', extension: 'pdf' },
			...{ version: '10 2026-03-01T11:00:00Z', later: false, problem: undefined },
		});
	});

	test.each([
		['/docs/', '/docs/a/b.md', 'a/b.md'],
		['/', '/a/b.md', 'a/b.md'],
		['docs', 'docs/b.md', 'b.md'],
		['/docs', '/docs/a/b.md', 'a/b.md'],
		['/docs//', '/docs//a/b.md', 'a/b.md'],
		['/docs///', '/docs///a/b.md', 'a/b.md'],
		['//docs', '//docs/a/b.md', 'a/b.md'],
		['/srv//docs/', '/srv//docs/a/b.md', 'a/b.md'],
		['/docs/.', '/docs/./a/b.md', 'a/b.md'],
		['/docs//', '/docs/a/b.md', 'a/b.md'],
		['/docs', '/docs//a//b.md', 'a/b.md'],
		['./docs/', './docs/b .md ', 'b .md '],
	])('of the folder %s, %s is %s', (folder, path, id) => {
		expect(chosen(path, {}, { folder })?.id).toBe(id);
		expect(chosen(path, {}, { folder })?.path).toBe(path);
	});

	test('the prefix is a part of the ID only', () => {
		expect(chosen('/docs/a.md', {}, { prefix: 'help/' })).toMatchObject({
			...{ id: 'help/a.md', url: 'https://files.example.com/a.md', path: '/docs/a.md' },
		});
	});

	test('has only those fields that the settings name, and only what is not empty', () => {
		const fields = 'path, folder,extension, modified';
		expect(chosen('/docs/a/b/c.PDF', {}, { fields })?.fields).toEqual({
			...{ path: 'a/b/c.PDF', folder: 'a/b', extension: 'pdf' },
			modified: '2026-03-01T11:00:00Z',
		});
		expect(chosen('/docs/c.pdf', {}, { fields: 'folder' })).not.toHaveProperty('fields');
		expect(chosen('/docs/c.pdf')).not.toHaveProperty('fields');
		expect(() => chosen('/docs/c.pdf', {}, { fields: 'folder, size' })).toThrow(
			/^Nothing was changed: there is no field 'size', .* only path, folder, extension, modified\.$/,
		);
	});

	test('is read again if its title becomes its name', () => {
		const version = chosen('/docs/c.pdf')?.version;
		expect(chosen('/docs/c.pdf', {}, { titleAsName: false })?.version).toBe(version);
		expect(chosen('/docs/c.pdf', {}, { titleAsName: true })?.version).not.toBe(version);
	});

	test('an HTML file is read again if the selectors change, and other files are not', () => {
		const version = (name: string, more = {}) =>
			chosen(`/docs/${name}`, {}, { extensions: 'html, pdf', ...more })?.version;
		const drive = (mimeType: string, more = {}) => {
			const file = { id: '1', name: 'a', mimeType, md5Checksum: 'c', size: '1' };
			return driveFiles({ files: [file], mostMegabytes: 1, ...more })[0].json.version;
		};
		for (const more of [{ mainPart: '#a' }, { leaveOut: '.b' }]) {
			expect(version('c.html', more)).not.toBe(version('c.html'));
			expect(version('c.pdf', more)).toBe(version('c.pdf'));
			expect(drive('text/html', more)).not.toBe(drive('text/html'));
			expect(drive('text/plain', more)).toBe(drive('text/plain'));
		}
		expect(version('c.html', { mainPart: '', leaveOut: ' ' })).toBe(version('c.html'));
		expect(() => version('c.pdf', { mainPart: 'a > b' })).toThrow(/'a > b' is no selector/);
	});

	test('without a URL, there is none', () => {
		expect(chosen('/docs/a.md', {}, { url: '' })?.url).toBe('');
	});

	test('an empty list stays empty, and folders are no files', () => {
		expect(files({ files: [{}], place, now })).toEqual([]);
		expect(chosen('/docs/sub', { type: 'd' })).toBeUndefined();
	});

	test.each([
		['/docs/a.docx', {}, 'docx'],
		['/docs/README', {}, 'files without extension'],
		['/docs/.hidden.md', {}, 'hidden files'],
		['/docs/~$a.md', {}, 'hidden files'],
		['/docs/.git/a.md', {}, 'hidden files'],
		['/docs/a.md', { type: 'l' }, 'links'],
		['/docs/a.md', { type: 's' }, 'special files'],
		['/docs/K\ufffdche.md', {}, 'unreadable names'],
	])('%s is skipped', (path, more, skipped) => {
		expect(chosen(path, more)).toMatchObject({ skipped });
		expect(chosen(path, more)).not.toHaveProperty('version');
	});

	test('a file that is too large has a problem', () => {
		expect(chosen('/docs/a.md', { size: 20_000_000 })?.problem).toBeUndefined();
		expect(chosen('/docs/a.md', { size: 20_100_000 })?.problem).toMatch(/^has 20.1 MB, and/);
	});

	test.each([
		['2026-03-01T11:55:01Z', true],
		['2026-03-01T11:55:00Z', false],
		['2026-03-01T12:01:00Z', true],
		['2030-01-01T00:00:00Z', false],
		['not a time', false],
	])('a file that changed at %s waits: %s', (modifyTime, later) => {
		expect(chosen('/docs/a.md', { modifyTime })?.later).toBe(later);
	});
});

const NO_OFFICE = { words: [], workbooks: [], slides: [] };

/** Reads one file, whose content has been extracted to these items. */
function fetched(
	extension: string,
	extracted: {
		pdfs?: ExtractedItem[];
		texts?: ExtractedItem[];
		htmls?: ExtractedItem[];
		words?: OfficeItem[];
	},
	size?: number,
) {
	const entries = [{ id: 'a', isMissing: false, extension, size }];
	const downloads: FileItem[] = [{ json: {}, binary: { data: { bytes: size } } }];
	const [{ json }] = fetchedFiles({
		...{ entries, wanted: entries, downloads, files: kinds({ entries, downloads }) },
		...{ pdfs: [], texts: [], htmls: [], ...NO_OFFICE, ...extracted },
	});
	return json;
}

const pdf = (json: ExtractedItem['json']) => fetched('pdf', { pdfs: [{ json }] });
const base64 = (data: string | Buffer) => Buffer.from(data as string).toString('base64');
const text = (data: string | Buffer, extension = 'txt') =>
	fetched(extension, { texts: [{ json: { data: base64(data) } }] });
const page = 'Twenty letters are enough for a page.';

describe('Fetched', () => {
	test('a PDF has pages, of which some may be empty', () => {
		expect(pdf({ text: [page, '', page] })).toEqual({
			...{ id: 'a', pages: [page, '', page], pagesWithoutText: [2] },
		});
	});

	test.each([
		[{ error: 'No password given' }, /^is encrypted/],
		[{ error: 'Incorrect Password' }, /^is encrypted/],
		[{ error: 'Invalid PDF structure.' }, /^is damaged.*Invalid PDF structure/],
		[{ text: ['', ' - 1 -', ''] }, /^is a scan without text \(1 letters on 3 pages\).*Chinese/],
		[{ text: [] }, /^has no pages/],
		[{ text: Array(4).fill('Scanned with CamScanner') }, /^is a scan without text \(0 letters/],
		[{ text: ['Scanned with CamScanner'] }, /^is a scan without text/],
		[{ text: ['Escaneado con CamScanner', 'Gescannt mit CamScanner'] }, /^is a scan/],
		[
			{
				text: [
					'Veuillez patienter... Si ce message ne disparaît pas, voyez http://www.adobe.com/go/reader_download.',
				],
			},
			/XFA/,
		],
		[
			{ text: ['Öffnen Sie dieses PDF-Portfolio in Acrobat X oder Adobe Reader X.'] },
			/portfolio/,
		],
		[{ text: ['scanned by TapScanner\n', ' Scanned using Adobe Scan'] }, /^is a scan/],
		[
			{ text: [1, 2, 3, 4].map((at) => `ACME Corporation, Annual Report\nPage ${at} of 4`) },
			/^is a scan without text \(0 letters on 4 pages\)/,
		],
		[
			{
				text: [
					'',
					`Confidential, for internal use 2\n`,
					'',
					...[4, 5].map((at) => `Confidential, for internal use ${at}`),
				],
			},
			/^is a scan/,
		],
		[
			{
				text: [
					'Please wait...\nIf this message is not eventually\nreplaced by the proper contents of the document, your PDF viewer may not be able to display this type of document.',
				],
			},
			/^is a form of Adobe \(XFA\)/,
		],
		[
			{ text: ['The document you are trying to load requires Adobe Reader 8 or higher.'] },
			/XFA/,
		],
		[
			{
				text: [
					'For the best experience, open this PDF portfolio in\nAcrobat X or Adobe Reader X, or later.',
				],
			},
			/^is a PDF portfolio/,
		],
		[
			{ text: ['Protected PDF File\nThis PDF file has been protected. Get a reader.'] },
			/^is protected/,
		],
		[{ text: ['Nineteen letters he.'.repeat(1).slice(0, 19)] }, /^is a scan/],
	])('a PDF with %j has a problem', (json, problem) => {
		expect(pdf(json)).toEqual({ id: 'a', problem: expect.stringMatching(problem) });
	});

	test('lines that all pages share do not count, and stay in the text', () => {
		const header = 'ACME Corporation, Annual Report of all countries';
		const pages = Array.from({ length: 10 }, (_, at) => `${header}\n${at + 1} / 10`);
		pages[3] += `\n${page}`;
		const all = [1, 2, 3, 5, 6, 7, 8, 9, 10];
		expect(pdf({ text: pages })).toEqual({ id: 'a', pages, pagesWithoutText: all });
		// Two pages may say the same, and a line that is missing from one page is a text.
		const two = pages.slice(0, 2);
		expect(pdf({ text: two })).toEqual({ id: 'a', pages: two });
		const most = [...pages.slice(0, 3), page];
		expect(pdf({ text: most })).toEqual({ id: 'a', pages: most });
	});

	test('pages that differ only in many numbers are tables, and not stamped scans', () => {
		const price = (at: number) => `Article ${4000 + at} costs ${at * 7} Euro`;
		const table = (at: number) => Array.from({ length: 5 }, (_, row) => price(at * 5 + row));
		const tables = Array.from({ length: 4 }, (_, at) => [...table(at), `${at + 1}`].join('\n'));
		expect(pdf({ text: tables })).toEqual({ id: 'a', pages: tables });
		const forms = [1, 2, 3].map((at) =>
			['Invoice', 'Date', 'Net sum', 'Tax', 'Sum'].map((name) => `${name} ${at}0${at}`),
		);
		const invoices = forms.map((lines) => lines.join('\n'));
		expect(pdf({ text: invoices })).toEqual({ id: 'a', pages: invoices });
		const few = forms.map((lines) => lines.slice(1).join('\n'));
		expect(pdf({ text: few }).problem).toMatch(/^is a scan/);
		// The same numbers on all pages are a letterhead.
		const head = Array.from({ length: 9 }, (_, at) => `Call us: 0800 ${at}`).join('\n');
		expect(pdf({ text: [head, head, head] }).problem).toMatch(/^is a scan/);
		const numbers = Array.from({ length: 9 }, (_, at) => `${at * 1234}`).join('\n');
		expect(pdf({ text: [numbers] })).toEqual({ id: 'a', pages: [numbers] });
	});

	test('one page of text among scans is read, and the others are named', () => {
		const pages = [page, ...Array<string>(9).fill('')];
		expect(pdf({ text: pages })).toEqual({
			...{ id: 'a', pages },
			pagesWithoutText: [2, 3, 4, 5, 6, 7, 8, 9, 10],
		});
	});

	test('a page about such a message is a text', () => {
		const thanks = `${page} Thanks... Get Adobe Reader: adobe.com/go/reader`;
		expect(pdf({ text: [thanks] })).toHaveProperty('pages');
		expect(pdf({ text: [`${page}\nOur portfolio of ladders`] })).toHaveProperty('pages');
		const said =
			'Readers see: If this message is not eventually replaced by the proper contents';
		expect(pdf({ text: [said, page, page] })).toHaveProperty('pages');
		expect(pdf({ text: [said + page.repeat(60)] })).toHaveProperty('pages');
	});

	test('bytes of HTML that are no text have a problem', () => {
		const htmls = [{ json: { problem: 'is not a text', text: '' } }];
		expect(fetched('html', { htmls })).toEqual({ id: 'a', problem: 'is not a text' });
	});

	test('a text is decoded once', () => {
		expect(text('Küçük')).toMatchObject({ id: 'a', text: 'Küçük' });
		expect(text(Buffer.from('Caf\xe9', 'latin1')).text).toBe('Café');
		const oneBadByte = Buffer.concat([Buffer.from('Größe\n'), Buffer.from([0xe9])]);
		expect(text(oneBadByte).text).toBe('Größe\né');
		const csv = Buffer.from('\xfc;b\n1;2', 'latin1');
		expect(text(csv, 'csv').text).toBe('ü: 1; b: 2');
	});

	test('HTML has a text, and its title as name', () => {
		expect(fetched('html', { htmls: [{ json: { text: '# A', title: ' T ' } }] })).toEqual({
			...{ id: 'a', text: '# A', name: 'T' },
		});
		expect(fetched('htm', { htmls: [{ json: { text: '# A', title: '' } }] })).toEqual({
			...{ id: 'a', text: '# A' },
		});
	});

	test('HTML without a text may need JavaScript', () => {
		const app = (size: number) =>
			fetched('html', { htmls: [{ json: { text: ' ', title: 'App' } }] }, size);
		expect(app(70).problem).toMatch(/^has no text: if it needs JavaScript/);
		expect(app(0)).toEqual({ id: 'a', text: ' ', name: 'App' });
	});

	test.each(['txt', 'html'])('a PDF that is named .%s has a problem', (extension) => {
		const data = '%PDF-1.3 1 0 obj << /F1 2 0 R >>';
		const [texts, htmls] = [
			[{ json: { data: base64(data) } }],
			[{ json: { text: data, title: '' } }],
		];
		expect(fetched(extension, { texts, htmls }).problem).toBe(
			'is a PDF file: give it the extension pdf',
		);
	});

	test.each(['txt', 'csv', 'md'])('an HTML page that is named .%s has a problem', (extension) => {
		for (const page of ['<!DOCTYPE html>\n<title>Sign in', ' <html lang="en"><body>Sign in'])
			expect(text(page, extension).problem).toBe(
				'is an HTML page: give it the extension html',
			);
		expect(text('<!-- A note --> <html>', extension).problem).toBeUndefined();
	});

	test('a text is as it is, unless it is no text', () => {
		expect(text('A\n;B', 'md')).toEqual({ id: 'a', text: 'A\n;B' });
		expect(text('')).toEqual({ id: 'a', text: '', isPlain: true });
		expect(text('A\0B')).toEqual({ id: 'a', problem: 'is not a text' });
		const picture = Buffer.from('%PDF-1.7\n\x01\0\x02\xff', 'latin1');
		expect(text(picture).problem).toBe('is a PDF file: give it the extension pdf');
		expect(
			fetched('txt', { texts: [{ json: { error: 'unknown encoding' } }] }).problem,
		).toMatch(/^is damaged.*unknown encoding/);
	});

	test.each([
		['a,b\n1,2\n3,4', 'a: 1; b: 2\n\na: 3; b: 4'],
		['a;b\r\n"1;2";"say ""hi"""\r\n', 'a: 1;2; b: say "hi"'],
		['a\tb\n1\t2', 'a: 1; b: 2'],
		['a,a\n1,2', 'a: 1; a: 2'],
		['a,b\n1\n1,2,3', 'a: 1\n\na: 1; b: 2; 3'],
		['a,b\n\n,\n1,2', 'a: 1; b: 2'],
		['a\n"one\ntwo"', 'a: one\ntwo'],
		['a,b\n"never closed,2\n3,4', 'a: "never closed; b: 2\n\na: 3; b: 4'],
		['a,b\n"x"y,2', 'a: "x"y; b: 2'],
		['only,names', 'only; names'],
		['sep=;\r\na;b\r\n1,5;2', 'a: 1,5; b: 2'],
		['"sep=\t"\na\tb\n1\t2', 'a: 1; b: 2'],
		['\ufeffSEP=|\na|b\n1|2', 'a: 1; b: 2'],
		['sep=^\na^b\n1^2', 'a: 1; b: 2'],
		['sep=-\na-b\n1-2', 'a: 1; b: 2'],
		['"Name, first";b;c\n1;2;3', 'Name, first: 1; b: 2; c: 3'],
		['"a,b"\n1', 'a,b: 1'],
		['Sales in March\r\n\r\na;b\r\n1;2,5', 'Sales in March\n\na: 1; b: 2,5'],
		['#TYPE System.Object\na,b\n1,2', 'a: 1; b: 2'],
		['sep=a,b\n1,2', 'sep=a: 1; b: 2'],
		['', ''],
	])('the rows of the CSV file %j', (csv, rows) => {
		expect(text(csv, 'csv')).toEqual({ id: 'a', text: rows, isPlain: true });
	});

	test('only Markdown, HTML and Office files have headings', () => {
		const expected = { id: 'a', text: '# A' };
		expect(text('# A', 'md')).toEqual(expected);
		expect(fetched('docx', { words: [{ json: { entry: 0, text: '# A' } }] })).toEqual(expected);
		expect(text('# A', 'txt')).toEqual({ ...expected, isPlain: true });
	});

	test('if the nodes for Office files fail, their files are tried again', () => {
		expect(fetched('docx', { words: [{ json: { error: 'timed out' } }] })).toEqual({
			...{ id: 'a', error: 'timed out' },
		});
		expect(fetched('docx', {})).toEqual({ id: 'a', error: 'was not read' });
	});

	test('a kind that n8n cannot read', () => {
		expect(fetched('doc', {}).problem).toMatch(/^is a file of the kind 'doc'.* save it as PDF/);
		expect(fetched('constructor', {}).problem).toMatch(/^is a file of the kind 'constructor'/);
	});

	test('missing entries, problems of the list and failed downloads', () => {
		const entry = { isMissing: false, extension: 'txt', size: 3 };
		const wanted = ['c', 'd', 'e'].map((id) => ({ ...entry, id }));
		const entries = [
			{ id: 'a', isMissing: true },
			{ ...entry, id: 'b', problem: 'is too large' },
			...wanted,
		];
		const downloads: FileItem[] = [
			{ json: { error: 'No such file' } },
			{ json: {}, binary: { data: { bytes: 2 } } },
			{ json: {}, binary: { data: { bytes: 3 } } },
		];
		const read = kinds({ entries: wanted, downloads });
		const texts = ['D', 'E'].map((data) => ({ json: { data: base64(data) } }));
		const others = { pdfs: [], htmls: [], ...NO_OFFICE };
		const results = fetchedFiles({ entries, wanted, downloads, files: read, texts, ...others });
		expect(results.map(({ json }) => json)).toEqual([
			{ id: 'a', text: '' },
			{ id: 'b', problem: 'is too large' },
			{ id: 'c', error: 'No such file' },
			{
				id: 'd',
				error: expect.stringContaining('size was 3 in the list and 2 in the download'),
			},
			{ id: 'e', text: 'E', isPlain: true },
		]);
	});

	describe('a file that is missing from the list of Drive', () => {
		const missing = (asked: AskedItem[] | null, folder = 'root folder') => {
			const entries = [
				{ id: 'x', isMissing: true },
				{ id: 'y', isMissing: false, problem: 'is too large' },
				{ id: 'a', isMissing: true },
			];
			const others = {
				...{ pdfs: [], texts: [], htmls: [], words: [], workbooks: [], slides: [] },
				...{ files: [], downloads: [] },
			};
			const input = { entries, wanted: [], ...others, asked, folder };
			return fetchedFiles(input).map(({ json }) => json)[2];
		};
		const answer = (statusCode: number, body: object = {}, item = 1): AskedItem => ({
			...{ json: { statusCode, body }, pairedItem: { item } },
		});
		const other = answer(200, { id: 'x', parents: ['root folder'] }, 0);
		const file = answer(200, { id: 'a', trashed: false, parents: ['sub'] });

		test.each([
			['does not exist', [other, answer(404, { error: {} })]],
			[
				'is in the trash',
				[other, answer(200, { id: 'a', trashed: true, parents: ['root folder'] })],
			],
			[
				'is in another folder',
				[
					other,
					file,
					answer(200, { id: 'sub', parents: ['top'] }),
					answer(200, { id: 'top' }),
				],
			],
			['is where the login may not look', [other, file, answer(404)]],
		])('counts under the limits if it %s', (_what, asked) => {
			expect(missing(asked)).toEqual({ id: 'a', text: '' });
		});

		test.each<[string, AskedItem[], RegExp]>([
			[
				'is still in the folder',
				[
					other,
					file,
					answer(200, { id: 'sub', parents: ['root folder'] }),
					answer(200, { id: 'root folder' }),
				],
				/^is in the folder, but not in its list/,
			],
			['is not asked for', [other], /^was not asked for/],
			[
				'gets no answer',
				[other, { json: { error: 'ECONNRESET' }, pairedItem: { item: 1 } }],
				/ECONNRESET/,
			],
			['gets another answer', [other, answer(503)], /^Drive answers with status 503/],
		])('stays if it %s', (_what, asked, error) => {
			expect(missing(asked)).toEqual({
				id: 'a',
				error: expect.stringMatching(error) as string,
			});
		});

		test('without a node that asks, and without a folder, it counts under the limits', () => {
			expect(missing(null)).toEqual({ id: 'a', text: '' });
			expect(missing([other, file, answer(200, {})], '')).toEqual({ id: 'a', text: '' });
		});
	});

	test('a download of another size than listed is an error, also if one of the two is empty', () => {
		const sizes = [undefined, 0, 1, 2];
		for (const size of sizes)
			for (const bytes of sizes) {
				const entries = [{ id: 'a', isMissing: false, extension: 'txt', size }];
				const downloads: FileItem[] = [{ json: {}, binary: { data: { bytes } } }];
				const files = kinds({ entries, downloads });
				const others = {
					pdfs: [],
					htmls: [],
					...NO_OFFICE,
					texts: [{ json: { data: base64('T') } }],
				};
				const [{ json }] = fetchedFiles({
					...{ entries, wanted: entries, downloads, files },
					...others,
				});
				const isOther = size !== undefined && bytes !== undefined && size !== bytes;
				expect([size, bytes, 'error' in json]).toEqual([size, bytes, isOther]);
			}
	});

	test('if the connection fails, its error counts for each file', () => {
		const entries = ['a', 'b'].map((id) => ({ id, isMissing: false, extension: 'txt' }));
		const downloads = [{ json: { error: 'ECONNREFUSED' } }];
		expect(kinds({ entries, downloads })).toEqual([]);
		const none = { files: [], pdfs: [], texts: [], htmls: [], ...NO_OFFICE };
		const results = fetchedFiles({ entries, wanted: entries, downloads, ...none });
		expect(results.map(({ json }) => json)).toEqual([
			{ id: 'a', error: 'ECONNREFUSED' },
			{ id: 'b', error: 'ECONNREFUSED' },
		]);
	});
});

/** What n8n's nodes extract from a file, and what becomes of it, by the file's extension. */
const CONTENTS: Record<
	string,
	(id: string) => [Array<ExtractedItem['json'] & { pages?: string[] }>, result: object]
> = {
	pdf: (id) => [[{ text: [page + id] }], { pages: [page + id] }],
	txt: (id) => [[{ data: base64(id) }], { text: id, isPlain: true }],
	md: (id) => [[{ data: base64(`# ${id}`) }], { text: `# ${id}` }],
	html: (id) => [[{ text: id, title: '' }], { text: id }],
	xlsx: (id) => [[{ text: id }], { text: id }],
	docx: (id) => [[{ text: id }], { text: id }],
	pptx: (id) => [[{ pages: [id] }], { pages: [id] }],
	doc: () => [[], { problem: expect.stringContaining("'doc'") as string }],
};
const STATES = ['readable', 'damaged', 'not downloaded', 'missing', 'too large'];

test('in any batch of files, each file has its own content', () => {
	const variations = new Variations();
	const anyFile = fc.record({
		extension: fc.constantFrom(...Object.keys(CONTENTS)),
		state: fc.oneof(fc.constant('readable'), fc.constantFrom(...STATES)),
	});
	fc.assert(
		fc.property(fc.array(anyFile, { maxLength: 10 }), (batch) => {
			const all = batch.map((file, at) => ({ ...file, id: `file ${at}` }));
			const entries = all.map(({ id, extension, state }) => ({
				...{ id, extension, isMissing: state === 'missing' },
				...(state === 'too large' && { problem: state }),
			}));
			const isWanted = (at: number) => !['missing', 'too large'].includes(all[at].state);
			const wanted = entries.filter((_, at) => isWanted(at));
			const downloads = all
				.filter((_, at) => isWanted(at))
				.map(
					({ id, state }): FileItem =>
						state === 'not downloaded'
							? { json: { error: id } }
							: { json: {}, binary: { data: {} } },
				);
			const kept = kinds({ entries: wanted, downloads });
			// n8n's nodes read the files of one kind, in their order.
			const extracted = (kind: string) =>
				kept
					.filter(({ json }) => json.kind === kind)
					.flatMap(({ json: { id } }, item) => {
						const file = all.find((each) => each.id === id) ?? all[0];
						const [contents] = CONTENTS[file.extension](file.id);
						const items = file.state === 'damaged' ? [{ error: file.id }] : contents;
						return items.map((json) => ({ json, pairedItem: { item } }));
					});
			const office = (format: string): OfficeItem[] =>
				kept
					.filter(({ json }) => json.format === format)
					.map(({ json: { id, entry } }) => {
						const file = all.find((each) => each.id === id) ?? all[0];
						const [[contents]] = CONTENTS[format](file.id);
						const problem = `is damaged (${file.id})`;
						const found = file.state === 'damaged' ? { problem } : contents;
						return { json: { entry, ...found } };
					});
			const results = fetchedFiles({
				...{ entries, wanted, downloads, files: kept },
				...{ pdfs: extracted('pdf'), texts: extracted('text') },
				...{ htmls: extracted('html'), words: office('docx') },
				...{ workbooks: office('xlsx'), slides: office('pptx') },
			});
			const expected = all.map(({ id, extension, state }) => {
				const [contents, result] = CONTENTS[extension](id);
				if (state === 'missing') return { id, text: '' };
				if (state === 'too large') return { id, problem: state };
				if (state === 'not downloaded') return { id, error: id };
				if (state === 'damaged' && contents.length > 0)
					return { id, problem: expect.stringContaining(`(${id})`) as string };
				return { id, ...result };
			});
			expect(results.map(({ json }) => json)).toEqual(expected);
			variations.note({
				...occurring(Object.keys(CONTENTS), (name) =>
					batch.some(({ extension, state }) => extension === name && state === STATES[0]),
				),
				...occurring(STATES, (name) => batch.some(({ state }) => state === name)),
				'no file': batch.length === 0,
			});
		}),
	);
	expect(variations.rarerThan(1)).toEqual([]);
});

test('HTML to Text returns one item per file', () => {
	const data = base64('<title>Tä</title><nav>N</nav><main>A<table><tr><td>1<td>2</table></main>');
	const files = [{ json: { data } }, { json: { error: 'unknown encoding' } }];
	const texts = (settings: object) => htmlTexts({ files, settings }).map(({ json }) => json);
	expect(texts({})).toEqual([{ title: 'Tä', text: 'A\n\n1\n2' }, { error: 'unknown encoding' }]);
	expect(texts({ leaveOut: 'table' })[0]).toEqual({ title: 'Tä', text: 'A' });
	expect(texts({ mainPart: 'table' })[0]).toEqual({ title: 'Tä', text: '1\n2' });
});

describe('Google Drive', () => {
	const google = 'application/vnd.google-apps.';
	const office = 'application/vnd.openxmlformats-officedocument.';

	test('the folders below a folder, also if they contain each other', () => {
		const folders = [
			...[
				{ id: 'c', parents: ['b'] },
				{ id: 'b', parents: ['a'] },
				{ id: 'x', parents: ['y'] },
			],
			...[{ id: 'a', parents: ['c'] }, { id: 'd' }, {}],
		];
		const below = driveFolders({ folders, root: ' a ' });
		expect(below.map(({ json }) => json.id)).toEqual(['a', 'b', 'c']);
		expect(driveFolders({ folders: [{}], root: 'a' })).toEqual([
			{ json: { id: 'a', path: '' } },
		]);
	});

	test('fields of a file, and its owners only if they are named', () => {
		const folders = driveFolders({
			folders: [
				{ id: 'b', name: 'B', parents: ['a'] },
				{ id: 'c', name: 'C', parents: ['b'] },
			],
			root: 'a',
		}).map(({ json }) => json);
		const file = {
			...{ id: '1', name: 'x.pdf', mimeType: 'application/pdf', md5Checksum: 'm' },
			...{ modifiedTime: '2026-03-01T11:00:00Z', parents: ['c'] },
			owners: [{ displayName: 'Ann' }],
		};
		const fieldsOf = (fields?: string) =>
			driveFiles({ files: [file], folders, mostMegabytes: 1, fields })[0].json.fields;
		expect(fieldsOf('path, folder, extension, modified')).toEqual({
			...{ path: 'B/C/x.pdf', folder: 'B/C', extension: 'pdf' },
			modified: '2026-03-01T11:00:00Z',
		});
		expect(fieldsOf('owners')).toEqual({ owners: ['Ann'] });
		expect(fieldsOf()).toBeUndefined();
	});

	const chosenFile = (file: object, mostMegabytes = 20) =>
		driveFiles({ files: [{ id: '1', name: 'a.b', ...file }], mostMegabytes })[0]?.json;

	test.each([
		['application/pdf', 'pdf'],
		['text/markdown', 'md'],
		[`${google}document`, 'md'],
		[`${google}spreadsheet`, 'csv'],
		[`${google}presentation`, 'pdf'],
	])('a file of the type %s is read as %s', (mimeType, extension) => {
		expect(chosenFile({ mimeType })).toMatchObject({ id: '1', extension });
	});

	test.each([
		['guide.md', 'application/octet-stream', 'md'],
		['Guide.MD', '', 'md'],
		['prices.csv', 'application/vnd.ms-excel', 'csv'],
		['page.htm', 'application/xhtml+xml', 'htm'],
		['manual.pdf', 'application/octet-stream', 'pdf'],
		['guide.md', 'text/x-web-markdown', 'md'],
		['letter.docx', 'application/zip', 'docx'],
		['Talk.PPTX', 'application/octet-stream', 'pptx'],
		['guide.txt', 'application/pdf', 'pdf'],
		['Terms', `${office}wordprocessingml.document`, 'docx'],
		['Talk', `${office}presentationml.presentation`, 'pptx'],
		['Stock', `${office}spreadsheetml.sheet`, 'xlsx'],
	])('%s of the type %j is read as %s', (name, mimeType, extension) => {
		expect(chosenFile({ name, mimeType })).toMatchObject({ id: '1', extension });
	});

	test.each([
		['guide.md', `${google}shortcut`, 'Google shortcut'],
		['picture.md', 'image/png', 'md'],
		['program.exe', 'application/octet-stream', 'exe'],
		['terms.doc', 'application/msword', 'doc'],
		['talk.ppt', 'application/vnd.ms-powerpoint', 'ppt'],
		['constructor', 'application/octet-stream', 'application/octet-stream'],
	])('%s of the type %s is skipped as %s', (name, mimeType, skipped) => {
		expect(chosenFile({ name, mimeType })).toEqual({ id: '1', skipped });
	});

	test('the version is the checksum, or the time of a file of Google', () => {
		const modifiedTime = '2026-03-01T11:00:00Z';
		const uploaded = { mimeType: 'text/plain', modifiedTime, md5Checksum: 'c', size: '7' };
		expect(chosenFile(uploaded)).toMatchObject({ version: 'c', size: 7 });
		const document = chosenFile({ mimeType: `${google}document`, modifiedTime, size: '7' });
		expect(document).toMatchObject({ version: modifiedTime, size: undefined });
	});

	test.each([
		[{ mimeType: `${google}shortcut` }, 'Google shortcut'],
		[{ mimeType: 'application/msword', name: 'Letter.DOC' }, 'doc'],
		[{ mimeType: 'image/png', name: 'picture' }, 'image/png'],
	])('%j is skipped', (file, skipped) => {
		expect(chosenFile(file)).toEqual({ id: '1', skipped });
	});

	test('a file that is too large has a problem, and an empty list stays empty', () => {
		const file = { mimeType: 'text/plain', md5Checksum: 'c', size: '2500000' };
		expect(chosenFile(file, 2)?.problem).toMatch(/^has 2.5 MB/);
		expect(chosenFile(file, 3)?.problem).toBeUndefined();
		expect(driveFiles({ files: [{}], mostMegabytes: 1 })).toEqual([]);
	});
});
