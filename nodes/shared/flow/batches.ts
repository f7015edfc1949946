export interface BatchLimits {
	maxCount: number;
	maxBytes: number;
	/** Bytes of a request beside its entries. */
	envelope: number;
	/** Bytes each entry adds beside its own. */
	separator: number;
}

/** An entry made ready to send: its text is made once and serves for size and body. */
export interface Packed<E> {
	entry: E;
	text: string;
	bytes: number;
}

/** Size of a request with these entries. */
export function requestBytes(batch: Array<Packed<unknown>>, limits: BatchLimits): number {
	return batch.reduce((sum, { bytes }) => sum + bytes + limits.separator, limits.envelope);
}

/**
 * Groups entries into batches, in their order, by count and by bytes. Lazy: an entry is packed
 * when its batch is being filled, so only the bodies under way are in memory. An entry that is too
 * large alone becomes a batch of its own, for the caller to refuse.
 *
 * @param keyOf a batch never holds two entries of one key: a service may handle a batch in any order
 * @param groupOf a batch holds entries of one group only; entries come sorted by it
 * @param limits read anew for each entry: it may be lowered while batches are being made
 */
export function* batches<E>(
	entries: Iterable<E>,
	pack: (entry: E) => Packed<E>,
	keyOf: (entry: E) => string,
	limits: BatchLimits,
	groupOf: (entry: E) => string = () => '',
): Generator<Array<Packed<E>>> {
	let batch: Array<Packed<E>> = [];
	let keys = new Set<string>();
	let bytes = limits.envelope;
	let group = '';
	for (const entry of entries) {
		const packed = pack(entry);
		const key = keyOf(entry);
		const added = packed.bytes + limits.separator;
		const full = batch.length >= limits.maxCount || bytes + added > limits.maxBytes;
		const entryGroup = groupOf(entry);
		if (batch.length > 0 && (full || keys.has(key) || entryGroup !== group)) {
			yield batch;
			batch = [];
			keys = new Set();
			bytes = limits.envelope;
		}
		group = entryGroup;
		batch.push(packed);
		keys.add(key);
		bytes += added;
	}
	if (batch.length > 0) yield batch;
}
