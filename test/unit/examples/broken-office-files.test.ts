import officeArchives from '../../../examples/src/code/office-archives';
import { outermost, rootOf } from '../../../examples/src/code/shared/xml';
import type { ZipPart } from '../../../support/zip';
import { zip } from '../../../support/zip';
import type { Kind } from './support/office-files';
import {
	bookParts,
	c,
	links,
	p,
	readAll,
	readFile,
	rows,
	shape,
	slideParts,
	wordParts,
} from './support/office-files';

const good: Record<Kind, ZipPart[]> = {
	docx: wordParts(p('Text')),
	xlsx: bookParts([{ name: 'S', xml: rows([c('Text')]) }], { strings: '<si><t>x</t></si>' }),
	pptx: slideParts([{ xml: shape(['Text'], 'title') }]),
};

const MAIN: Record<Kind, string> = {
	docx: 'word/document.xml',
	xlsx: 'xl/worksheets/sheet0.xml',
	pptx: 'ppt/slides/slide1.xml',
};

/** The parts of a file with one of them changed. */
const changed = (kind: Kind, name: string, change: Partial<ZipPart>): ZipPart[] =>
	good[kind].map((part) => (part.name.includes(name) ? { ...part, ...change } : part));
const without = (kind: Kind, name: string): ZipPart[] =>
	good[kind].filter((part) => !part.name.includes(name));
const document = (content: string) => zip(changed('docx', 'document.xml', { content }));
const xmlWith = (body: string) =>
	document(`<w:document xmlns:w="w"><w:body>${body}</w:body></w:document>`);
const whole = zip(good.docx);
const ole = (word: string) =>
	Buffer.concat([
		Buffer.from('d0cf11e0a1b11ae1', 'hex'),
		Buffer.alloc(600),
		Buffer.from(word, 'utf16le'),
	]);
const zip64 = (archive: Buffer) => {
	const locator = Buffer.alloc(20);
	locator.writeUInt32LE(0x07064b50);
	return Buffer.concat([archive.subarray(0, -22), locator, archive.subarray(-22)]);
};
const nested = (depth: number) => '<w:sdt>'.repeat(depth) + '</w:sdt>'.repeat(depth);

describe('an Office file that cannot be read is named', () => {
	test.each<[string, Kind, Buffer, RegExp]>([
		['0 bytes', 'docx', Buffer.alloc(0), /^is empty/],
		['one byte', 'docx', Buffer.from('P'), /^is damaged/],
		[
			'only the first bytes of an archive',
			'docx',
			Buffer.from('PK\x03\x04'),
			/^is damaged: its end/,
		],
		['a half', 'docx', whole.subarray(0, whole.length / 2), /^is damaged: its end/],
		['no last byte', 'xlsx', zip(good.xlsx).subarray(0, -1), /^is damaged: its end/],
		[
			'no beginning',
			'pptx',
			Buffer.concat([Buffer.from('PK'), zip(good.pptx).subarray(900)]),
			/^is damaged/,
		],
		['an end without a directory', 'docx', whole.subarray(-22), /^is damaged/],
		['an empty archive', 'docx', zip([]), /^is damaged/],
		[
			'a wrong checksum',
			'docx',
			zip(changed('docx', MAIN.docx, { checksum: 1 })),
			/wrong checksum/,
		],
		[
			'a wrong checksum of a slide',
			'pptx',
			zip(changed('pptx', MAIN.pptx, { checksum: 1 })),
			/wrong checksum/,
		],
		[
			'no document',
			'docx',
			zip(without('docx', 'document.xml')),
			/part 'word\/document.xml' is missing/,
		],
		['no sheet', 'xlsx', zip(without('xlsx', 'worksheets/')), /is missing/],
		[
			'no texts of cells',
			'xlsx',
			zip(
				without('xlsx', 'sharedStrings').map((part) => ({
					...part,
					content: String(part.content).replace(
						'<c t="inlineStr"><is><t>Text</t></is></c>',
						'<c t="s"><v>0</v></c>',
					),
				})),
			),
			/its text 0 is missing/,
		],
		[
			'no relationships of a workbook',
			'xlsx',
			zip(without('xlsx', 'workbook.xml.rels')),
			/sheet 'S' is missing/,
		],
		['no slide', 'pptx', zip(without('pptx', 'slide1.xml')), /is missing/],
		[
			'no relationships of a presentation',
			'pptx',
			zip(without('pptx', 'presentation.xml.rels')),
			/slide 1 is missing/,
		],
		['a workbook with the extension docx', 'docx', zip(good.xlsx), /main part is a 'workbook'/],
		[
			'a Word file with the extension pptx',
			'pptx',
			zip(good.docx),
			/main part is a 'document'/,
		],
		[
			'any other archive',
			'xlsx',
			zip([{ name: 'a.txt', content: 'a' }]),
			/part 'xl\/workbook.xml' is missing/,
		],
		[
			'a document that is cut off',
			'docx',
			document('<w:document><w:body><w:p>'),
			/ends within 'w:p'/,
		],
		['a tag that is cut off', 'docx', document('<w:document><w:body><w:p a="'), /is cut off/],
		['a wrong end', 'docx', document('<w:document><w:body></w:p></w:document>'), /wrong end/],
		[
			'a document type with entities',
			'docx',
			document('<!DOCTYPE a [<!ENTITY a "aaa">]><w:document/>'),
			/document type|main part/,
		],
		[
			'bytes that are no UTF-8',
			'docx',
			zip(
				changed('docx', MAIN.docx, {
					content: Buffer.from('<w:document>\xff</w:document>', 'latin1'),
				}),
			),
			/wrong encoding/,
		],
		[
			'an unknown encoding',
			'docx',
			document('<?xml version="1.0" encoding="klingon"?><w:document/>'),
			/wrong encoding/,
		],
		['no XML', 'docx', document('text'), /main part is a 'undefined'/],
		['10,000 elements within each other', 'docx', xmlWith(nested(10_000)), /nested too deeply/],
		[
			'a compression that nobody knows',
			'docx',
			zip(changed('docx', MAIN.docx, { method: 99 })),
			/unknown compression/,
		],
		[
			'a part that cannot be unpacked',
			'docx',
			zip(
				changed('docx', MAIN.docx, { content: '<w:document/>', isStored: true, method: 8 }),
			),
			/^is damaged/,
		],
		[
			'a password within the archive',
			'docx',
			zip(changed('docx', MAIN.docx, { flags: 1 })),
			/^is encrypted/,
		],
		[
			'a password',
			'xlsx',
			ole('EncryptedPackage'),
			/^is encrypted: save it without a password/,
		],
		['the format of Word 97', 'docx', ole('WordDocument'), /^is a file of an old format/],
		['ZIP64', 'docx', zip64(whole), /^is a ZIP64 archive/],
		[
			'a size of ZIP64',
			'docx',
			zip(changed('docx', MAIN.docx, { size: 0xffffffff })),
			/^is a ZIP64 archive/,
		],
		[
			'more than 1,000 parts',
			'docx',
			zip([
				...good.docx,
				...Array.from({ length: 1000 }, (_, at) => ({ name: `${at}`, content: '' })),
			]),
			/^has 1003 parts/,
		],
		[
			'a part that says it has 101 MB',
			'docx',
			zip([...good.docx, { name: 'bomb', content: '', size: 101_000_000 }]),
			/^has 101.0 MB when it is unpacked/,
		],
		['a PDF file', 'docx', Buffer.from('%PDF-1.4\n'), /^is a PDF file/],
		['an HTML page', 'xlsx', Buffer.from('\ufeff<html><body><table>'), /^is an HTML page/],
		[
			'any other file',
			'pptx',
			Buffer.from('{\\rtf1 a}'),
			/^is damaged, or its content is of another kind/,
		],
	])('%s', async (_, kind, archive, problem) => {
		expect(await readFile(kind, archive)).toEqual({
			problem: expect.stringMatching(problem),
		});
	});
});

describe('an Office file that looks odd is read', () => {
	test.each<[string, Kind, ZipPart[]]>([
		[
			'names in other letters and with other slashes',
			'docx',
			good.docx.map(({ name, content }) => ({
				name: `${name.toUpperCase().replaceAll('/', '\\')}`,
				content,
			})),
		],
		[
			'an entry outside of the folder',
			'docx',
			[
				{ name: '../../etc/x', content: 'x' },
				{ name: '../word/document.xml', content: '<x/>' },
				...good.docx,
			],
		],
		[
			'wrong content types',
			'docx',
			[
				{
					name: '[Content_Types].xml',
					content:
						'<Types><Override PartName="/word/document.xml" ContentType="text/plain"/></Types>',
				},
				...good.docx,
			],
		],
		[
			'a main part with another name',
			'docx',
			[
				...changed('docx', '_rels/.rels', {
					content: links({ rId7: ['officeDocument', '/word/document2.xml'] }),
				}).filter(({ name }) => name !== 'word/document.xml'),
				{ ...good.docx[1], name: 'word/document2.xml' },
			],
		],
		['no relationships', 'docx', without('docx', '_rels/')],
		[
			'parts that are not compressed',
			'docx',
			good.docx.map((part) => ({ ...part, isStored: true })),
		],
		['folders as entries', 'docx', [{ name: 'word/', content: '' }, ...good.docx]],
		[
			'UTF-16',
			'docx',
			changed('docx', MAIN.docx, {
				content: Buffer.from(
					`\ufeff${String(good.docx[1].content).replace('UTF-8', 'UTF-16')}`,
					'utf16le',
				),
			}),
		],
		[
			'another prefix',
			'docx',
			changed('docx', MAIN.docx, {
				content: String(good.docx[1].content).replaceAll('w:', 'ns0:'),
			}),
		],
		[
			'no prefix and comments',
			'docx',
			changed('docx', MAIN.docx, {
				content: `<!-- a > b -->\n${String(good.docx[1].content)
					.replace(/<\?.*?>\n/, '')
					.replaceAll('w:', '')
					.replace('<body>', '<body><!-- <p> --><?x <y> ?>')}`,
			}),
		],
	])('%s', async (_, kind, parts) => {
		expect(await readFile(kind, zip(parts))).toEqual({ text: 'Text' });
	});

	test('a comment behind the directory', async () => {
		expect(await readFile('docx', zip(good.docx, 'PK\x05\x06 a comment'))).toEqual({
			text: 'Text',
		});
	});
});

test('each file of a batch has its own result', async () => {
	const batch = [whole, ole('EncryptedPackage'), zip(wordParts(p('Other')))];
	expect(await readAll('docx', batch)).toEqual([
		{ text: 'Text' },
		{ problem: expect.stringMatching(/^is encrypted/) },
		{ text: 'Other' },
	]);
});

test('the sum of the sizes counts, and five times mostMegabytes are allowed', async () => {
	const parts = Array.from({ length: 10 }, (_, at) => ({
		name: `${at}`,
		content: '',
		size: 1_000_000,
	}));
	expect(await readAll('docx', [zip([...good.docx, ...parts])], 1.9)).toEqual([
		{ problem: expect.stringMatching(/^has 10.0 MB/) },
	]);
	expect(await readAll('docx', [zip([...good.docx, ...parts])], 2.1)).toEqual([{ text: 'Text' }]);
});

test('a refused file goes on without its content, so that nobody unpacks it', async () => {
	const [file] = await officeArchives({
		files: [{ json: { entry: 0, format: 'docx' }, binary: { data: {} } }],
		read: async () => await Promise.resolve(ole('EncryptedPackage')),
		mostMegabytes: 20,
	});
	expect(file.binary).toBeUndefined();
});

describe('XML', () => {
	test.each([
		['<a b="1>2" c=\'"\'/>', { b: '1>2', c: '"' }],
		['<a  b = "x&#9;y" ></a>', { b: 'x\ty' }],
		['<a b="&amp;lt;"/>', { b: '&lt;' }],
	])('attributes of %s', (xml, attributes) => {
		expect(rootOf(xml).attributes).toEqual(attributes);
	});

	test('texts and elements keep their order', () => {
		const { children } = rootOf('<a>one<b/>two<c>three</c>four</a>');
		const shown = children.map((each) => (typeof each === 'string' ? each : each.name));
		expect(shown).toEqual(['one', 'b', 'two', 'c', 'four']);
	});

	test.each([
		['unclosed tags', (size: number) => '<a '.repeat(size)],
		['one long tag', (size: number) => `<a ${'b'.repeat(size)}/>`],
		['many attributes', (size: number) => `<a ${'b="1" '.repeat(size)}/>`],
		['a long text', (size: number) => `<a>${'&#x41;&'.repeat(size)}</a>`],
		['many elements', (size: number) => `<a>${'<b/>'.repeat(size)}</a>`],
		['many comments', (size: number) => `<a>${'<!--'.repeat(size)}`],
		['many quotes', (size: number) => `<a>${'<b c="'.repeat(size)}`],
	])('the time for %s grows with the length', (_, xml) => {
		const timed = (size: number) => {
			const text = xml(size);
			const before = process.cpuUsage();
			try {
				expect([...outermost(text, null)].length).toBeLessThan(2);
			} catch {
				// Not all of them are XML.
			}
			const { user, system } = process.cpuUsage(before);
			return user + system;
		};
		timed(1000);
		// A quadratic time would be 400 times as long.
		expect(timed(200_000)).toBeLessThan(20 * (timed(10_000) + 20_000));
	});
});
