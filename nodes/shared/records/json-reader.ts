import { Findings } from './findings';
import { jsonLinesReader } from './line-reader';
import {
	checkLength,
	RecordError,
	recordError,
	type RecordReader,
	type SourceRecord,
} from './record';

const QUOTE_OR_BACKSLASH = /["\\]/g;
/** The characters to look for outside the elements of the list, and within an element. */
const TOKENS = { outside: /["[\]{},:]/g, within: /["[\]{}]/g };

/** Stands for an element of a list: no path leads through it. */
const NO_NAME = '\0';

/** What is longer on the way to the list is not on its path. */
const MAX_KEY_CHARACTERS = 64 * 1024;

/**
 * Reads the elements of a list in a JSON file, each as a record. Only brackets and quotes matter; each element
 * is left to `JSON.parse`, and fails alone. What is beside the list is not checked. A file that is one
 * object is a record itself; objects on a line each are read as JSON Lines.
 */
export class JsonReader implements RecordReader {
	skip = 0;
	/** Whether the file is one object, which is the only record. */
	isObject = false;
	private state: 'start' | 'way' | 'elements' | 'object' | 'after' = 'start';
	/** How many brackets are open, and how many are between two elements. */
	private depth = 0;
	private listDepth = 0;
	private inString = false;
	private isEscaped = false;
	/** The names that lead to the value that is read, one for each open bracket on the way. */
	private readonly pathNames: string[] = [];
	/** What was read since the last token that mattered, and the line where it begins. */
	private buffer = '';
	private line = 1;
	private record = 0;
	/** The object that the file begins with, until what follows tells whether it is all. */
	private firstObject: { text: string; line: number } | undefined;
	private lineReader: RecordReader | undefined;

	/** @param path the dotted path of the list, such as `items.docs`; '' if the file is the list */
	constructor(
		private readonly path = '',
		private readonly findings = new Findings(),
	) {}

	get position(): { record: number; line: number } {
		return this.lineReader?.position ?? { record: this.record + 1, line: this.valueLine };
	}

	*push(piece: string): Generator<SourceRecord> {
		let at = 0;
		while (at < piece.length) {
			if (this.lineReader) return yield* this.lineReader.push(piece.slice(at));
			if (this.state === 'start' || this.isAfterValue) {
				at = this.skipBlanks(piece, at);
				if (at === piece.length) break;
				if (this.state === 'start') this.start(piece.charAt(at));
				else this.continueAfterValue(piece.charAt(at));
				if (this.firstObject) yield* this.asLines(this.firstObject);
				continue;
			}
			const found = this.findToken(piece, at);
			const end = found < 0 ? piece.length : found;
			this.buffer += piece.slice(at, end);
			if (this.isOutsideRecords && this.buffer.length > MAX_KEY_CHARACTERS) this.takeBuffer();
			checkLength(this.buffer.length, this.record + 1, this.line);
			at = end + 1;
			if (found >= 0) yield* this.read(piece.charAt(found));
		}
	}

	*end(isBroken = false): Generator<SourceRecord> {
		if (this.lineReader) return yield* this.lineReader.end(isBroken);
		this.isObject = this.firstObject !== undefined;
		if (this.firstObject && this.skip === 0)
			yield this.recordOf(this.firstObject.text, this.firstObject.line);
		const isWhole = this.depth === this.listDepth && !this.inString;
		if (isWhole && this.buffer.endsWith('}')) yield* this.takeElement();
		if (isBroken) return;
		if (this.state === 'start') throw this.errorHere('The file is empty');
		if (this.depth > 0 || this.inString)
			throw recordError(ENDS_EARLY, this.record + 1, this.valueLine);
		if (this.state === 'way') throw this.errorHere(`The file has no list at "${this.path}"`);
	}

	/** The line of the value that is being read. */
	private get valueLine(): number {
		const { buffer } = this;
		return this.line + lineBreaks(buffer.slice(0, buffer.length - buffer.trimStart().length));
	}

	private get isAfterValue(): boolean {
		return this.state === 'after' && this.depth === 0;
	}

	/** The index of the next character that is not blank. */
	private skipBlanks(piece: string, from: number): number {
		const text = piece.slice(from);
		const blanks = text.slice(0, text.length - text.trimStart().length);
		this.line += lineBreaks(blanks);
		return from + blanks.length;
	}

	private start(first: string): void {
		if (this.path !== '') this.state = 'way';
		else if (first === '{') this.state = 'object';
		else if (first === '[') this.state = 'way';
		else throw this.errorHere('The file is neither a JSON list nor a JSON object');
	}

	/** Something follows the value that the file begins with. */
	private continueAfterValue(first: string): void {
		const { firstObject } = this;
		if (firstObject && first === '{' && lineBreaks(firstObject.text) === 0) return;
		const defect =
			firstObject && first === '{'
				? 'The file has several objects that span several lines each: write each on one line, for example with jq -c .'
				: 'The file goes on after its JSON';
		throw this.errorHere(`${defect} (line ${this.line})`);
	}

	/** Reads on as JSON Lines, from the object that the file begins with. */
	private *asLines({ text, line }: { text: string; line: number }): Generator<SourceRecord> {
		this.lineReader = jsonLinesReader(this.findings);
		this.lineReader.skip = this.skip;
		yield* this.lineReader.push('\n'.repeat(line - 1) + text + '\n'.repeat(this.line - line));
	}

	/** The index of the next bracket, quote or separator that matters, or -1. */
	private findToken(piece: string, from: number): number {
		const isWithin = this.state !== 'way' && this.depth > this.listDepth;
		const tokens = TOKENS[isWithin ? 'within' : 'outside'];
		for (let at = from; ; at++) {
			if (this.inString) at = this.endOfString(piece, at);
			if (at < 0) return -1;
			at = indexOf(tokens, piece, at);
			if (at < 0 || piece.charAt(at) !== '"') return at;
			this.inString = true;
		}
	}

	/** The index after the quote that ends a string, or -1. */
	private endOfString(piece: string, from: number): number {
		let at = this.isEscaped ? from + 1 : from;
		this.isEscaped = false;
		for (;;) {
			at = indexOf(QUOTE_OR_BACKSLASH, piece, at);
			if (at < 0) return -1;
			if (piece.charAt(at) === '"') break;
			this.isEscaped = at + 1 === piece.length;
			if (this.isEscaped) return -1;
			at += 2;
		}
		this.inString = false;
		return at + 1;
	}

	private *read(token: string): Generator<SourceRecord> {
		const closes = token === '}' || token === ']';
		const isBetween = this.state === 'elements' && this.depth === this.listDepth;
		if (isBetween && (closes || token === ',')) {
			yield* this.takeElement();
			if (closes) this.state = 'after';
		} else if (this.isOutsideRecords) {
			if (this.state === 'way') this.followPath(token);
			this.takeBuffer();
		} else this.buffer += token;
		if (closes) this.depth--;
		else if (token !== ',' && token !== ':') this.depth++;
		if (this.state !== 'object' || this.depth > 0) return;
		const { line } = this;
		this.firstObject = { text: this.takeBuffer(), line };
		this.state = 'after';
	}

	/** Whether what is read belongs to no record. */
	private get isOutsideRecords(): boolean {
		return this.state === 'way' || this.state === 'after';
	}

	/** Notes the names on the way, and recognizes the value at the path. */
	private followPath(token: string): void {
		const { pathNames, depth, path } = this;
		if (pathNames[depth - 1] === NO_NAME) pathNames[depth] = NO_NAME;
		else if (token === ':') pathNames[depth - 1] = parsedKey(this.buffer);
		else if (pathNames.slice(0, depth).join('.') !== path)
			pathNames[depth] = token === '[' ? NO_NAME : '';
		else if (token === '[') {
			this.state = 'elements';
			this.listDepth = depth + 1;
		} else throw this.errorHere(`"${path}" is not a list (line ${this.valueLine})`);
	}

	/** What was read so far is done with. */
	private takeBuffer(): string {
		const text = this.buffer;
		this.buffer = '';
		this.line += lineBreaks(text);
		return text;
	}

	private *takeElement(): Generator<SourceRecord> {
		const { buffer, valueLine } = this;
		this.takeBuffer();
		if (buffer.trim() === '') return;
		if (this.record < this.skip) this.record++;
		else yield this.recordOf(buffer.trim(), valueLine);
	}

	private recordOf(text: string, line: number): SourceRecord {
		const record = ++this.record;
		try {
			return { record, line, text, value: JSON.parse(text), error: undefined };
		} catch (reason) {
			const defect = `is not valid JSON: ${(reason as Error).message}`;
			const error = recordError(defect, record, line);
			return { record, line, text, value: undefined, error };
		}
	}

	private errorHere(message: string): RecordError {
		return new RecordError(message, this.record + 1, this.valueLine);
	}
}

const ENDS_EARLY = 'is not valid JSON: the text ends early';

const lineBreaks = (text: string): number => text.split('\n').length - 1;

/** The index of the next match of an expression with the flag `g`, or -1. */
function indexOf(expression: RegExp, text: string, from: number): number {
	expression.lastIndex = from;
	return expression.test(text) ? expression.lastIndex - 1 : -1;
}

function parsedKey(text: string): string {
	try {
		return String(JSON.parse(text));
	} catch {
		return '';
	}
}
