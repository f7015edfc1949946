import { contentOf, type Content } from './json/json-text';
import { checkLength, detached, RecordError, type RecordReader, type SourceRecord } from './record';

/** Reads records that are one line each. Lines end with LF or CRLF; blank lines are no records. */
class LineReader implements RecordReader {
	skip = 0;
	private record = 0;
	private line = 1;
	private begun = '';

	/** @param parse reads a line; `isCut` says that the file ends after it without a line break */
	constructor(private readonly parse: (text: string, isCut: boolean) => Content) {}

	get position(): { record: number; line: number } {
		return { record: this.record + 1, line: this.line };
	}

	*push(piece: string): Generator<SourceRecord> {
		let from = this.passOver(piece);
		for (let end = piece.indexOf('\n', from); end >= 0; end = piece.indexOf('\n', from)) {
			const line = this.begun + piece.slice(from, end);
			this.begun = '';
			from = end + 1;
			const found = this.read(line.endsWith('\r') ? line.slice(0, -1) : line, false);
			this.line++;
			if (found) yield found;
		}
		this.begun += piece.slice(from);
		checkLength(this.begun.length, this.record + 1, this.line);
	}

	*end(): Generator<SourceRecord> {
		const found = this.read(this.begun, true);
		if (found) yield found;
	}

	/**
	 * Counts lines that are to be skipped, without reading them.
	 *
	 * @returns where the line begins, or goes on, that comes after them
	 */
	private passOver(piece: string): number {
		let from = 0;
		while (this.record < this.skip) {
			const end = piece.indexOf('\n', from);
			if (end < 0) break;
			const isBlank =
				this.begun === ''
					? isBlankBetween(piece, from, end)
					: (this.begun + piece.slice(from, end)).trim() === '';
			if (!isBlank) this.record++;
			this.begun = '';
			this.line++;
			from = end + 1;
		}
		return from;
	}

	private read(whole: string, isCut: boolean): SourceRecord | undefined {
		const { line } = this;
		if (whole.trim() === '') return undefined;
		const record = ++this.record;
		if (record <= this.skip) return undefined;
		const text = detached(whole);
		const { value, problem } = this.parse(text, isCut);
		const error =
			problem === undefined
				? undefined
				: new RecordError(`Line ${line} ${problem}`, record, line);
		return { record, line, text, value, error };
	}
}

/** Whether a part of a text is blank: nearly always its first character tells. */
const isBlankBetween = (text: string, from: number, end: number): boolean => {
	const first = text.charCodeAt(from);
	return !(first > SPACE && first < DELETE) && text.slice(from, end).trim() === '';
};

/** Codes of the characters before the first and after the last that are printed in ASCII. */
const SPACE = 0x20;
const DELETE = 0x7f;

/** Reads JSON Lines: one JSON value in each line. A line that is not valid fails alone. */
export const jsonLines = (): LineReader => new LineReader(parseJsonLine);

/** Reads lines of text, such as one ID per line. The value of a record is its line, unchanged. */
export const textLines = (): LineReader => new LineReader((value) => ({ value }));

function parseJsonLine(text: string, isCut: boolean): Content {
	try {
		return contentOf(text);
	} catch (error) {
		const hint = isCut ? '; the file ends here without a line break and may be truncated' : '';
		return { problem: `is not valid JSON: ${(error as Error).message}${hint}` };
	}
}
