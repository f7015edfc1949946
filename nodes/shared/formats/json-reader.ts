/**
 * Reads a JSON file and returns each element of a list as a record. The reader itself looks only for brackets, quotes
 * and separators. These are enough to find the list at the given path and to split it into elements. `JSON.parse` then
 * parses each element separately. If an element is invalid, only that element fails. Memory holds only one element at a
 * time. JSON outside the list is not validated.
 *
 * If the file is a single object, that object is the only record. If more objects follow, each on its own line, the
 * file is read as JSON Lines.
 */
import { Findings } from './findings';
import { jsonProblem } from './json-problem';
import { jsonLinesReader } from './line-reader';
import {
	checkLength,
	RecordError,
	recordError,
	type RecordReader,
	type SourceRecord,
} from './record';
import { indexOfMatch, QUOTE_OR_BACKSLASH } from './text';

const TOKENS = { outside: /["[\]{},:]/g, within: /["[\]{}]/g };

/**
 * Values in a list have no key, so this placeholder is used instead. It matches no part of a path, because a path
 * cannot lead through a list.
 */
const LIST_POSITION = '\0';

/**
 * Longer text outside the records is discarded, because it cannot be one of the keys that lead
 * to the list.
 */
const MAX_KEY_CHARACTERS = 64 * 1024;

export class JsonReader implements RecordReader {
	skip = 0;
	isObject = false;
	private state: 'start' | 'search' | 'elements' | 'object' | 'after' = 'start';
	/** Number of open brackets. Between two elements of the list, it equals `listDepth`. */
	private depth = 0;
	private listDepth = 0;
	private inString = false;
	private isEscaped = false;
	/** Keys that lead to the current value, one per open bracket. */
	private readonly pathNames: string[] = [];
	/** `buffer` is the text after the last relevant token. `line` is the line on which this text begins. */
	private buffer = '';
	private line = 1;
	private record = 0;
	/**
	 * The object at the beginning of the file, kept until the reader knows whether another object follows.
	 */
	private firstObject: { text: string; line: number } | undefined;
	private lineReader: RecordReader | undefined;

	/** @param path dotted path to the list, such as `items.docs`, or '' if the file itself is the list */
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
		if (this.firstObject)
			yield* this.readUnlessSkipped(this.firstObject.text, this.firstObject.line);
		const isWhole = this.depth === this.listDepth && !this.inString;
		if (isWhole && this.buffer.trimEnd().endsWith('}')) yield* this.takeElement();
		if (isBroken) return;
		if (this.state === 'start') throw this.errorHere('The file is empty');
		if (this.depth > 0 || this.inString)
			throw notJson(ENDS_EARLY, this.record + 1, this.valueLine);
		if (this.state === 'search') throw this.errorHere(`The file has no list at "${this.path}"`);
	}

	private get valueLine(): number {
		const { buffer } = this;
		return this.line + lineBreaks(buffer.slice(0, buffer.length - buffer.trimStart().length));
	}

	private get isAfterValue(): boolean {
		return this.state === 'after' && this.depth === 0;
	}

	private skipBlanks(piece: string, from: number): number {
		const text = piece.slice(from);
		const blanks = text.slice(0, text.length - text.trimStart().length);
		this.line += lineBreaks(blanks);
		return from + blanks.length;
	}

	private start(first: string): void {
		if (this.path !== '') this.state = 'search';
		else if (first === '{') this.state = 'object';
		else if (first === '[') this.state = 'search';
		else throw this.errorHere('The file is neither a JSON list nor a JSON object');
	}

	/**
	 * Checks what follows the first value. If the first value is an object on a single line, another object
	 * may follow. Nothing else is allowed.
	 */
	private continueAfterValue(first: string): void {
		const { firstObject } = this;
		if (firstObject && first === '{' && lineBreaks(firstObject.text) === 0) return;
		const [message, advice] =
			firstObject && first === '{'
				? ['The file has several objects that span several lines each', ONE_LINE_ADVICE]
				: ['The file has more text after the end of its JSON'];
		throw this.errorHere(`${message} (line ${this.line})`, advice);
	}

	private *asLines({ text, line }: { text: string; line: number }): Generator<SourceRecord> {
		this.lineReader = jsonLinesReader(this.findings);
		this.lineReader.skip = this.skip;
		yield* this.lineReader.push('\n'.repeat(line - 1) + text + '\n'.repeat(this.line - line));
	}

	/** Returns the index of the next bracket or separator outside strings, or -1 if there is none. */
	private findToken(piece: string, from: number): number {
		const isWithin = this.state !== 'search' && this.depth > this.listDepth;
		const tokens = TOKENS[isWithin ? 'within' : 'outside'];
		for (let at = from; ; at++) {
			if (this.inString) at = this.endOfString(piece, at);
			if (at < 0) return -1;
			at = indexOfMatch(tokens, piece, at);
			if (at < 0 || piece.charAt(at) !== '"') return at;
			this.inString = true;
		}
	}

	private endOfString(piece: string, from: number): number {
		let at = this.isEscaped ? from + 1 : from;
		this.isEscaped = false;
		for (;;) {
			at = indexOfMatch(QUOTE_OR_BACKSLASH, piece, at);
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
			if (this.state === 'search') this.followPath(token);
			this.takeBuffer();
		} else this.buffer += token;
		if (closes) this.depth--;
		else if (token !== ',' && token !== ':') this.depth++;
		if (this.state !== 'object' || this.depth > 0) return;
		const { line } = this;
		this.firstObject = { text: this.takeBuffer(), line };
		this.state = 'after';
	}

	private get isOutsideRecords(): boolean {
		return this.state === 'search' || this.state === 'after';
	}

	/** Keeps track of the keys that lead to the current value, and detects when the list of records begins. */
	private followPath(token: string): void {
		const { pathNames, depth, path } = this;
		if (pathNames[depth - 1] === LIST_POSITION) pathNames[depth] = LIST_POSITION;
		else if (token === ':') pathNames[depth - 1] = parseKey(this.buffer);
		else if (pathNames.slice(0, depth).join('.') !== path)
			pathNames[depth] = token === '[' ? LIST_POSITION : '';
		else if (token === '[') {
			this.state = 'elements';
			this.listDepth = depth + 1;
		} else throw this.errorHere(`"${path}" is not a list (line ${this.valueLine})`);
	}

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
		yield* this.readUnlessSkipped(buffer.trim(), valueLine);
	}

	private *readUnlessSkipped(text: string, line: number): Generator<SourceRecord> {
		if (this.record < this.skip) this.record++;
		else yield this.recordOf(text, line);
	}

	private recordOf(text: string, line: number): SourceRecord {
		const record = ++this.record;
		try {
			return { record, line, text, value: JSON.parse(text), error: undefined };
		} catch (reason) {
			const error = notJson(jsonProblem(reason), record, line);
			return { record, line, text, value: undefined, error };
		}
	}

	private errorHere(message: string, advice?: string): RecordError {
		return new RecordError(message, this.record + 1, this.valueLine, advice);
	}
}

const notJson = (detail: string, record: number, line: number): RecordError =>
	recordError('is not valid JSON', record, line, undefined, detail);

const ENDS_EARLY = 'the text ends early';
const ONE_LINE_ADVICE = 'Write each object on one line, for example with jq -c .';

const lineBreaks = (text: string): number => text.split('\n').length - 1;

function parseKey(text: string): string {
	try {
		return String(JSON.parse(text));
	} catch {
		return '';
	}
}
