/** Office files from XML, and how they are read. */
import path from 'node:path';

import docx from '../../../../examples/src/code/docx';
import officeArchives from '../../../../examples/src/code/office-archives';
import pptx from '../../../../examples/src/code/pptx';
import xlsx from '../../../../examples/src/code/xlsx';
import type { Fetched, UnpackedItem } from '../../../../examples/src/parts/types';
import type { ZipPart } from '../../../../support/zip';
import { unzip, zip } from '../../../../support/zip';

const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const WORD = 'xmlns:w="w" xmlns:r="r" xmlns:mc="mc" xmlns:wps="wps" xmlns:v="v" xmlns:m="m"';

export type Kind = 'docx' | 'xlsx' | 'pptx';

const READERS = { docx, xlsx, pptx };

/** Reads files of one kind as the nodes do, with a stand-in for n8n's Compression node. */
export async function readAll(
	kind: Kind,
	archives: Buffer[],
	mostMegabytes = 20,
): Promise<Array<Partial<Fetched>>> {
	const files = await officeArchives({
		files: archives.map((_, entry) => ({
			json: { entry, format: kind },
			binary: { data: {} },
		})),
		read: async (item) => await Promise.resolve(archives[item]),
		mostMegabytes,
	});
	const bytes: Array<Record<string, Buffer>> = [];
	const unpacked = files.map(({ json, binary }, at): UnpackedItem => {
		bytes[at] = {};
		try {
			if (!binary) throw new Error('no binary field');
			const entries = [...unzip(archives[at])].map(([name, content], number) => {
				const { dir, base } = path.parse(name);
				bytes[at][`file_${number}`] = content;
				return [`file_${number}`, { ...(dir && { directory: dir }), fileName: base }];
			});
			return { json, binary: Object.fromEntries(entries) as UnpackedItem['binary'] };
		} catch (error) {
			return { json: { error: (error as Error).message } };
		}
	});
	const read = async (item: number, field: string): Promise<Buffer> =>
		await Promise.resolve(bytes[item][field]);
	const items = await READERS[kind]({ files, unpacked, read });
	return items.map(({ json: { entry: _, ...result } }) => result);
}

/** Reads one file. */
export async function readFile(kind: Kind, archive: Buffer): Promise<Partial<Fetched>> {
	const [result] = await readAll(kind, [archive]);
	return result;
}

type Links = Record<string, [type: string, target: string]>;

/** Writes a part with relationships. */
export const links = (all: Links): string =>
	`<Relationships xmlns="p">${Object.entries(all)
		.map(
			([id, [type, target]]) =>
				`<Relationship Id="${id}" Type="${OFFICE}/${type}" Target="${target}"/>`,
		)
		.join('')}</Relationships>`;

const main = (target: string): ZipPart => ({
	name: '_rels/.rels',
	content: links({ rId1: ['officeDocument', target] }),
});

/** Returns the parts of a Word file. `more` are further parts, such as `styles`. */
export const wordParts = (body: string, more: Record<string, string> = {}): ZipPart[] => [
	main('word/document.xml'),
	{
		name: 'word/document.xml',
		content: `<?xml version="1.0" encoding="UTF-8"?>\n<w:document ${WORD}><w:body>${body}<w:sectPr/></w:body></w:document>`,
	},
	{
		name: 'word/_rels/document.xml.rels',
		content: links(
			Object.fromEntries(
				Object.keys(more).map((type) => [type, [type, `${type}.xml`] as [string, string]]),
			),
		),
	},
	...Object.entries(more).map(([type, content]) => ({
		name: `word/${type}.xml`,
		content: `<w:${type} ${WORD}>${content}</w:${type}>`,
	})),
];

/** Reads a Word file with this body. */
export const word = async (
	body: string,
	more: Record<string, string> = {},
): Promise<Partial<Fetched>> => await readFile('docx', zip(wordParts(body, more)));

/** A paragraph of a Word file. */
export const p = (text: string, properties = ''): string =>
	`<w:p>${properties && `<w:pPr>${properties}</w:pPr>`}${r(text)}</w:p>`;

/** A run of text. */
export const r = (text: string, properties = ''): string =>
	`<w:r>${properties && `<w:rPr>${properties}</w:rPr>`}<w:t xml:space="preserve">${text}</w:t></w:r>`;

export interface Sheet {
	name: string;
	/** The rows, and what follows them. */
	xml: string;
	state?: string;
	type?: string;
}

/** Returns the parts of a workbook. */
export const bookParts = (
	sheets: Sheet[],
	{ strings = '', styles = '', properties = '' } = {},
): ZipPart[] => [
	main('xl/workbook.xml'),
	{
		name: 'xl/workbook.xml',
		content: `<workbook xmlns:r="r">${properties}<sheets>${sheets
			.map(
				({ name, state }, at) =>
					`<sheet name="${name}" sheetId="${at + 7}" ${state ? `state="${state}" ` : ''}r:id="rId${at}"/>`,
			)
			.join('')}</sheets></workbook>`,
	},
	{
		name: 'xl/_rels/workbook.xml.rels',
		content: links({
			...Object.fromEntries(
				sheets.map(({ type = 'worksheet' }, at) => [
					`rId${at}`,
					[type, `/xl/${type}s/sheet${at}.xml`] as [string, string],
				]),
			),
			...(strings && { s: ['sharedStrings', 'sharedStrings.xml'] as [string, string] }),
			...(styles && { t: ['styles', 'styles.xml'] as [string, string] }),
		}),
	},
	...sheets.map(({ xml, type = 'worksheet' }, at) => ({
		name: `xl/${type}s/sheet${at}.xml`,
		content: `<worksheet>${xml}</worksheet>`,
	})),
	{ name: 'xl/sharedStrings.xml', content: `<sst>${strings}</sst>` },
	{ name: 'xl/styles.xml', content: `<styleSheet>${styles}</styleSheet>` },
];

/** Reads a workbook. */
export const book = async (
	sheets: Sheet[],
	more: { strings?: string; styles?: string; properties?: string } = {},
): Promise<Partial<Fetched>> => await readFile('xlsx', zip(bookParts(sheets, more)));

/** Rows of a sheet, each cell with the XML of its content. */
export const rows = (...all: string[][]): string =>
	`<sheetData>${all
		.map((cells, at) => `<row r="${at + 1}">${cells.join('')}</row>`)
		.join('')}</sheetData>`;

/** A cell with an inline text. */
export const c = (text: string): string => `<c t="inlineStr"><is><t>${text}</t></is></c>`;

export interface Slide {
	/** The shapes. */
	xml: string;
	/** The shapes of the notes. */
	notes?: string;
	isHidden?: boolean;
}

/** Returns the parts of a presentation. Its slides are numbered from the last one to the first one. */
export const slideParts = (slides: Slide[]): ZipPart[] => [
	main('ppt/presentation.xml'),
	{
		name: 'ppt/presentation.xml',
		content: `<p:presentation xmlns:p="p" xmlns:r="r"><p:sldIdLst>${slides
			.map((_, at) => `<p:sldId id="${at + 256}" r:id="rId${at}"/>`)
			.join('')}</p:sldIdLst></p:presentation>`,
	},
	{
		name: 'ppt/_rels/presentation.xml.rels',
		content: links(
			Object.fromEntries(
				slides.map((_, at) => [
					`rId${at}`,
					['slide', `slides/slide${slides.length - at}.xml`] as [string, string],
				]),
			),
		),
	},
	...slides.flatMap(({ xml, notes, isHidden }, at) => {
		const number = slides.length - at;
		const tree = (root: string, shapes: string) =>
			`<p:${root} xmlns:p="p" xmlns:a="a" xmlns:mc="mc"${isHidden ? ' show="0"' : ''}><p:cSld><p:spTree>${shapes}</p:spTree></p:cSld></p:${root}>`;
		return [
			{ name: `ppt/slides/slide${number}.xml`, content: tree('sld', xml) },
			...(notes === undefined
				? []
				: [
						{
							name: `ppt/slides/_rels/slide${number}.xml.rels`,
							content: links({
								rId1: ['notesSlide', `../notesSlides/notesSlide${number}.xml`],
							}),
						},
						{
							name: `ppt/notesSlides/notesSlide${number}.xml`,
							content: tree('notes', notes),
						},
					]),
		];
	}),
];

/** Reads a presentation. */
export const slides = async (...all: Slide[]): Promise<Partial<Fetched>> =>
	await readFile('pptx', zip(slideParts(all)));

/** A shape of a slide. `kind` is the kind of its placeholder. */
export const shape = (paragraphs: string[], kind = ''): string =>
	`<p:sp><p:nvSpPr><p:nvPr>${kind && `<p:ph type="${kind}"/>`}</p:nvPr></p:nvSpPr><p:txBody>${paragraphs
		.map((text) => `<a:p><a:r><a:t>${text}</a:t></a:r></a:p>`)
		.join('')}</p:txBody></p:sp>`;
