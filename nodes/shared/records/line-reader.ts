import { checkLength, RecordError, type RecordReader, type SourceRecord } from './record';

/** Reads records that are one line each. Lines end with LF or CRLF; blank lines are no records. */
class LineReader implements RecordReader {
	skip = 0;
	private record = 0;
	private line = 1;
	private begun = '';

	/** @param parse reads a line; throws for one that is not valid JSON */
	constructor(private readonly parse: (text: string) => unknown) {}

	get position(): { record: number; line: number } {
		return { record: this.record + 1, line: this.line };
	}

	*push(piece: string): Generator<SourceRecord> {
		let from = 0;
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

	*end(isBroken = false): Generator<SourceRecord> {
		const found = isBroken ? undefined : this.read(this.begun, true);
		if (found) yield found;
	}

	/** @param isCut the file ends after the line without a line break */
	private read(text: string, isCut: boolean): SourceRecord | undefined {
		const { line } = this;
		if (text.trim() === '') return undefined;
		const record = ++this.record;
		if (record <= this.skip) return undefined;
		let problem: string;
		try {
			return { record, line, text, value: this.parse(text), error: undefined };
		} catch (reason) {
			problem = `is not valid JSON: ${(reason as Error).message}${isCut ? MAY_BE_CUT : ''}`;
		}
		if (record === 1 && /^[[{]$/.test(text.trim()))
			throw new RecordError(NOT_LINES, record, line);
		const error = new RecordError(`Line ${line} ${problem}`, record, line);
		return { record, line, text, value: undefined, error };
	}
}

/** Reads JSON Lines: one JSON value in each line. A line that is not valid fails alone. */
export const jsonLines = (): LineReader => new LineReader((text) => JSON.parse(text));

/** Reads lines of text, such as one ID per line. The value of a record is its line, unchanged. */
export const textLines = (): LineReader => new LineReader((text) => text);

const MAY_BE_CUT = '; the file ends here without a line break and may be truncated';
const NOT_LINES =
	"The file has JSON that spans several lines, not JSON Lines: write each object on one line, for example with jq -c ., or set 'File Format' to 'JSON Array' if it is a list";
