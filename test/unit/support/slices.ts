export async function* flat<E>(slices: AsyncIterable<E[]>): AsyncGenerator<E, void, undefined> {
	for await (const slice of slices) yield* slice;
}

export async function* singly<E>(
	entries: AsyncIterable<E> | Iterable<E>,
): AsyncGenerator<E[], void, undefined> {
	for await (const entry of entries) yield [entry];
}
