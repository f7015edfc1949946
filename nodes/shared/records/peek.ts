/** A stream of which the beginning was read. */
interface Peeked<T> {
	/** The whole stream, its beginning included; breaks where the source does. */
	all: AsyncIterable<T>;
	/** What broke the source before its beginning was enough. */
	broken: { reason: unknown } | undefined;
}

/**
 * Reads the beginning of a stream, and gives it back.
 *
 * @param isEnough given each piece once, as long as it was not enough
 */
export async function peek<T>(
	source: AsyncIterable<T>,
	isEnough: (piece: T) => boolean,
): Promise<Peeked<T>> {
	const iterator = source[Symbol.asyncIterator]();
	const pieces: T[] = [];
	let broken: Peeked<T>['broken'];
	try {
		for (let next = await iterator.next(); !next.done; next = await iterator.next()) {
			pieces.push(next.value);
			if (isEnough(next.value)) break;
		}
	} catch (reason) {
		broken = { reason };
	}
	return { all: replayed(pieces, iterator, broken), broken };
}

async function* replayed<T>(
	pieces: T[],
	iterator: AsyncIterator<T>,
	broken: Peeked<T>['broken'],
): AsyncGenerator<T> {
	try {
		for (let piece = pieces.shift(); piece !== undefined; piece = pieces.shift()) yield piece;
		if (broken) throw broken.reason;
		for (let next = await iterator.next(); !next.done; next = await iterator.next()) {
			yield next.value;
		}
	} finally {
		await iterator.return?.();
	}
}
