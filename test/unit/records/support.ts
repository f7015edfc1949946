import fc from 'fast-check';

/** Cuts a text or bytes into pieces of the given lengths, over and over. */
export function* cut<T extends string | Uint8Array>(whole: T, cuts: number[]): Generator<T> {
	for (let at = 0, turn = 0; at < whole.length; turn++) {
		const length = Math.max(1, cuts[turn % cuts.length] ?? 1);
		yield (
			typeof whole === 'string'
				? whole.slice(at, at + length)
				: whole.subarray(at, at + length)
		) as T;
		at += length;
	}
}

/** Lengths of pieces, single characters included. */
export const lengths = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 5 });

/** What `JSON.parse` makes of a text, or the text. */
export function parsed(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return text;
	}
}
