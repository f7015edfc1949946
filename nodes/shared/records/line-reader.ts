import { checkLength, detached, RecordError, type RecordReader, type SourceRecord } from './record';

/** What a line says, what is wrong with it, to follow "Line 17 ", or why its file is refused. */
interface Content {
	value?: unknown;
	problem?: string;
	refusal?: string;
}

/** Reads records that are one line each. Lines end with LF or CRLF; blank lines are no records. */
class LineReader implements RecordReader {
	skip = 0;
	private record = 0;
	private line = 1;
	private begun = '';

	/**
	 * @param parse reads a line; `isCut` says that the file ends after it without a line break
	 */
	constructor(
		private readonly parse: (text: string, isCut: boolean, isFirst: boolean) => Content,
	) {}

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

	*end(): Generator<SourceRecord> {
		const found = this.read(this.begun, true);
		if (found) yield found;
	}

	private read(whole: string, isCut: boolean): SourceRecord | undefined {
		const { line } = this;
		if (whole.trim() === '') return undefined;
		const record = ++this.record;
		if (record <= this.skip) return undefined;
		const text = detached(whole);
		const { value, problem, refusal } = this.parse(text, isCut, record === 1);
		if (refusal !== undefined) throw new RecordError(refusal, record, line);
		const error =
			problem === undefined
				? undefined
				: new RecordError(`Line ${line} ${problem}`, record, line);
		return { record, line, text, value, error };
	}
}

/** Reads JSON Lines: one JSON value in each line. A line that is not valid fails alone. */
export const jsonLines = (): LineReader => new LineReader(parseJsonLine);

/** Reads lines of text, such as one ID per line. The value of a record is its line, unchanged. */
export const textLines = (): LineReader => new LineReader((value) => ({ value }));

function parseJsonLine(text: string, isCut: boolean, isFirst: boolean): Content {
	try {
		return { value: JSON.parse(text) as unknown };
	} catch (error) {
		if (isFirst && /^[[{]$/.test(text.trim())) return { refusal: NOT_LINES };
		const hint = isCut ? '; the file ends here without a line break and may be truncated' : '';
		return { problem: `is not valid JSON: ${(error as Error).message}${hint}` };
	}
}

const NOT_LINES =
	"The file has JSON that spans several lines, not JSON Lines: write each object on one line, for example with jq -c ., or set 'File Format' to 'JSON Array' if it is a list";
