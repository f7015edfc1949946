/** @import { ArchiveItem, OfficeFile, ReadBytes } from '../parts/types' */

const { readDirectory } = require('./shared/zip');

/**
 * @param {{ files: OfficeFile[], read: ReadBytes, mostMegabytes: number }} inputs
 * @returns {Promise<ArchiveItem[]>}
 */
module.exports = async ({ files, read, mostMegabytes }) => {
	// One item per file, in the same order. Unpack would unpack up to 2 GB and 5,000 parts, so the directory of the
	// archive is read first. A file with `problem` is not unpacked.
	/** @type {ArchiveItem[]} */
	const archives = [];
	for (const [at, { json, binary }] of files.entries()) {
		const found = checked(Buffer.from(await read(at, 'data')));
		const data = { ...binary?.data, fileExtension: 'zip' };
		const isGood = found.problem === undefined;
		archives.push({ json: { ...json, ...found }, ...(isGood && { binary: { data } }) });
	}
	return archives;

	/**
	 * @param {Buffer} bytes
	 * @returns {{ problem: string } | { problem?: undefined, checksums: Record<string, number> }}
	 */
	function checked(bytes) {
		const other = otherKind(bytes);
		if (other) return { problem: other };
		try {
			const entries = readDirectory(bytes);
			if (entries.length > 1000) {
				return { problem: `has ${entries.length} parts, and 1,000 are allowed` };
			}
			const megabytes = entries.reduce((sum, { size }) => sum + size, 0) / 1_000_000;
			if (megabytes > 5 * mostMegabytes) {
				return {
					problem: `has ${megabytes.toFixed(1)} MB when it is unpacked, and five times mostMegabytes are allowed: make the file smaller, or raise mostMegabytes`,
				};
			}
			const checksums = entries.map(({ name, checksum }) => [
				name.replaceAll('\\', '/').replace(/^\/+/, '').toLowerCase(),
				checksum,
			]);
			return { checksums: Object.fromEntries(checksums) };
		} catch (error) {
			return { problem: Object(error).message };
		}
	}

	/** @param {Buffer} bytes */
	function otherKind(bytes) {
		if (bytes.length === 0) return 'is empty: it has 0 bytes';
		const start = bytes.toString('latin1', 0, 1000);
		if (start.startsWith('PK')) return '';
		if (start.startsWith('\xd0\xcf\x11\xe0')) {
			const isEncrypted = bytes.includes('EncryptedPackage', 0, 'utf16le');
			return isEncrypted
				? 'is encrypted: save it without a password'
				: 'is a file of an old format (.doc, .xls, .ppt): save it in the format of its extension';
		}
		if (start.startsWith('%PDF-')) return 'is a PDF file: give it the extension pdf';
		if (/^\W{0,3}<(?:!doctype|html|head|body|meta)/i.test(start)) {
			return 'is an HTML page: give it the extension html, or save it again';
		}
		return 'is damaged, or its content is of another kind';
	}
};
