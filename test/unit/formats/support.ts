import fc from 'fast-check';

import { Findings } from '../../../nodes/shared/formats/findings';
import { FORMATS, type RecordFormat } from '../../../nodes/shared/formats/format';
import {
	readRecords,
	type RecordReader,
	type SourceRecord,
} from '../../../nodes/shared/formats/record';
import { textOf } from '../../../nodes/shared/formats/text';

/** Cuts a string or bytes into pieces. The list of lengths is repeated as often as necessary. */
export function* cut<T extends string | Uint8Array>(whole: T, cuts: number[]): Generator<T> {
	for (let at = 0, turn = 0; at < whole.length; turn++) {
		const length = Math.max(1, cuts[turn % cuts.length] ?? 1);
		yield (
			typeof whole === 'string'
				? whole.slice(at, at + length)
				: whole.subarray(at, at + length)
		) as T;
		at += length;
	}
}

export async function* chunks(
	bytes: Uint8Array,
	cuts = [bytes.length],
): AsyncGenerator<Uint8Array> {
	for (const chunk of cut(bytes, cuts)) yield chunk;
}

export const lengths = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 5 });

/**
 * Cuts a string into pieces. Returns the records that a reader finds in the pieces. If the reader throws an error, also
 * returns the error.
 */
export function readAll(
	reader: RecordReader,
	text: string,
	cuts = [Math.max(1, text.length)],
): { records: SourceRecord[]; error: unknown } {
	const records: SourceRecord[] = [];
	try {
		for (const piece of cut(text, cuts)) {
			for (const record of reader.push(piece)) records.push(record);
		}
		for (const record of reader.end()) records.push(record);
		return { records, error: undefined };
	} catch (error) {
		return { records, error };
	}
}

/**
 * Returns the result of `readAll` as one short line per record: `record@line text -> value` or `record@line text !!
 * message`.
 */
export function brief(
	reader: RecordReader,
	text: string,
	cuts?: number[],
): { records: string[]; error?: string } {
	const { records, error } = readAll(reader, text, cuts);
	const lines = records.map(({ record, line, text: verbatim, value, error: wrong }) => {
		if (wrong) expect(wrong).toMatchObject({ record, line, name: 'RecordError' });
		return `${record}@${line} ${verbatim} ${wrong ? `!! ${wrong.message}` : `-> ${JSON.stringify(value)}`}`;
	});
	return error === undefined ? { records: lines } : { records: lines, error: messageOf(error) };
}

function messageOf(error: unknown): string {
	const { name, message, record, line } = error as Error & { record: number; line: number };
	expect(name).toBe('RecordError');
	return `${record}@${line} ${message}`;
}

export const ENCODINGS: Array<[name: string, encode: (text: string) => Buffer]> = [
	['UTF-8', (text) => Buffer.from(text)],
	['UTF-8 with a byte order mark', (text) => Buffer.from(`\ufeff${text}`)],
	['UTF-16 LE', (text) => Buffer.from(`\ufeff${text}`, 'utf16le')],
	['UTF-16 BE', (text) => Buffer.from(`\ufeff${text}`, 'utf16le').swap16()],
];

export interface FoundRecord {
	record: number;
	line: number;
	text: string;
	value?: unknown;
	/** The message of the record's error. */
	error?: unknown;
}

interface ReadOptions {
	cuts: number[];
	skip: number;
	requiredFields?: readonly string[];
	delimiter?: string;
	path?: string;
}

/** Reads the bytes of a file from their decoding to its records, as the nodes do. */
export async function readFile(
	format: RecordFormat,
	bytes: Uint8Array,
	{ cuts, skip, requiredFields = [], ...options }: ReadOptions,
): Promise<{ records: FoundRecord[]; error: string; findings: Findings }> {
	const findings = new Findings();
	const reader = FORMATS[format].reader({ findings, ...options });
	reader.skip = skip;
	reader.requiredFields = requiredFields;
	const records: FoundRecord[] = [];
	try {
		for await (const slice of readRecords(textOf(chunks(bytes, cuts)), reader))
			for (const { error, value, ...found } of slice)
				records.push({ ...found, ...(error ? { error: error.message } : { value }) });
		return { records, error: '', findings };
	} catch (error) {
		return { records, error: (error as Error).message, findings };
	}
}

export const lineBreaksIn = (text: string): number => text.split(/\r\n|\r|\n/).length - 1;
