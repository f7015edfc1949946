const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
	let value = byte;
	for (let bit = 0; bit < 8; bit++) value = (value >>> 1) ^ (value & 1 ? 0xedb88320 : 0);
	return value;
});

/**
 * The checksum of gzip (RFC 1952).
 *
 * @param before the checksum of all bytes before these; 0 at the beginning
 */
export function crc32(bytes: Uint8Array, before: number): number {
	let crc = ~before;
	for (let at = 0; at < bytes.length; at++) {
		crc = (crc >>> 8) ^ (TABLE[(crc ^ (bytes[at] ?? 0)) & 0xff] ?? 0);
	}
	return ~crc >>> 0;
}
