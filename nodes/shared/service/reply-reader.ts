/**
 * What matters to tell arrays of numbers from strings: escapes, quotes, such arrays, and at the end
 * of a text the beginning of an escape or array.
 */
const TOKEN = /\\.|"|\[[-+.\deE,\s]+\]|\\$|\[[-+.\deE,\s]*$/gs;

/**
 * Reads a reply that arrives in pieces, so that the text of many vectors is never in memory together
 * with its content: an array of numbers is parsed as soon as it is complete, and stands as `[index]`
 * in the text that is parsed at the end. Other content than vectors is held twice for a moment.
 */
export class ReplyReader {
	private readonly outline: string[] = [];
	private readonly arrays: unknown[] = [];
	private isObject: boolean | undefined;
	private inString = false;
	/** The beginning of a token. */
	private rest = '';
	/** Pieces gather until they are as long as the rest: so one huge array is not read over and over. */
	private gathered = '';

	/** Takes the next piece of the text. */
	push(piece: string): void {
		this.gathered += piece;
		if (this.gathered.length >= this.rest.length) this.read();
	}

	/** @returns what the JSON says, or the text where it is none; to be called once, after the last piece */
	end(): unknown {
		this.read();
		const text = [...this.outline, this.rest].join('');
		try {
			const content: unknown = JSON.parse(text);
			return this.isObject ? fill(content, this.arrays) : content;
		} catch {
			return text;
		}
	}

	private read(): void {
		const text = this.rest + this.gathered;
		this.gathered = '';
		this.rest = '';
		this.isObject ??= /\S/.exec(text)?.[0].startsWith('{');
		this.outline.push(this.isObject ? text.replace(TOKEN, (token) => this.token(token)) : text);
	}

	private token(token: string): string {
		if (token === '"') this.inString = !this.inString;
		else if (token === '\\' || (token.startsWith('[') && !token.endsWith(']'))) {
			this.rest = token;
			return '';
		} else if (token.startsWith('[') && !this.inString) {
			try {
				return `[${this.arrays.push(JSON.parse(token)) - 1}]`;
			} catch {
				// Such as "[1,]": left in, for the whole is no JSON either.
			}
		}
		return token;
	}
}

/** Puts the arrays back to where their indexes stand; nothing else is an array of one number now. */
function fill(value: unknown, arrays: unknown[]): unknown {
	if (typeof value !== 'object' || value === null) return value;
	if (Array.isArray(value) && value.length === 1 && typeof value[0] === 'number') {
		return arrays[value[0]];
	}
	const container = value as Record<string, unknown>;
	for (const key of Object.keys(container)) container[key] = fill(container[key], arrays);
	return container;
}
