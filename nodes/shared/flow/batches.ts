/** Limits of a request. */
export interface BatchLimits {
	maxCount: number;
	maxBytes: number;
	/** Bytes that a request of several entries has in addition to them. */
	envelopeBytes?: number;
	/** Bytes between one entry and the next. */
	separatorBytes?: number;
}

/** An entry ready to send: its text is made once and serves for size and body. */
export interface Packed<E> {
	entry: E;
	text: string;
	bytes: number;
}

/** An entry that no request can carry. */
export interface Unsendable<E> {
	entry: E;
	reason: unknown;
	/** Its size, if known. */
	bytes: number;
}

/** How entries become requests. */
export interface Packing<E> {
	limits: BatchLimits;
	/** Makes the text of an entry, called once for each. An entry it throws for is unsendable. */
	textOf: (entry: E) => string;
	/** The error of an entry that is larger than a request may be. */
	tooLarge: (entry: E, bytes: number) => Error;
	/** A batch never holds two entries of one key, since a service may handle it in any order. */
	keyOf?: (entry: E) => string;
	/** What an entry keeps in memory besides its text, in characters: no batch holds more of it than bytes. */
	besidesOf?: (entry: E) => number;
	/** A batch holds entries of one group only; entries come sorted by it. */
	groupOf?: (entry: E) => string;
}

/** The entries of a batch, in their order. */
export const entriesOf = <E>(batch: Array<Packed<E>>): E[] => batch.map(({ entry }) => entry);

/**
 * Size of a request.
 *
 * @returns bytes of its body
 */
export function requestBytes(batch: Array<Packed<unknown>>, limits: BatchLimits): number {
	const bytes = batch.reduce((sum, packed) => sum + packed.bytes, 0);
	return bodyBytes(batch.length, bytes, limits);
}

const bodyBytes = (
	count: number,
	bytes: number,
	{ envelopeBytes = 0, separatorBytes = 0 }: BatchLimits,
): number => (count < 2 ? bytes : bytes + envelopeBytes + (count - 1) * separatorBytes);

/**
 * Fills one batch after the other, in the order of the entries, by count and by bytes.
 */
export class Batcher<E> {
	private batch: Array<Packed<E>> = [];
	private keys = new Set<string>();
	private bytes = 0;
	private besides = 0;
	private group: string | undefined;

	/** @param limits read anew for each entry: may shrink while batches are being filled */
	constructor(
		private readonly packing: Packing<E>,
		private readonly limits: BatchLimits,
	) {}

	/**
	 * Adds an entry.
	 *
	 * @returns the batch it no longer fits in, which is full then; the entry itself if it cannot be
	 * sent, which leaves the current batch as it is; undefined otherwise
	 */
	add(entry: E): Array<Packed<E>> | Unsendable<E> | undefined {
		const packed = pack(entry, this.packing);
		if ('reason' in packed) return packed;
		const { keyOf, groupOf, besidesOf } = this.packing;
		const key = keyOf?.(entry);
		const group = groupOf?.(entry);
		const size = bodyBytes(this.batch.length + 1, this.bytes + packed.bytes, this.limits);
		const { maxCount, maxBytes } = this.limits;
		const besides = besidesOf?.(entry) ?? 0;
		const isFull =
			this.batch.length >= maxCount || size > maxBytes || this.besides + besides > maxBytes;
		const isOther = group !== this.group || (key !== undefined && this.keys.has(key));
		const full = this.batch.length > 0 && (isFull || isOther) ? this.flush() : undefined;
		this.batch.push(packed);
		if (key !== undefined) this.keys.add(key);
		this.bytes += packed.bytes;
		this.besides += besides;
		this.group = group;
		return full;
	}

	/** @returns the batch that is being filled, empty if there is none */
	flush(): Array<Packed<E>> {
		const { batch } = this;
		this.batch = [];
		this.keys = new Set();
		this.bytes = 0;
		this.besides = 0;
		return batch;
	}
}

function pack<E>(entry: E, { textOf, limits, tooLarge }: Packing<E>): Packed<E> | Unsendable<E> {
	try {
		const text = textOf(entry);
		const bytes = Buffer.byteLength(text);
		if (bytes > limits.maxBytes) return { entry, reason: tooLarge(entry, bytes), bytes };
		return { entry, text, bytes };
	} catch (reason) {
		return { entry, reason, bytes: 0 };
	}
}
