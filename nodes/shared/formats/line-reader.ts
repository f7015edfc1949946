import { Findings } from './findings';
import { jsonProblem } from './json-problem';
import {
	checkLength,
	MAY_BE_CUT,
	RecordError,
	type RecordReader,
	type SourceRecord,
} from './record';
import { indexOfMatch, isWhiteSpace, QUOTE_OR_BACKSLASH } from './text';

interface LineFormat {
	/** Throws an error if the line is invalid. */
	parse(text: string): unknown;
	/** Matches an invalid line that may consist of several records. */
	boundary: RegExp;
	splitLine(line: string): string[];
}

/**
 * Reads files with one record per line. Lines end with LF or CRLF, and blank lines are skipped. A line of
 * JSON may contain several objects, because some programs, such as Amazon Data Firehose, write no line
 * breaks between objects.
 */
class LineReader implements RecordReader {
	skip = 0;
	private record = 0;
	private line = 1;
	private incompleteLine = '';
	/** Once an incomplete line is longer than this many characters, it is searched for complete objects. */
	private searchLength = LONG_LINE;

	constructor(
		private readonly format: LineFormat,
		private readonly findings: Findings,
	) {}

	get position(): { record: number; line: number } {
		return { record: this.record + 1, line: this.line };
	}

	*push(piece: string): Generator<SourceRecord> {
		let from = 0;
		for (let end = piece.indexOf('\n', from); end >= 0; end = piece.indexOf('\n', from)) {
			const line = this.incompleteLine + piece.slice(from, end);
			this.incompleteLine = '';
			from = end + 1;
			const found = this.read(line.endsWith('\r') ? line.slice(0, -1) : line, false);
			this.line++;
			this.searchLength = LONG_LINE;
			if (Array.isArray(found)) yield* found;
			else if (found) yield found;
		}
		this.incompleteLine += piece.slice(from);
		if (this.incompleteLine.length > this.searchLength) yield* this.readLongLine();
		checkLength(this.incompleteLine.length, this.record + 1, this.line);
	}

	*end(isBroken = false): Generator<SourceRecord> {
		const found =
			isBroken || this.incompleteLine === '' ? [] : this.read(this.incompleteLine, true);
		if (Array.isArray(found)) yield* found;
		else if (found) yield found;
	}

	/**
	 * Reads the complete objects from a long line that has not ended yet. Otherwise, the reader would hold the whole
	 * file in memory if the file had no line breaks.
	 */
	private *readLongLine(): Generator<SourceRecord> {
		const texts = this.format.splitLine(this.incompleteLine);
		this.incompleteLine = texts.pop() ?? '';
		this.searchLength = Math.max(LONG_LINE, 2 * this.incompleteLine.length);
		for (const text of texts) {
			const found = this.recordOf(text, false);
			if (found) yield found;
		}
	}

	/** @param isCut whether this is the last line of the file and no line break follows it */
	private read(line: string, isCut: boolean): SourceRecord | SourceRecord[] | undefined {
		if (isWhiteSpace(line)) {
			if (this.record >= this.skip) this.findings.add('blankRow', this.line);
			return undefined;
		}
		const isSkipped = this.record < this.skip;
		const found = isSkipped ? undefined : this.recordOf(line, isCut);
		if (!isSkipped && (!found?.error || !this.format.boundary.test(line))) return found;
		if (!isSkipped) this.record--;
		const texts = this.format.boundary.test(line) ? this.format.splitLine(line) : [line];
		return texts.flatMap(
			(text, index) => this.recordOf(text, isCut && index === texts.length - 1) ?? [],
		);
	}

	private recordOf(text: string, isCut: boolean): SourceRecord | undefined {
		const { line } = this;
		const record = ++this.record;
		if (record <= this.skip) return undefined;
		let detail: string;
		try {
			return { record, line, text, value: this.format.parse(text), error: undefined };
		} catch (reason) {
			detail = `${jsonProblem(reason)}${isCut ? MAY_BE_CUT : ''}`;
		}
		if (record === 1 && /^[[{]$/.test(text.trim()))
			throw new RecordError(NOT_LINES, record, line, NOT_LINES_ADVICE);
		const problem = 'is not valid JSON';
		const message = `Line ${line} ${problem}: ${detail}`;
		const error = new RecordError(message, record, line, undefined, `The record ${problem}`);
		return { record, line, text, value: undefined, error };
	}
}

const LONG_LINE = 1_000_000;

const OBJECT_BOUNDARY = /\}\s*\{/;
const TOKEN = /["[\]{}]/g;

/** Splits a line that consists of several objects. Any other line is returned as a whole. */
function splitObjects(line: string): string[] {
	const objects: string[] = [];
	let depth = 0;
	let start = 0;
	for (let at = indexOfMatch(TOKEN, line, 0); at >= 0; at = indexOfMatch(TOKEN, line, at + 1)) {
		const token = line.charAt(at);
		if (token === '"') {
			at = endOfString(line, at + 1);
			if (at < 0) break;
		} else if (token === '{' || token === '[') {
			if (token === '{' && depth === 0 && endsWithObject(line, start, at)) {
				objects.push(line.slice(start, at).trim());
				start = at;
			}
			depth++;
		} else depth--;
	}
	return [...objects, line.slice(start)];
}

function endOfString(text: string, from: number): number {
	let at = indexOfMatch(QUOTE_OR_BACKSLASH, text, from);
	while (at >= 0 && text.charAt(at) !== '"') at = indexOfMatch(QUOTE_OR_BACKSLASH, text, at + 2);
	return at;
}

function endsWithObject(line: string, from: number, to: number): boolean {
	let last = to - 1;
	while (last > from && line.charAt(last).trim() === '') last--;
	return last > from && line.charAt(last) === '}';
}

/** Returns a reader for JSON Lines. If a line is invalid, only that line fails. */
export const jsonLinesReader = (findings = new Findings()): LineReader =>
	new LineReader(
		{ parse: (text) => JSON.parse(text), boundary: OBJECT_BOUNDARY, splitLine: splitObjects },
		findings,
	);

/** Returns a reader for plain lines, such as IDs. Each line becomes a record and is not changed. */
export const textLinesReader = (findings = new Findings()): LineReader =>
	new LineReader(
		{
			parse: checkLine,
			boundary: /\ufeff/,
			splitLine: (line) => line.split('\ufeff').filter(Boolean),
		},
		findings,
	);

/** A byte order mark shows that files were joined without a line break between them. */
function checkLine(line: string): string {
	if (!line.includes('\ufeff')) return line;
	throw new Error('it has a byte order mark');
}

const NOT_LINES = 'The file has JSON that spans several lines, so it is not JSON Lines';
const NOT_LINES_ADVICE =
	"If the file is a list, set 'File Format' to 'JSON Array'. Otherwise write each object on one line, for example with jq -c .";
