export interface BatchLimits {
	maxCount: number;
	maxBytes: number;
	/** Bytes that a request with several entries needs in addition to its entries and separators. */
	envelopeBytes?: number;
	separatorBytes?: number;
}

/**
 * An entry and its serialized text. The entry is serialized only once, and the text is used for both the size and the
 * request body.
 */
export interface Packed<E> {
	entry: E;
	text: string;
	bytes: number;
}

export interface Unsendable<E> {
	type: 'unsendable';
	entry: E;
	reason: unknown;
	/** Size of the entry, or 0 if unknown. */
	bytes: number;
}

export interface Packing<E> {
	limits: BatchLimits;
	/** This function is called once per entry. If it throws, the entry cannot be sent. */
	textOf: (entry: E) => string;
	/** Creates the error for an entry that exceeds the maximum request size. If missing, such an entry is sent. */
	tooLarge?: (entry: E, bytes: number) => Error;
	/**
	 * Returns the key of an entry. The service may process a batch in any order, so a batch never contains two
	 * entries with the same key.
	 */
	keyOf?: (entry: E) => string;
	replace?: (later: E, earlier: E) => void;
	/**
	 * Returns the group of an entry. All entries in a batch belong to one group. The source must sort entries by group.
	 */
	groupOf?: (entry: E) => string;
}

export type Batch<E> = Array<Packed<E>>;

/** Maps the key of each entry to its position in the batch. */
export type Keys = ReadonlyMap<string, number>;

export interface FullBatch<E> {
	type: 'batch';
	batch: Batch<E>;
	keys: Keys;
	bytes: number;
}

/**
 * Returns the size of a request body in bytes.
 *
 * @param entries number of entries
 * @param bytes total size of the entries without separators
 */
export const requestBytes = (
	entries: number,
	bytes: number,
	{ envelopeBytes = 0, separatorBytes = 0 }: BatchLimits,
): number => (entries < 2 ? bytes : bytes + envelopeBytes + (entries - 1) * separatorBytes);

/** Fills one batch after another, in the order of the entries. Batches are limited by entry count and by size. */
export class Batcher<E> {
	private batch: Batch<E> = [];
	private keys = new Map<string, number>();
	private bytes = 0;
	private group: string | undefined;

	/** @param limits limits for a batch. They are read again for each entry, because they can shrink at any time */
	constructor(
		private readonly packing: Packing<E>,
		private readonly limits: BatchLimits,
	) {}

	add(entry: E): FullBatch<E> | Unsendable<E> | undefined {
		const { keyOf, groupOf, textOf, tooLarge, limits: largest } = this.packing;
		const key = keyOf?.(entry);
		const group = groupOf?.(entry);
		let text: string;
		try {
			text = textOf(entry);
		} catch (reason) {
			return { type: 'unsendable', entry, reason, bytes: 0 };
		}
		const packed: Packed<E> = { entry, text, bytes: Buffer.byteLength(text) };
		const { bytes } = packed;
		if (tooLarge && bytes > largest.maxBytes)
			return { type: 'unsendable', entry, reason: tooLarge(entry, bytes), bytes };
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
		// If requests are limited to one entry, each entry fills a batch immediately.
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

	/** Returns the current batch, which may be empty, and starts a new one. */
	flush(): FullBatch<E> {
		const { batch, keys } = this;
		const bytes = requestBytes(batch.length, this.bytes, this.limits);
		this.batch = [];
		this.keys = new Map();
		this.bytes = 0;
		return { type: 'batch', batch, keys, bytes };
	}
}
