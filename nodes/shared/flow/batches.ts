/** What a request may hold. */
export interface BatchLimits {
	maxCount: number;
	maxBytes: number;
	/** Bytes a request of several entries has beside them. One entry alone goes as it is. */
	envelope: number;
	/** Bytes between one entry and the next. */
	separator: number;
}

/** An entry made ready to send: its text is made once and serves for size and body. */
export interface Packed<E> {
	entry: E;
	text: string;
	bytes: number;
}

/** An entry that can be in no request, with the reason. */
export interface Unsendable<E> {
	entry: E;
	error: unknown;
	/** Its size, where it has one. */
	bytes: number;
}

/** What batches are made of. */
export interface BatchSource<E> {
	entries: Iterable<E>;
	/** A batch never holds two entries of one key: a service may handle a batch in any order. */
	keyOf: (entry: E) => string;
	/** A request holds entries of one group only; entries come sorted by it. */
	groupOf?: (entry: E) => string;
	/** Makes the text of an entry, called once for each. An entry it throws for is unsendable. */
	textOf: (entry: E) => string;
	limits: BatchLimits;
	/** An entry that is larger than a request may be: makes its error. */
	tooLarge: (entry: E, bytes: number) => Error;
}

/**
 * Size of a request.
 *
 * @param batch its entries
 * @param limits tells what several entries need beside them
 * @returns bytes of its body
 */
export function requestBytes(batch: Array<Packed<unknown>>, limits: BatchLimits): number {
	const bytes = batch.reduce((sum, packed) => sum + packed.bytes, 0);
	return bodyBytes(batch.length, bytes, limits);
}

const bodyBytes = (count: number, bytes: number, { envelope, separator }: BatchLimits): number =>
	count < 2 ? bytes : bytes + envelope + (count - 1) * separator;

/**
 * Groups entries into batches, in their order, by count and by bytes. Lazy: an entry is packed
 * when its batch is being filled, so only the bodies under way are in memory. Entries that cannot
 * be sent come out by themselves and leave the batch that is being filled as it is.
 *
 * @param source entries and how to group them; its limits hold for every single entry
 * @param batchLimits read anew for each entry: may be lowered while batches are being made. An
 * entry that is above it alone becomes a batch of its own.
 * @returns batches that are not empty, and the entries that cannot be sent
 */
export function* batches<E>(
	source: BatchSource<E>,
	batchLimits: BatchLimits = source.limits,
): Generator<Array<Packed<E>> | Unsendable<E>> {
	const { keyOf, groupOf = () => '' } = source;
	let batch: Array<Packed<E>> = [];
	let keys = new Set<string>();
	let bytes = 0;
	let group = '';
	for (const entry of source.entries) {
		const packed = pack(entry, source);
		if ('error' in packed) {
			yield packed;
			continue;
		}
		const key = keyOf(entry);
		const entryGroup = groupOf(entry);
		const size = bodyBytes(batch.length + 1, bytes + packed.bytes, batchLimits);
		const full = batch.length >= batchLimits.maxCount || size > batchLimits.maxBytes;
		if (batch.length > 0 && (full || keys.has(key) || entryGroup !== group)) {
			yield batch;
			batch = [];
			keys = new Set();
			bytes = 0;
		}
		group = entryGroup;
		batch.push(packed);
		keys.add(key);
		bytes += packed.bytes;
	}
	if (batch.length > 0) yield batch;
}

function pack<E>(
	entry: E,
	{ textOf, limits, tooLarge }: BatchSource<E>,
): Packed<E> | Unsendable<E> {
	try {
		const text = textOf(entry);
		const bytes = Buffer.byteLength(text);
		if (bytes > limits.maxBytes) return { entry, error: tooLarge(entry, bytes), bytes };
		return { entry, text, bytes };
	} catch (error) {
		return { entry, error, bytes: 0 };
	}
}
