/** Input of the nodes for pairs.test.ts: records, and files with these records. */
import { gzipSync } from 'node:zlib';

import type {
	IBinaryData,
	IBinaryKeyData,
	IDataObject,
	INodeExecutionData,
	INodeParameters,
} from 'n8n-workflow';

import type { TestFiles } from './binary-data';
import { merged } from './item-by-item';
import type { Choice } from './pairs';
import { indexes } from './sandbox';

const COUNT = 6;
/** The document whose requests are affected by faults. */
const HIT = 2;
const recordOf = (at: number): IDataObject => ({
	id: at === HIT ? 'hit' : `d${at}`,
	name: `N${at}`,
	description: `About ${at}`,
	url: `https://example.com/${at}`,
	text: `One ${at === HIT ? 'hit' : at}.\nTwo.`,
	sku: at === HIT ? 'hit' : `0${at}`,
	title: `T${at}`,
	number: `1${at}`,
	empty: '',
});

/** Two of these texts are more than 1,000 bytes. */
const LONG = `Three ${'x'.repeat(600)}.\nFour.`;

type Change = (record: IDataObject, at: number) => IDataObject;
const CHANGES: Record<string, Change> = {
	plain: (record) => record,
	'IDs twice': (record, at) =>
		at > HIT ? { ...record, id: ['d1', 'hit', 'd1'][at - 3] } : record,
	incomplete: (record, at) => ({
		...record,
		...[
			{ id: '', sku: '' },
			Object.fromEntries(Object.keys(record).map((name) => [name, ''])),
			{},
			{ name: '', title: '' },
			{ id: ' ', sku: ' ', text: ' ' },
			{ text: '' },
		][at],
	}),
	'of a spreadsheet': (record, at) => ({
		...record,
		...[
			{ id: '="00123"' },
			{ id: "'00123", name: '#N/A' },
			{ id: 'hit', text: 'One hit\nd7,N7\nd8,N8' },
			{ id: '4.00638E+12' },
			{ id: 'd\u00e9' },
			{ id: 'de\u0301' },
		][at],
	}),
	'long numbers': (record, at) => ({
		...record,
		...[
			{ number: '@12345678901234567890' },
			{ id: '@9007199254740993' },
			{ number: '@1e400', price: '@0.10' },
			{ name: '@1.0' },
			{ id: '@17', name: '@18' },
			{ text: '@19', sku: '@20' },
		][at],
	}),
	'with pages': (record, at) => ({
		...record,
		text: at === 4 ? [] : [`One ${String(record.id)}.`, '', at === 3 ? null : LONG],
	}),
	'failed before': (record, at) =>
		at % 2 === 1 ? { id: record.id, error: 'Too odd', advice: 'Correct it.' } : record,
	long: (record, at) => ({
		...record,
		description: `${at}`.repeat(500),
		text: `${String(record.text)}\n${LONG}`,
	}),
	'odd values': (record, at) => ({
		...record,
		...[
			{ id: 7, name: -0.5, number: 1e21 },
			{ id: ' a ', name: 'Größe "1"', number: '-12345678901234567890' },
			{ text: 'One hit, two;\r\nthree\t"four"', number: '1e400' },
			{ id: 'a/b?c=%20#0', name: true, tags: ['x', { y: null }], title: 7 },
			{ id: 'ä', text: '\u2028 😀', date: '2024-02-30', number: '007' },
			{ id: '0', url: null, description: ['a', 'b'], number: '' },
		][at],
	}),
};

const textOf = (value: unknown): string =>
	typeof value === 'string'
		? value.replace(/^@/, '')
		: value === null
			? ''
			: JSON.stringify(value);
const inQuotes = (text: string) => `"${text.replaceAll('"', '""')}"`;
const cell = (value: unknown) => {
	const text = textOf(value);
	return /["\r\n,;]/.test(text) ? inQuotes(text) : text;
};
const csv = (delimiter: string, write: (value: unknown) => string = cell) =>
	function csvOf(records: IDataObject[]): string {
		const names = [...new Set(records.flatMap((record) => Object.keys(record)))];
		const rows = records.map((record) => names.map((name) => record[name] ?? ''));
		return [names, ...rows].map((row) => row.map(write).join(delimiter)).join('\r\n');
	};
/** A text that begins with @ becomes a number as it is. JavaScript would change its digits. */
const json = (value: unknown) => JSON.stringify(value).replace(/"@([^"]+)"/g, '$1');
const jsonLines = (records: IDataObject[]) => records.map(json).join('\n');

type Write = (records: IDataObject[]) => string;
/** Functions that write records as files, the files' names, and the parameters that such a file needs. */
const FORMATS: Record<string, [write: Write, name: string, needs?: INodeParameters]> = {
	CSV: [csv(','), 'd.csv'],
	'CSV with ;': [csv(';'), 'd.csv', { options: { delimiter: ';' } }],
	'CSV of Excel': [(records) => `\ufeffsep=;\r\n${csv(';')(records)}`, 'd.csv'],
	'CSV in quotes': [csv('\t', (value) => inQuotes(textOf(value))), 'd.tsv'],
	'CSV with titles': [(records) => `Report\n\n"a, b"\n${csv(',')(records)}`, 'd.csv'],
	'CSV with odd columns': [
		(records) =>
			csv(',')(records)
				.replace(/,sku,title/, ',\u200bsku ,name')
				.replace(/$/m, ','),
		'd.csv',
	],
	'JSON Lines': [jsonLines, 'd.jsonl'],
	'JSON Lines in .json': [jsonLines, 'd.json'],
	'JSON objects in a line': [(records) => `\n${records.map(json).join('')}\n\n`, 'd.ndjson'],
	'JSON list': [json, 'd.json', { fileFormat: 'jsonArray' }],
	'JSON list at a path': [(list) => json({ a: { list } }), 'd.json', { listPath: 'a.list' }],
	gzip: [csv(','), 'd.csv.gz', { fileFormat: 'csv' }],
};
const DAMAGES: Record<string, (text: string) => string> = {
	none: (text) => text,
	'cut off': (text) => text.slice(0, -20),
	'a wrong line': (text) => text.replace(/(?<=\n).*d3/, '{"a":"'),
	'a quote': (text) => text.replace('N3', '"N3'),
	'a blank line': (text) => text.replace(/(?<=\n)(?=.*d3)/, ' ,,,\r\n'),
	'a NUL character': (text) => text.replace('About 4', '\0'),
};

export const RECORDS = { records: Object.keys(CHANGES) } as const;
export const recordsFor = ({ records }: Choice<typeof RECORDS>): IDataObject[] =>
	indexes(COUNT).map((at) => CHANGES[records]?.(recordOf(at), at) ?? {});

export const FILES = {
	file: Object.keys(FORMATS),
	damage: Object.keys(DAMAGES),
	encoding: ['auto', 'utf-16le', 'UTF-16', 'windows-1252', 'latin1'],
	binaryMode: ['separate', 'combined'],
	groups: ['one file', 'two files', 'two items'],
	skipRecords: ['0', '2', '7'],
	maxRecords: ['0', '3'],
	bytesPerFile: ['32000000', '1000'],
	jsonColumns: ['', 'number'],
	quotes: ['on', 'none'],
} as const;

/** Returns the parameters that read the files of a choice. */
export function fileParameters(choice: Choice<typeof FILES>): INodeParameters {
	const { encoding, groups, skipRecords, maxRecords, bytesPerFile, jsonColumns, quotes } = choice;
	const options = {
		// Only an expression can contain a label that is not in the list.
		encoding: `={{ '${encoding}' }}`,
		...{ jsonColumns, quotes, skipRecords: Number(skipRecords) },
		...{ maxRecords: Number(maxRecords), bytesPerFile: Number(bytesPerFile) },
	};
	const before = choice.binaryMode === 'combined' ? '_files.' : '';
	const names = groups === 'two files' ? ['data', 'other'] : ['data'];
	const binaryPropertyName = names.map((name) => before + name).join(', ');
	const [, , parameters = {}] = FORMATS[choice.file] ?? [];
	return merged({ binaryPropertyName, options }, parameters);
}

/** Returns items with the records of a choice in files. A second file or item has the last two records. */
export async function fileItems(
	choice: Choice<typeof FILES & typeof RECORDS>,
	files: TestFiles,
): Promise<INodeExecutionData[]> {
	const [write = json, name = ''] = FORMATS[choice.file] ?? [];
	const records = recordsFor(choice);
	const fileOf = async (some: IDataObject[]): Promise<IBinaryData> => {
		const text = DAMAGES[choice.damage]?.(write(some)) ?? '';
		const bytes = bytesOf(text, choice.encoding);
		const content = name.endsWith('.gz') ? gzipSync(bytes) : bytes;
		return await files.store(content, name, 'application/octet-stream');
	};
	const itemOf = (binary: IBinaryKeyData): INodeExecutionData =>
		choice.binaryMode === 'combined'
			? { json: { _files: binary as never } }
			: { json: {}, binary };
	if (choice.groups === 'one file') return [itemOf({ data: await fileOf(records) })];
	const data = await fileOf(records.slice(0, 4));
	const other = await fileOf(records.slice(4));
	return choice.groups === 'two items'
		? [itemOf({ data }), itemOf({ data: other })]
		: [itemOf({ data, other })];
}

function bytesOf(text: string, encoding: Choice<typeof FILES>['encoding']): Buffer {
	if (encoding.toLowerCase().startsWith('utf-16')) return Buffer.from(text, 'utf16le');
	const isLatin = encoding !== 'auto' && !/[\u0100-\uffff]/.test(text);
	return Buffer.from(text, isLatin ? 'latin1' : 'utf8');
}

/** Returns items with a text file each. */
export async function textFileItems(
	choice: Choice<typeof RECORDS>,
	files: TestFiles,
): Promise<INodeExecutionData[]> {
	return await Promise.all(
		recordsFor(choice).map(async (json) => ({
			...(await files.item(textOf(json.text ?? ''), `${textOf(json.name ?? '')}.txt`)),
			json,
		})),
	);
}
