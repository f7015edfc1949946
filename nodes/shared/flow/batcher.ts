export interface BatchLimits {
	maxCount: number;
	maxBytes: number;
	/** Bytes that a request of several entries needs besides the entries and separators. */
	envelopeBytes?: number;
	/** Bytes of the separator between two entries. */
	separatorBytes?: number;
}

/** An entry with its text, which is written once and serves for the size and the body. */
export interface Packed<E> {
	entry: E;
	text: string;
	bytes: number;
}

/** An entry that no request can carry. */
export interface Unsendable<E> {
	entry: E;
	reason: unknown;
	/** Size of the entry, or 0 if the size is unknown. */
	bytes: number;
}

/** Rules by which entries become requests. */
export interface Packing<E> {
	limits: BatchLimits;
	/** Writes the text of an entry. It is called once per entry. If it throws, the entry cannot be sent. */
	textOf: (entry: E) => string;
	/** Makes the error for an entry that is larger than a request may be. */
	tooLarge: (entry: E, bytes: number) => Error;
	/** Returns the key of an entry. A batch never has two entries with one key, because a service may use any order. */
	keyOf?: (entry: E) => string;
	/** Is called when a later entry replaces an earlier one with the same key in one batch. */
	replace?: (later: E, earlier: E) => void;
	/** Returns the group of an entry. A batch has entries of one group only. Entries must be sorted by group. */
	groupOf?: (entry: E) => string;
}

export type Batch<E> = Array<Packed<E>>;

/** Positions of entries in a batch, by their keys. */
export type Keys = ReadonlyMap<string, number>;

/** A batch that is ready to be sent. */
export interface FullBatch<E> {
	batch: Batch<E>;
	keys: Keys;
	/** Bytes of the request body. */
	bytes: number;
}

/**
 * Returns the size of a request body in bytes.
 *
 * @param entries number of entries
 * @param bytes size of the entries alone
 */
export const requestBytes = (
	entries: number,
	bytes: number,
	{ envelopeBytes = 0, separatorBytes = 0 }: BatchLimits,
): number => (entries < 2 ? bytes : bytes + envelopeBytes + (entries - 1) * separatorBytes);

/** Fills one batch after the other, in the order of the entries. Batches are limited by count and by bytes. */
export class Batcher<E> {
	private batch: Batch<E> = [];
	private keys = new Map<string, number>();
	private bytes = 0;
	private group: string | undefined;

	/** @param limits may shrink while batches are being filled, so they are read for each entry */
	constructor(
		private readonly packing: Packing<E>,
		private readonly limits: BatchLimits,
	) {}

	/**
	 * Adds an entry to the current batch.
	 *
	 * @returns a batch that has become full, or the entry if it cannot be sent, or undefined
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
		// If a request may have only one entry, it does not wait for the next entry.
		return maxCount === 1 ? this.flush() : full;
	}

	/** Replaces an earlier entry that has the same key, if the batch stays within its limits. */
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

	/** Returns the batch that is being filled, which may be empty, and starts another one. */
	flush(): FullBatch<E> {
		const { batch, keys } = this;
		const bytes = requestBytes(batch.length, this.bytes, this.limits);
		this.batch = [];
		this.keys = new Map();
		this.bytes = 0;
		return { batch, keys, bytes };
	}
}
