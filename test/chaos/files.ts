/** Files of records: what is in them, and what of it can ever get to the service. All plain JSON. */
import { gzipSync } from 'node:zlib';

import type { NodeKey } from './adapter';

export type FileFormat = 'jsonLines' | 'jsonArray' | 'csv' | 'lines';

export interface FileRecord {
	/** As it is in the file. */
	text: string;
	/**
	 * What the service knows it by: the version of a document, an ID to delete, or the key of a text.
	 * A record without it can only fail.
	 */
	key?: string;
	/** Of the document. */
	id?: string;
	/** It cannot even be parsed. */
	isUnreadable?: true;
}

export interface FilePlan {
	name: string;
	/** The field that it is in, of the item that has the file before it: else `data` of an item of its own. */
	field?: string;
	/** The number that its records are named by, if it is not its place in the world. */
	number?: number;
	format: FileFormat;
	/** Whether the node is told the format. */
	isNamed: boolean;
	isGzip: boolean;
	/** Of gzip, as `cat` makes several of them: 1 unless given. */
	members?: number;
	/** Zeros behind the last member, which do no harm. */
	isPadded?: boolean;
	/** It breaks off after its records, and not between two of them. */
	isCut: boolean;
	/** How a gzip file does so: without its end unless given, or with something else behind a member. */
	cutBy?: 'zeros and a member' | 'other bytes';
	/** text/plain, which n8n gives to whatever it does not know. */
	isTextPlain?: boolean;
	/** Records to skip. */
	skip: number;
	/** How many records to read after these: all unless given. */
	max?: number;
	records: FileRecord[];
	/** UTF-8 without a mark unless given. */
	encoding?: 'utf-8 with mark' | 'utf-16le' | 'utf-16be';
	/** Empty lines after the first record, which may be more than what is read at a time. */
	blanks?: number;
	/** Nothing of it can be read: it has no records. */
	refused?: 'missing' | 'empty' | 'no text' | 'unclear format';
}

/** A record before it has a format and a place in its file. */
export interface Draft {
	value: unknown;
	kind: 'good' | 'bad' | 'unreadable';
}

export const EXTENSION: Record<FileFormat, string> = {
	jsonLines: 'jsonl',
	jsonArray: 'json',
	csv: 'csv',
	lines: 'txt',
};

/** Columns of CSV files. */
const COLUMNS = ['id', 'name', 'version', 'reject', 'poison', 'text'];

const cellOf = (value: unknown): string =>
	value === undefined ? '' : `"${String(value).replaceAll('"', '""')}"`;

const isObject = (value: unknown): value is Record<string, unknown> =>
	typeof value === 'object' && value !== null && !Array.isArray(value);

/** What has a form in text as it is: anything else would become another ID. */
const isText = (value: unknown): boolean =>
	typeof value === 'string' && !/\p{Surrogate}/u.test(value);

function idOf(value: unknown): unknown {
	return isObject(value) ? value.id : value;
}

/** A record as the format writes it; undefined for what it has no way to write. */
function textOf({ value, kind }: Draft, format: FileFormat, place: string): string | undefined {
	const isWritable = kind === 'good' || isText(idOf(value));
	switch (format) {
		case 'jsonLines':
			return kind === 'unreadable' ? `{"id": "${place}", ` : JSON.stringify(value);
		case 'jsonArray':
			return kind === 'unreadable' ? undefined : JSON.stringify(value);
		case 'csv':
			if (kind === 'unreadable') return `${place}${',more'.repeat(COLUMNS.length)}`;
			return isObject(value) && isWritable
				? COLUMNS.map((column) => cellOf(value[column])).join(',')
				: undefined;
		case 'lines': {
			const id = idOf(value);
			return kind !== 'unreadable' && isWritable && String(id).trim() !== ''
				? String(id)
				: undefined;
		}
	}
}

/** What a node sees of drafts: chunking has texts, pushing has versions. */
function keyOf(node: NodeKey, value: unknown, place: string): string {
	if (node === 'push') return `v${place}`;
	return node === 'chunk' ? place : String(idOf(value));
}

/** The records of a file, those left out that its format cannot write. */
export function recordsOf(
	node: NodeKey,
	format: FileFormat,
	file: number,
	drafts: Array<(place: string) => Draft>,
): FileRecord[] {
	return drafts.flatMap((draftOf, at): FileRecord[] => {
		const place = `i${file}t${at}`;
		const draft = draftOf(place);
		const { kind, value } = draft;
		const text = textOf(draft, format, place);
		if (text === undefined) return [];
		return [
			{
				text,
				...(kind === 'good' && {
					key: keyOf(node, value, place),
					id: String(idOf(value)),
				}),
				...(kind === 'unreadable' && { isUnreadable: true }),
			},
		];
	});
}

/** Half of a character, in UTF-8 and in UTF-16. */
const BROKEN_TEXT = { utf8: Buffer.from([0xe6, 0xbc]), utf16: Buffer.from([0x41]) };

function encoded(text: string, encoding: FilePlan['encoding']): Buffer {
	switch (encoding) {
		case undefined:
			return Buffer.from(text);
		case 'utf-8 with mark':
			return Buffer.from(`\ufeff${text}`);
		case 'utf-16le':
			return Buffer.from(`\ufeff${text}`, 'utf16le');
		case 'utf-16be':
			return Buffer.from(`\ufeff${text}`, 'utf16le').swap16();
	}
}

function textIn({ format, records, isCut, isGzip, encoding, blanks: count = 0 }: FilePlan): Buffer {
	const [first = '', ...others] = records.map(({ text }) => text);
	const blanks = '\n'.repeat(count);
	const texts = [first + blanks, ...others];
	// What is compressed breaks off as such.
	const breaks = isCut && !isGzip;
	switch (format) {
		case 'jsonLines':
		case 'lines': {
			const half = BROKEN_TEXT[encoding?.startsWith('utf-16') ? 'utf16' : 'utf8'];
			return Buffer.concat([
				encoded(`${texts.join('\n')}\n`, encoding),
				...(breaks ? [half] : []),
			]);
		}
		case 'jsonArray':
			return encoded(
				`{"items": {"docs": [${texts.join(', ')}${breaks ? '' : ']}}'}`,
				encoding,
			);
		case 'csv':
			return encoded(
				`${COLUMNS.join(',')}\r\n${texts.join('\r\n')}\r\n${breaks ? 'x,"never closed' : ''}`,
				encoding,
			);
	}
}

const REFUSED = {
	missing: '',
	empty: '',
	'no text': Buffer.from('504b0304', 'hex'),
	'unclear format': '[2024] report\n{"id":"x0"}\n',
};

/** Of the checksum at its end. */
const CUT_BYTES = 5;

export function contentOf(file: FilePlan): string | Buffer {
	if (file.refused) return REFUSED[file.refused];
	const content = textIn(file);
	if (!file.isGzip) return content;
	const { members = 1, isPadded = false, isCut, cutBy } = file;
	const bytes = Buffer.from(content);
	const size = Math.ceil(bytes.length / members);
	const packed = Buffer.concat(
		Array.from({ length: members }, (_, at) =>
			gzipSync(bytes.subarray(at * size, (at + 1) * size)),
		),
	);
	if (!isCut) return isPadded ? Buffer.concat([packed, ZEROS]) : packed;
	switch (cutBy) {
		case undefined:
			return packed.subarray(0, -CUT_BYTES);
		case 'zeros and a member':
			return Buffer.concat([packed, ZEROS, gzipSync('{"id":"x0","name":"Name"}\n')]);
		case 'other bytes':
			return Buffer.concat([packed, Buffer.from('{"id":"x0","name":"Name"}\n')]);
	}
}

/** Longer than what is read at a time. */
const ZEROS = Buffer.alloc(20_000);

/** The fields of the item that has the file, which its parameters are read from. */
export const jsonOf = ({
	format,
	isNamed,
	skip,
	max = 0,
}: FilePlan): { [name: string]: string | number } => ({
	skip,
	max,
	format: isNamed ? format : 'auto',
	path: format === 'jsonArray' ? 'items.docs' : '',
});

/**
 * The records of a file of failed ones, in their order.
 *
 * @returns also what is in it that is none of them
 */
export function failedIn(
	text: string,
	{ format, records }: FilePlan,
): { records: FileRecord[]; stray: string } {
	const header = `${COLUMNS.join(',')}\n`;
	let rest = text;
	if (format === 'csv' && text.startsWith(header)) rest = text.slice(header.length);
	let between = '\n';
	const list = /^\{"items":\{"docs":\[\n([^]*)\n\]\}\}\n$/.exec(text);
	if (format === 'jsonArray' && list) {
		rest = `${list[1]},\n`;
		between = ',\n';
	}
	const unused = [...records];
	const found: FileRecord[] = [];
	while (rest !== '') {
		const at = unused.findIndex((record) => rest.startsWith(`${record.text}${between}`));
		if (at < 0) break;
		const [record] = unused.splice(at, 1);
		found.push(record);
		rest = rest.slice(record.text.length + between.length);
	}
	return { records: found, stray: rest };
}

/** A file of failed records, as the node writes it; it is read with the parameters of its source. */
export const failedFile = (name: string, file: FilePlan, records: FileRecord[]): FilePlan => {
	const { max: _, ...rest } = file;
	return { ...rest, name, isGzip: false, isCut: false, skip: 0, records };
};

/** Where the records of a file end that are to be read. */
export const endOf = ({ skip, max }: FilePlan): number =>
	max === undefined ? Infinity : skip + max;

/** Whether reading gets to where the file breaks off. */
export const showsCut = (file: FilePlan): boolean =>
	file.isCut && endOf(file) > file.records.length;

/** The records that are to be sent, and can be. */
export const wantedOf = (file: FilePlan): FileRecord[] =>
	file.records.slice(file.skip, endOf(file)).filter(({ key }) => key !== undefined);
