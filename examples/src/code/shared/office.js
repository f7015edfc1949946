const { outermost, valueOf } = require('./xml');
const { checksumOf } = require('./zip');
module.exports = { readOffice, mainPart, relationships, joinedPath, xmlOf };
/** @import { ArchiveItem, Fetched, Item, OfficeParts, ReadBytes, UnpackedItem } from '../../parts/types' */

/**
 * Reads the files of one format, one item per file: `entry`, and what `toText` returns, or a `problem`.
 * @param {string} format
 * @param {{ files: ArchiveItem[], unpacked: UnpackedItem[], read: ReadBytes }} inputs
 * @param {(parts: OfficeParts) => Promise<Partial<Fetched>>} toText
 * @returns {Promise<Item<Partial<Fetched> & { entry: number }>[]>}
 */
async function readOffice(format, { files, unpacked, read }, toText) {
	/** @type {Item<Partial<Fetched> & { entry: number }>[]} */
	const items = [];
	for (const [at, { json }] of files.entries()) {
		if (json.format !== format) continue;
		const found = json.problem
			? { problem: json.problem }
			: await readOne(json, unpacked[at], async (field) => await read(at, field), toText);
		items.push({ json: { entry: json.entry, ...found } });
	}
	return items;
}

/**
 * @param {ArchiveItem['json']} file
 * @param {UnpackedItem | undefined} item
 * @param {(field: string) => Promise<Uint8Array>} read
 * @param {(parts: OfficeParts) => Promise<Partial<Fetched>>} toText
 * @returns {Promise<Partial<Fetched>>}
 */
async function readOne({ checksums = {} }, item, read, toText) {
	const fields = new Map(
		Object.entries(item?.binary ?? {}).map(([field, { directory, fileName }]) => [
			partName(directory ? `${directory}/${fileName}` : String(fileName)),
			field,
		]),
	);
	if (item?.json.error || fields.size === 0) {
		return { problem: `is damaged (${String(item?.json.error ?? 'it was not unpacked')})` };
	}
	/** @type {OfficeParts} */
	const parts = {
		has: (name) => fields.has(partName(name)),
		read: async (name) => {
			const field = fields.get(partName(name));
			if (field === undefined) throw new Error(`its part '${name}' is missing`);
			const bytes = await read(field);
			if (checksumOf(bytes) !== checksums[partName(name)]) {
				throw new Error(`its part '${name}' has a wrong checksum`);
			}
			return bytes;
		},
	};
	try {
		const found = await toText(parts);
		// Its text may be where it is not read, such as in a chart or a header, so the file is not empty.
		const isEmpty =
			!found.problem && [found.pages ?? found.text ?? ''].flat().join('').trim() === '';
		return isEmpty ? { problem: 'has no text that can be read' } : found;
	} catch (error) {
		return { problem: `is damaged (${Object(error).message})` };
	}
}

/**
 * Names of parts do not depend on the case of letters, and some programs write `\` or begin them with `/`.
 * @param {string} name
 */
function partName(name) {
	return name.replaceAll('\\', '/').replace(/^\/+/, '').toLowerCase();
}

/**
 * Returns the text of a part.
 * @param {OfficeParts} parts
 * @param {string} name
 */
async function xmlOf(parts, name) {
	const bytes = await parts.read(name);
	const [first, second] = bytes;
	const isUtf16 = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
	const start = new TextDecoder('latin1').decode(bytes.subarray(0, 200));
	const declared = /^\W{0,3}<\?xml[^>]*?encoding\s*=\s*["']([\w.-]+)["']/.exec(start)?.[1];
	const utf16 = first === 0xff ? 'utf-16le' : 'utf-16be';
	try {
		const encoding = isUtf16 ? utf16 : (declared ?? 'utf-8');
		return new TextDecoder(encoding, { fatal: true }).decode(bytes);
	} catch {
		throw new Error(`its part '${name}' is in a wrong encoding`);
	}
}

/**
 * Returns the relationships of a part: what its IDs stand for.
 * @param {OfficeParts} parts
 * @param {string} name the part, or an empty text for the whole file
 * @returns {Promise<{ id: string, type: string, target: string }[]>}
 */
async function relationships(parts, name) {
	const folder = name.includes('/') ? name.slice(0, name.lastIndexOf('/') + 1) : '';
	const path = `${folder}_rels/${name.slice(folder.length)}.rels`;
	if (!parts.has(path)) return [];
	const found = [...outermost(await xmlOf(parts, path), ['Relationship'])];
	return found
		.filter((each) => valueOf(each, 'TargetMode') !== 'External')
		.map((each) => ({
			id: valueOf(each, 'Id') ?? '',
			// The address before the last word differs between the two variants of the format.
			type: (valueOf(each, 'Type') ?? '').split('/').pop() ?? '',
			target: joinedPath(folder, valueOf(each, 'Target') ?? ''),
		}));
}

/**
 * Returns the name of the part that a target in a folder means.
 * @param {string} folder
 * @param {string} target
 */
function joinedPath(folder, target) {
	const path = target.startsWith('/') ? target : folder + target;
	/** @type {string[]} */
	const steps = [];
	for (const step of path.replaceAll('\\', '/').split('/')) {
		if (step === '..') steps.pop();
		else if (step !== '' && step !== '.') steps.push(step);
	}
	return steps.join('/');
}

/**
 * Returns the name of the main part, its relationships, and its text.
 * @param {OfficeParts} parts
 * @param {string} usual the name of the part if nothing says it
 * @param {string} root the name of its root element
 */
async function mainPart(parts, usual, root) {
	const all = await relationships(parts, '');
	const named = all.find(({ type, target }) => type === 'officeDocument' && parts.has(target));
	const name = named?.target ?? usual;
	const xml = await xmlOf(parts, name);
	const [, found] = /<(?:[\w.-]+:)?(\w+)[\s>/]/.exec(xml.replace(/^[^<]*<\?[^>]*>/, '')) ?? [];
	if (found !== root) {
		throw new Error(`its main part is a '${found}', not a '${root}': check its extension`);
	}
	return { name, xml, links: await relationships(parts, name) };
}
