import type { Steps } from './bit-reader';
import { crc32 } from './crc32';

/** How far back a deflate stream may refer. */
const HISTORY_BYTES = 32 * 1024;
/** The output is returned in slices of about this length. */
const SLICE_BYTES = 64 * 1024;
/** With so many bytes, the output has to be returned. */
export const FULL_BYTES = HISTORY_BYTES + SLICE_BYTES;
export const MAX_MATCH_BYTES = 258;

/** What was decompressed and not returned yet, after as much of what was as may be referred to. */
export class Output {
	readonly bytes = new Uint8Array(FULL_BYTES + MAX_MATCH_BYTES);
	/** How many there are. */
	to = 0;
	/** The checksum and the length (modulo 2^32) of what was returned. */
	crc = 0;
	size = 0;
	private returned = 0;

	/** A new stream begins. */
	begin(): void {
		this.crc = this.size = this.to = this.returned = 0;
	}

	/** Returns all there is. */
	*flush(): Steps<void> {
		if (this.to > this.returned) {
			const slice = this.bytes.slice(this.returned, this.to);
			this.crc = crc32(slice, this.crc);
			this.size = (this.size + slice.length) >>> 0;
			this.returned = this.to;
			yield slice;
		}
		if (this.to < FULL_BYTES) return;
		this.bytes.copyWithin(0, this.to - HISTORY_BYTES, this.to);
		this.returned = this.to = HISTORY_BYTES;
	}
}
