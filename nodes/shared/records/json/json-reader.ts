import { JsonBuilder } from './json-builder';
import { JsonWalker } from './json-walker';

/** Text up to this length is kept, to be returned unchanged if it turns out not to be JSON. */
const KEPT_CHARACTERS = 1_000_000;
/** Lists and objects up to this length are parsed in one step; longer ones are read value by value. */
const OPENED_CHARACTERS = 128 * 1024;

/**
 * Reads one JSON text that arrives in pieces, such as a response with many vectors. The work is done
 * as the pieces arrive, and the text is not kept: whatever is complete within a long list or object
 * is parsed.
 */
export class JsonReader {
	private readonly walker: JsonWalker;
	private readonly builder: JsonBuilder;
	/** All of the text, if it is short or not JSON. */
	private text: string | undefined = '';
	/** Whether the text read so far can be the beginning of JSON. */
	isJson = true;

	/** @param map what becomes of each part as it is read, so that no step is long: see `JsonBuilder` */
	constructor(private readonly map: (value: unknown) => unknown = (value) => value) {
		this.builder = new JsonBuilder(map);
		this.walker = new JsonWalker(this.builder);
	}

	/** Takes the next piece of the text. */
	push(piece: string): void {
		if (this.text !== undefined) this.text += piece;
		if (!this.isJson) return;
		this.attempt(() => {
			this.walker.push(piece);
			// More each time: what is nested deep is not read again for each level.
			for (let levels = 1; this.isTooLong(); levels *= 2) {
				this.builder.opens = levels;
				this.walker.reread();
			}
		});
		if (this.isJson && (this.text?.length ?? 0) > KEPT_CHARACTERS) this.text = undefined;
	}

	/**
	 * To be called once, after the last piece.
	 *
	 * @returns what `JSON.parse` returns for the whole text, except that lists and objects nested more
	 *   than `MAX_DEPTH` levels deep are returned as their JSON text, and that NaN, Infinity and
	 *   -Infinity, as Python writes them, are null. If the text is not valid JSON: the text, or if that
	 *   is long, its valid beginning, formatted again, followed by the rest.
	 */
	end(): unknown {
		if (this.isJson) this.attempt(() => this.walker.finish());
		return this.isJson ? this.builder.root : this.map(this.text);
	}

	private isTooLong(): boolean {
		const { isInContainer, pending } = this.walker;
		return isInContainer && pending > OPENED_CHARACTERS && this.builder.canOpen;
	}

	private attempt(read: () => void): void {
		try {
			read();
		} catch {
			this.isJson = false;
			this.text ??= this.builder.written() + this.walker.unread;
		}
	}
}
