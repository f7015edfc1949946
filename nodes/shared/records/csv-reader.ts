import { setMember } from './fields';
import { MAX_FIELD_NAMES } from './json/json-text';
import { cellsOf, DELIMITERS, endOfRow, likeliestDelimiter, NOT_CLOSED } from './csv-row';
import {
	checkLength,
	detached,
	MAX_RECORD_CHARACTERS,
	RecordError,
	type RecordReader,
	type SourceRecord,
} from './record';

/** How much of a column's name a message shows: a file may consist of its header alone. */
const MAX_NAME_CHARACTERS = 100;

const LINE_BREAK = /\r\n|\r|\n/g;

/**
 * Reads CSV with a header row (RFC 4180). Rows end with LF, CRLF or CR; blank lines are no records. A
 * record is an object with the names of the header; all its values are strings. A row with fewer cells
 * lacks the last fields; a row with more fails. Columns without a name are ignored.
 */
export class CsvReader implements RecordReader {
	/** The names of the columns, once the header was read. */
	columns: readonly string[] | undefined;
	/** The header row as it is in the file. */
	header: string | undefined;
	skip = 0;
	private record = 0;
	private line = 1;
	/** The beginning of a row, and the text that followed: kept until it is worth reading the row again. */
	private rest = '';
	private gathered = '';

	/** @param delimiter one character; detected in the header row if undefined */
	constructor(private delimiter?: string) {}

	get position(): { record: number; line: number } {
		return { record: this.record + 1, line: this.line };
	}

	*push(piece: string): Generator<SourceRecord> {
		this.gathered += piece;
		// A long row is read again only after its text has doubled, so each character is read a few times only.
		const { length } = this.gathered;
		const isTooLong = this.rest.length + length > MAX_RECORD_CHARACTERS;
		if (length >= this.rest.length || isTooLong) yield* this.read(false);
	}

	*end(): Generator<SourceRecord> {
		yield* this.read(true);
	}

	*held(): Generator<SourceRecord> {
		yield* this.read(false);
	}

	private *read(isLast: boolean): Generator<SourceRecord> {
		const text = this.rest + this.gathered;
		this.gathered = '';
		let at = 0;
		while (at < text.length) {
			let end = endOfRow(text, at, this.delimiter ?? DELIMITERS.join(''));
			if (end === NOT_CLOSED && isLast)
				throw failure('has an unclosed quote', this.record + 1, this.line);
			if (end < 0 && isLast) end = text.length;
			// The line break may be the first half of CRLF.
			if (end < 0 || (end === text.length - 1 && !isLast && text.charAt(end) === '\r')) break;
			const found = end > at ? this.row(text.slice(at, end)) : this.blank();
			at = end + (text.startsWith('\r\n', end) ? 2 : 1);
			if (found) yield found;
		}
		this.rest = text.slice(at);
		checkLength(this.rest.length, this.record + 1, this.line);
	}

	private blank(): undefined {
		this.line++;
	}

	private row(part: string): SourceRecord | undefined {
		const { line } = this;
		const lineBreaks = part.includes('"') ? part.match(LINE_BREAK) : null;
		this.line += 1 + (lineBreaks?.length ?? 0);
		if (this.columns && this.record < this.skip) return this.passOver(part);
		const text = detached(part);
		if (!this.columns) return this.readHeader(text, line);
		const cells = cellsOf(text, this.delimiter ?? ',');
		if (cells?.length === 1 && text.trim() === '') return undefined;
		const record = ++this.record;
		const problem = problemOf(cells, this.columns);
		if (problem !== undefined) {
			return { record, line, text, value: undefined, error: failure(problem, record, line) };
		}
		return { record, line, text, value: objectOf(this.columns, cells ?? []), error: undefined };
	}

	/** Counts a row that is to be skipped, without reading its cells; a blank line is none. */
	private passOver(text: string): undefined {
		const isBlank = text.trimStart() === '' && !text.includes(this.delimiter ?? ',');
		if (!isBlank) this.record++;
	}

	private readHeader(text: string, line: number): undefined {
		if (text.trim() === '') return;
		this.delimiter ??= likeliestDelimiter(text);
		const columns = cellsOf(text, this.delimiter)?.map((name) => name.trim());
		const problem = columns ? headerProblem(columns) : BAD_QUOTE;
		if (problem !== undefined)
			throw new RecordError(`The header row (line ${line}) ${problem}`, 1, line);
		this.columns = columns;
		this.header = text;
	}
}

function headerProblem(columns: string[]): string | undefined {
	if (columns.length > MAX_FIELD_NAMES)
		return `has more than ${MAX_FIELD_NAMES.toLocaleString('en-US')} columns`;
	const twice = repeated(columns.filter((name) => name !== ''));
	return twice && `has two columns "${twice.slice(0, MAX_NAME_CHARACTERS)}"`;
}

/** The first name that occurs again; a header may have tens of thousands. */
function repeated(names: string[]): string | undefined {
	const seen = new Set<string>();
	return names.find((name) => seen.size === seen.add(name).size);
}

const BAD_QUOTE = 'has text between a closing quote and the next delimiter';

function problemOf(
	cells: readonly string[] | undefined,
	columns: readonly string[],
): string | undefined {
	if (!cells) return BAD_QUOTE;
	if (cells.length <= columns.length) return undefined;
	return `has ${cells.length} cells, but the header row has ${columns.length}`;
}

function failure(problem: string, record: number, line: number): RecordError {
	return new RecordError(`Record ${record} (line ${line}) ${problem}`, record, line);
}

function objectOf(columns: readonly string[], cells: readonly string[]): Record<string, string> {
	const object: Record<string, string> = {};
	for (const [index, cell] of cells.entries()) {
		const name = columns[index];
		if (name) setMember(object, name, cell);
	}
	return object;
}
