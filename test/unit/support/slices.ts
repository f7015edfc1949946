/** Yields the entries of all slices one by one. */
export async function* flat<E>(slices: AsyncIterable<E[]>): AsyncGenerator<E, void, undefined> {
	for await (const slice of slices) yield* slice;
}

/** Yields each entry in a source as its own slice. */
export async function* singly<E>(
	entries: AsyncIterable<E> | Iterable<E>,
): AsyncGenerator<E[], void, undefined> {
	for await (const entry of entries) yield [entry];
}
