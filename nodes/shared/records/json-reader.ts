import { isDeeper, MAX_DEPTH } from './json-text';
import { JsonWalker, type Decision, type JsonVisitor } from './json-walker';

/** Text up to this length is kept, to be returned unchanged if it turns out not to be JSON. */
const KEPT_CHARACTERS = 1_000_000;
/** Lists and objects up to this length are parsed in one step; longer ones are read value by value. */
const OPENED_CHARACTERS = 128 * 1024;

type Container = unknown[] | Record<string, unknown>;

/**
 * Reads one JSON text that arrives in pieces, such as a response with many vectors. The work is done
 * as the pieces arrive, and the text is not kept: whatever is complete within a long list or object
 * is parsed.
 */
export class JsonReader {
	private readonly walker: JsonWalker;
	private readonly build = new Builder();
	/** All of the text, if it is short or not JSON. */
	private text: string | undefined = '';
	private isJson = true;

	constructor() {
		this.walker = new JsonWalker(this.build);
	}

	/** Takes the next piece of the text. */
	push(piece: string): void {
		if (this.text !== undefined) this.text += piece;
		if (!this.isJson) return;
		this.attempt(() => {
			this.walker.push(piece);
			// More each time: what is nested deep is not read again for each level.
			for (let levels = 1; this.isTooLong(); levels *= 2) {
				this.build.opens = levels;
				this.walker.reread();
			}
		});
		if (this.isJson && (this.text?.length ?? 0) > KEPT_CHARACTERS) this.text = undefined;
	}

	/**
	 * To be called once, after the last piece.
	 *
	 * @returns what `JSON.parse` returns for the whole text, except that lists and objects nested more
	 *   than `MAX_DEPTH` levels deep are returned as their JSON text. If the text is not valid JSON:
	 *   the text, or if that is long, its valid beginning written anew, followed by the rest.
	 */
	end(): unknown {
		if (this.isJson) this.attempt(() => this.walker.finish());
		return this.isJson ? this.build.root : this.text;
	}

	private isTooLong(): boolean {
		const { isInContainer, pending } = this.walker;
		return isInContainer && pending > OPENED_CHARACTERS && this.build.canOpen;
	}

	private attempt(read: () => void): void {
		try {
			read();
		} catch {
			this.isJson = false;
			this.text ??= this.build.written() + this.walker.unread;
		}
	}
}

/** Builds the value of which a walker reports the parts. */
class Builder implements JsonVisitor {
	root: unknown;
	/** How many of the next lists and objects are to be read value by value. */
	opens = 0;
	private readonly open: Container[] = [];
	private readonly keys: string[] = [];

	get canOpen(): boolean {
		return this.open.length < MAX_DEPTH;
	}

	begin(first: string): Decision {
		const isContainer = first === '{' || first === '[';
		if (!isContainer || this.opens === 0 || !this.canOpen) return 'text';
		this.opens--;
		const container = first === '{' ? {} : [];
		this.add(container);
		this.open.push(container);
		return 'open';
	}

	key(key: string): void {
		this.keys[this.open.length] = key;
	}

	value(text: string): void {
		const isContainer = text.startsWith('{') || text.startsWith('[');
		if (!isContainer || !isDeeper(text, MAX_DEPTH - this.open.length))
			this.add(JSON.parse(text));
		else if (this.canOpen) this.openAll(text);
		else {
			JSON.parse(text);
			this.add(text);
		}
	}

	close(): void {
		this.open.pop();
	}

	/** What was built so far, as JSON. */
	written(): string {
		return this.root === undefined ? '' : JSON.stringify(this.root);
	}

	/** Reads what is nested too deep value by value, so that only what is too deep is kept as text. */
	private openAll(text: string): void {
		const walker = new JsonWalker(this);
		this.opens = Infinity;
		walker.push(text);
		walker.finish();
		this.opens = 0;
	}

	private add(value: unknown): void {
		const parent = this.open.at(-1);
		const key = this.keys[this.open.length] ?? '';
		if (parent === undefined) this.root = value;
		else if (Array.isArray(parent)) parent.push(value);
		// Only so does it become a member like any other.
		else if (key === '__proto__') {
			Object.defineProperty(parent, key, {
				value,
				configurable: true,
				enumerable: true,
				writable: true,
			});
		} else parent[key] = value;
	}
}
