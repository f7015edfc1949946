import { ValueEnd } from './json-text';

/**
 * What to do with a value that begins: `open` a list or object and report what is in it, report its
 * `text` once it is complete, or `skip` it.
 */
export type Decision = 'open' | 'text' | 'skip';

/** Who uses a `JsonWalker`. */
export interface JsonVisitor {
	/** A value begins. `first` is its first character: one of `{ [ " -`, a digit, or t, f, n, N, I. */
	begin(first: string): Decision;
	/** The key of the value that begins next, in an opened object. */
	key(key: string): void;
	/** A value is complete that was not opened; its text is empty if it was skipped. */
	value(text: string): void;
	/** The innermost list or object that was opened is complete. */
	close(): void;
}

type State = 'value' | 'firstElement' | 'firstKey' | 'key' | 'colon' | 'next';

const NOT_BLANK = /[^ \t\n\r]/g;
/** With those of NaN and Infinity, which are no JSON: whether to accept them is left to the visitor. */
const FIRST_OF_VALUE = /[{["\-\dtfnNI]/;

/**
 * Reads JSON that arrives in pieces and checks its grammar, except within values whose text is
 * given or skipped. Each character is read once, and nothing but the text of one value is kept.
 */
export class JsonWalker {
	/** The line of what is read at the moment, counted from 1. */
	line = 1;
	/** What was read of the value that is not complete yet, if its text is wanted. */
	private begun = '';
	private state: State = 'value';
	private readonly closers: string[] = [];
	private readonly end = new ValueEnd();
	private isInValue = false;
	private keeps = true;
	private isKey = false;
	private piece = '';
	private at = 0;
	private newline = -1;

	constructor(private readonly visitor: JsonVisitor) {}

	/** How many lists and objects are open. */
	get depth(): number {
		return this.closers.length;
	}

	/** How many characters are kept of a value that is not complete. */
	get pending(): number {
		return this.begun.length;
	}

	/** Whether a list or object that was not opened is not complete. */
	get isInContainer(): boolean {
		return this.isInValue && this.end.isContainer;
	}

	/** What was given and could not be used, after an error. */
	get unread(): string {
		return this.begun + this.piece.slice(this.at);
	}

	/**
	 * Takes the next piece.
	 *
	 * @throws {SyntaxError} where the text is not JSON, and whatever the visitor throws
	 */
	push(piece: string): void {
		this.piece = piece;
		this.at = 0;
		this.newline = piece.indexOf('\n');
		while (this.at < piece.length) this.step();
		this.piece = '';
		this.at = 0;
	}

	/**
	 * The text ends here.
	 *
	 * @throws {SyntaxError} if it is not complete
	 */
	finish(): void {
		if (this.isInValue && this.end.isWord) this.complete();
		if (this.state !== 'next' || this.depth > 0) throw new SyntaxError('the text ends early');
	}

	/** Begins an incomplete value again, so that the visitor can decide anew. `line` is wrong from then on. */
	reread(): void {
		const text = this.begun;
		this.begun = '';
		this.isInValue = false;
		this.push(text);
	}

	private step(): void {
		if (this.isInValue) {
			const end = this.end.find(this.piece, this.at);
			const stop = end < 0 ? this.piece.length : end;
			if (this.keeps) this.begun += this.piece.slice(this.at, stop);
			this.advance(stop);
			if (end >= 0) this.complete();
			return;
		}
		NOT_BLANK.lastIndex = this.at;
		if (!NOT_BLANK.test(this.piece)) return this.advance(this.piece.length);
		this.advance(NOT_BLANK.lastIndex - 1);
		this.token(this.piece.charAt(this.at));
	}

	private advance(to: number): void {
		this.at = to;
		while (this.newline >= 0 && this.newline < to) {
			this.line++;
			this.newline = this.piece.indexOf('\n', this.newline + 1);
		}
	}

	private token(character: string): void {
		const isCloser = character === this.closers.at(-1);
		if (this.state === 'value' || (this.state === 'firstElement' && !isCloser)) {
			return this.beginValue(character);
		}
		if (this.state === 'key' || (this.state === 'firstKey' && !isCloser)) {
			if (character !== '"') throw unexpected(character);
			return this.capture(true, true);
		}
		if (this.state === 'colon') {
			if (character !== ':') throw unexpected(character);
			this.state = 'value';
		} else if (isCloser) {
			this.closers.pop();
			this.state = 'next';
			this.visitor.close();
		} else if (character === ',' && this.depth > 0) {
			this.state = this.closers.at(-1) === '}' ? 'key' : 'value';
		} else throw unexpected(character);
		this.at++;
	}

	private beginValue(first: string): void {
		if (!FIRST_OF_VALUE.test(first)) throw unexpected(first);
		const decision = this.visitor.begin(first);
		if (decision === 'open') {
			this.closers.push(first === '{' ? '}' : ']');
			this.state = first === '{' ? 'firstKey' : 'firstElement';
			this.at++;
		} else this.capture(decision === 'text', false);
	}

	private capture(keeps: boolean, isKey: boolean): void {
		this.end.reset();
		this.isInValue = true;
		this.keeps = keeps;
		this.isKey = isKey;
	}

	private complete(): void {
		if (this.isKey) this.visitor.key(JSON.parse(this.begun) as string);
		else this.visitor.value(this.begun);
		this.state = this.isKey ? 'colon' : 'next';
		this.begun = '';
		this.isInValue = false;
	}
}

function unexpected(character: string): SyntaxError {
	return new SyntaxError(`unexpected ${JSON.stringify(character)}`);
}
