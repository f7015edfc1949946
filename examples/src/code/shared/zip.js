module.exports = { readDirectory, checksumOf };
/** @import { ZipEntry } from '../../parts/types' */

/**
 * Reads the directory of a ZIP archive, which is at its end. Nothing is unpacked.
 * @param {Buffer} archive
 * @returns {ZipEntry[]}
 */
function readDirectory(archive) {
	const damaged = () => new Error('is damaged: its end is missing, so it was probably cut off');
	let end = archive.length - 22;
	const isEnd = () =>
		archive.readUInt32LE(end) === 0x06054b50 &&
		end + 22 + archive.readUInt16LE(end + 20) === archive.length;
	for (const lowest = end - 65_535; end >= 0 && end >= lowest && !isEnd(); ) end--;
	if (end < 0 || !isEnd()) throw damaged();
	const count = archive.readUInt16LE(end + 10);
	let at = archive.readUInt32LE(end + 16);
	const isZip64 = end >= 20 && archive.readUInt32LE(end - 20) === 0x07064b50;
	if (isZip64 || count === 65_535 || at === 0xffffffff) {
		throw new Error('is a ZIP64 archive, which only files of 4 GB need: save it again');
	}
	/** @type {ZipEntry[]} */
	const entries = [];
	for (let number = 0; number < count; number++) {
		if (at + 46 > end || archive.readUInt32LE(at) !== 0x02014b50) {
			throw new Error('is damaged: the list of its parts cannot be read');
		}
		const flags = archive.readUInt16LE(at + 8);
		const [nameLength, extra, comment] = [28, 30, 32].map((field) =>
			archive.readUInt16LE(at + field),
		);
		const name = archive.toString('utf8', at + 46, at + 46 + nameLength);
		const [checksum, packed, size] = [16, 20, 24].map((field) =>
			archive.readUInt32LE(at + field),
		);
		if ((flags & 1) === 1) throw new Error('is encrypted: save it without a password');
		if (size === 0xffffffff || packed === 0xffffffff) {
			throw new Error('is a ZIP64 archive, which only files of 4 GB need: save it again');
		}
		entries.push({ name, size, checksum });
		at += 46 + nameLength + extra + comment;
	}
	return entries;
}

/**
 * CRC-32, which a ZIP archive has of each of its parts. n8n does not compare it.
 * @param {Uint8Array} bytes
 */
function checksumOf(bytes) {
	const table = Array.from({ length: 256 }, (_, byte) => {
		let value = byte;
		for (let bit = 0; bit < 8; bit++) {
			value = (value & 1) === 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
		}
		return value;
	});
	let sum = 0xffffffff;
	const { length } = bytes;
	for (let at = 0; at < length; at++) sum = (sum >>> 8) ^ table[(sum ^ bytes[at]) & 255];
	return (sum ^ 0xffffffff) >>> 0;
}
