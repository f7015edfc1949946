/** Limits of a request. */
export interface BatchLimits {
	maxCount: number;
	maxBytes: number;
	/** Bytes that a request of several entries has in addition to them. */
	envelopeBytes?: number;
	/** Bytes between one entry and the next. */
	separatorBytes?: number;
}

/** An entry ready to send: its text is written once, for size and body. */
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
	/** Entries of one key that fit in one batch: the later one takes the place of the earlier one. */
	replace?: (later: E, earlier: E) => void;
	/** A batch holds one group; entries arrive sorted by group. */
	groupOf?: (entry: E) => string;
}

/** Entries of one request, in their order. */
export type Batch<E> = Array<Packed<E>>;

/** Where the entry of a key is in its batch. */
export type Keys = ReadonlyMap<string, number>;

/** A batch that is ready to be sent. */
export interface FullBatch<E> {
	batch: Batch<E>;
	keys: Keys;
	/** Bytes of its request. */
	bytes: number;
}

/**
 * Size of a request.
 *
 * @param entries how many it has
 * @param bytes of these alone
 * @returns bytes of its body
 */
export const requestBytes = (
	entries: number,
	bytes: number,
	{ envelopeBytes = 0, separatorBytes = 0 }: BatchLimits,
): number => (entries < 2 ? bytes : bytes + envelopeBytes + (entries - 1) * separatorBytes);

/**
 * Fills one batch after the other, in the order of the entries, by count and by bytes.
 */
export class Batcher<E> {
	private batch: Batch<E> = [];
	private keys = new Map<string, number>();
	private bytes = 0;
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
	add(entry: E): FullBatch<E> | Unsendable<E> | undefined {
		const { keyOf, groupOf, textOf, tooLarge, limits } = this.packing;
		const key = keyOf?.(entry);
		const group = groupOf?.(entry);
		let text: string;
		try {
			text = textOf(entry);
		} catch (reason) {
			return { entry, reason, bytes: 0 };
		}
		const packed: Packed<E> = { entry, text, bytes: Buffer.byteLength(text) };
		const { bytes } = packed;
		if (bytes > limits.maxBytes) return { entry, reason: tooLarge(entry, bytes), bytes };
		const earlier = key === undefined ? undefined : this.keys.get(key);
		if (earlier !== undefined && this.replaceEarlier(earlier, packed)) return undefined;
		const size = requestBytes(this.batch.length + 1, this.bytes + bytes, this.limits);
		const { maxCount, maxBytes } = this.limits;
		const isFull = this.batch.length >= maxCount || size > maxBytes;
		const isOther = group !== this.group || earlier !== undefined;
		const full = this.batch.length > 0 && (isFull || isOther) ? this.flush() : undefined;
		this.batch.push(packed);
		if (key !== undefined) this.keys.set(key, this.batch.length - 1);
		this.bytes += bytes;
		this.group = group;
		// A request with a single entry does not wait for further entries.
		return maxCount === 1 ? this.flush() : full;
	}

	/** Puts an entry in the place of an earlier one with its key, if it fits there. */
	private replaceEarlier(at: number, packed: Packed<E>): boolean {
		const earlier = this.batch[at];
		const { replace } = this.packing;
		if (earlier === undefined || replace === undefined) return false;
		const bytes = this.bytes - earlier.bytes + packed.bytes;
		if (requestBytes(this.batch.length, bytes, this.limits) > this.limits.maxBytes)
			return false;
		replace(packed.entry, earlier.entry);
		this.batch[at] = packed;
		this.bytes = bytes;
		return true;
	}

	/** @returns the batch that is being filled, empty if there is none */
	flush(): FullBatch<E> {
		const { batch, keys } = this;
		const bytes = requestBytes(batch.length, this.bytes, this.limits);
		this.batch = [];
		this.keys = new Map();
		this.bytes = 0;
		return { batch, keys, bytes };
	}
}
