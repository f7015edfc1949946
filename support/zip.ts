/** ZIP archives for tests, also with faults that no library writes. */
import { crc32, deflateRawSync, inflateRawSync } from 'node:zlib';

export interface ZipPart {
	name: string;
	content: string | Buffer;
	isStored?: boolean;
	/** What the archive says in place of the truth. */
	checksum?: number;
	size?: number;
	flags?: number;
	method?: number;
}

const numbers = (...fields: Array<[value: number, bytes: 2 | 4]>): Buffer =>
	Buffer.concat(
		fields.map(([value, bytes]) => {
			const field = Buffer.alloc(bytes);
			field.writeUIntLE(value, 0, bytes);
			return field;
		}),
	);

/**
 * Writes an archive.
 *
 * @param comment what follows the directory
 */
export function zip(parts: ZipPart[], comment = ''): Buffer {
	const local: Buffer[] = [];
	const directory: Buffer[] = [];
	let offset = 0;
	for (const part of parts) {
		const content = Buffer.from(part.content as string);
		const name = Buffer.from(part.name);
		const packed = part.isStored ? content : deflateRawSync(content);
		const common = numbers(
			...([
				[part.flags ?? 0x800, 2],
				[part.method ?? (part.isStored ? 0 : 8), 2],
				[0, 4],
				[part.checksum ?? crc32(content), 4],
				[packed.length, 4],
				[part.size ?? content.length, 4],
				[name.length, 2],
				[0, 2],
			] as Array<[number, 2 | 4]>),
		);
		const header = Buffer.concat([numbers([0x04034b50, 4], [20, 2]), common, name, packed]);
		local.push(header);
		directory.push(
			Buffer.concat([
				numbers([0x02014b50, 4], [20, 2], [20, 2]),
				common,
				numbers([0, 2], [0, 2], [0, 2], [0, 4], [offset, 4]),
				name,
			]),
		);
		offset += header.length;
	}
	const list = Buffer.concat(directory);
	const count = Math.min(parts.length, 0xffff);
	const end = numbers(
		...([
			[0x06054b50, 4],
			[0, 2],
			[0, 2],
			[count, 2],
			[count, 2],
			[list.length, 4],
			[offset, 4],
			[comment.length, 2],
		] as Array<[number, 2 | 4]>),
	);
	return Buffer.concat([...local, list, end, Buffer.from(comment)]);
}

/**
 * Unpacks an archive as n8n's Compression node does, without comparing checksums.
 *
 * @throws Error if the archive has no end, or a part cannot be unpacked
 */
export function unzip(archive: Buffer): Map<string, Buffer> {
	let end = archive.length - 22;
	const reachesEnd = () => end + 22 + archive.readUInt16LE(end + 20) === archive.length;
	while (archive.readUInt32LE(end) !== 0x06054b50 || !reachesEnd()) end--;
	const parts = new Map<string, Buffer>();
	let at = archive.readUInt32LE(end + 16);
	for (let count = archive.readUInt16LE(end + 10); count > 0; count--) {
		const [method, nameLength, extra, comment] = [10, 28, 30, 32].map((field) =>
			archive.readUInt16LE(at + field),
		);
		const [packed, offset] = [20, 42].map((field) => archive.readUInt32LE(at + field));
		const name = archive.toString('utf8', at + 46, at + 46 + nameLength);
		const start =
			offset + 30 + archive.readUInt16LE(offset + 26) + archive.readUInt16LE(offset + 28);
		const bytes = archive.subarray(start, start + packed);
		if (method !== 0 && method !== 8) throw new Error(`unknown compression type ${method}`);
		if (!name.endsWith('/')) parts.set(name, method === 0 ? bytes : inflateRawSync(bytes));
		at += 46 + nameLength + extra + comment;
	}
	return parts;
}
