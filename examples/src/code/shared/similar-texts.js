/** @import { BatchDocument } from '../../parts/types' */

module.exports = { textSums, exactSum, suddenlyAlike };

/**
 * Returns two checksums of a text with a space between them: one of the text, and one of its words without numbers, times,
 * hexadecimal words and the address of the page. Pages that say "Something went wrong. Request ID: 7f3a9c" differ in
 * the first one only. Nothing is returned for an empty text, and only the first one for a text without other words.
 * @param {unknown} text
 * @param {unknown} address
 */
function textSums(text, address) {
	const whole = [text ?? ''].flat().join('\n\n').trim();
	if (whole === '') return undefined;
	const words = withoutNumbers(whole, String(address ?? ''));
	return words ? `${checksum(whole)} ${checksum(words)}` : checksum(whole);
}

/**
 * Earlier versions of the syncs have noted only this one.
 * @param {string | undefined} sums
 */
function exactSum(sums) {
	return sums?.split(' ')[0];
}

/**
 * Returns the changed documents whose texts are equal now and were not before, in place of different ones. Texts that were
 * equal before count as one: the pages of a shop may always have differed in their numbers only.
 * @template {BatchDocument} Document
 * @param {Document[]} changed
 * @param {0 | 1} kind which checksum is compared. A document that has it not, before or now, does not count.
 */
function suddenlyAlike(changed, kind) {
	/** @type {Map<string, Document[]>} */
	const alike = new Map();
	for (const document of changed) {
		const before = document.oldText?.split(' ')[kind];
		const now = document.newText?.split(' ')[kind];
		if (!before || !now) continue;
		const group = alike.get(now) ?? [];
		group.push(document);
		alike.set(now, group);
	}
	return [...alike.values()].filter((documents) => {
		/** @type {Map<string | undefined, number>} */
		const families = new Map();
		let largest = 0;
		for (const { oldText } of documents) {
			const before = oldText?.split(' ')[kind];
			const size = (families.get(before) ?? 0) + 1;
			families.set(before, size);
			if (size > largest) largest = size;
		}
		const count = documents.length - largest + 1;
		const isMost = count >= 3 && count > changed.length / 2;
		const isMany = count > 10 && count > changed.length * 0.05;
		return isMost || isMany;
	});
}

/**
 * @param {string} text
 * @param {string} address
 */
function withoutNumbers(text, address) {
	let rest = text;
	for (const form of formsOf(address)) rest = rest.replaceAll(form, ' ');
	return rest
		.replace(/[a-z\d]+/gi, (word) => (/\d|^[a-f]{4,}$|^[ap]m$/i.test(word) ? ' ' : word))
		.replace(/[^\p{L}]+/gu, ' ')
		.trim();
}

/**
 * The forms in which a page may name its own address.
 * @param {string} address
 */
function formsOf(address) {
	const [, site, path] = /^https?:\/\/([^/?#]*)([^#]*)/i.exec(address) ?? [];
	if (site === undefined) return [];
	const forms = [address, site + path, path.length > 1 ? path : ''];
	const decoded = forms.map((form) => {
		try {
			return decodeURI(form);
		} catch {
			return ''; // no UTF-8
		}
	});
	const all = [...forms, ...decoded];
	const encoded = all.map((form) => form.replace(/\p{Surrogate}/gu, '')).map(encodeURIComponent);
	return [...all, ...encoded].filter((form) => form !== '');
}

/**
 * FNV-1a, 32 bits, of a text's UTF-16 code units.
 * @param {string} text
 */
function checksum(text) {
	const { imul } = Math;
	let hash = 0x811c9dc5;
	for (let i = 0; i < text.length; i++) {
		const code = text.charCodeAt(i);
		hash = imul(hash ^ (code & 255), 0x01000193);
		hash = imul(hash ^ (code >>> 8), 0x01000193);
	}
	return (hash >>> 0).toString(36);
}
