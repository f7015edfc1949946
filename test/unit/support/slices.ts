/** Yields the entries of slices, one by one. */
export async function* flat<E>(slices: AsyncIterable<E[]>): AsyncGenerator<E, void, undefined> {
	for await (const slice of slices) yield* slice;
}

/** Yields the entries of a source in slices of one. */
export async function* singly<E>(
	entries: AsyncIterable<E> | Iterable<E>,
): AsyncGenerator<E[], void, undefined> {
	for await (const entry of entries) yield [entry];
}
