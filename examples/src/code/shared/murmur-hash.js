module.exports = { murmurHash3 };

/**
 * MurmurHash3, x86, 128 bits, with seed 0. n8n does not let Code nodes use Node's module crypto by default. The
 * bytes of the text are its UTF-16 code units, the lower byte first.
 * @param {string} text
 */
function murmurHash3(text) {
	// In n8n's sandbox, a global such as Math in the loop would take most of the time.
	const { imul } = Math;
	const [c1, c2, c3, c4] = [0x239b961b, 0xab0e9789, 0x38b34ae5, 0xa1e38b93];
	const { length } = text;
	let [h1, h2, h3, h4, at] = [0, 0, 0, 0, 0];
	for (; at + 8 <= length; at += 8) {
		h1 ^= imul(rotated(imul(word(text, at), c1), 15), c2);
		h1 = (imul(rotated(h1, 19) + h2, 5) + 0x561ccd1b) | 0;
		h2 ^= imul(rotated(imul(word(text, at + 2), c2), 16), c3);
		h2 = (imul(rotated(h2, 17) + h3, 5) + 0x0bcaa747) | 0;
		h3 ^= imul(rotated(imul(word(text, at + 4), c3), 17), c4);
		h3 = (imul(rotated(h3, 15) + h4, 5) + 0x96cd1c35) | 0;
		h4 ^= imul(rotated(imul(word(text, at + 6), c4), 18), c1);
		h4 = (imul(rotated(h4, 13) + h1, 5) + 0x32ac3b17) | 0;
	}
	h1 ^= imul(rotated(imul(word(text, at), c1), 15), c2);
	h2 ^= imul(rotated(imul(word(text, at + 2), c2), 16), c3);
	h3 ^= imul(rotated(imul(word(text, at + 4), c3), 17), c4);
	h4 ^= imul(rotated(imul(word(text, at + 6), c4), 18), c1);
	const ends = summed([h1, h2, h3, h4].map((part) => part ^ (length * 2)));
	const hash = summed(ends.map((part) => mixed(part, imul)));
	return hash.map((part) => (part >>> 0).toString(16).padStart(8, '0')).join('');
}

/**
 * Two code units. Behind the end of the text, charCodeAt returns NaN, which counts as 0.
 * @param {string} text
 * @param {number} at
 */
function word(text, at) {
	return text.charCodeAt(at) | (text.charCodeAt(at + 1) << 16);
}

/**
 * @param {number} value
 * @param {number} bits
 */
function rotated(value, bits) {
	return (value << bits) | (value >>> (32 - bits));
}

/** @param {number[]} parts */
function summed([first, ...others]) {
	const sum = others.reduce((total, part) => (total + part) | 0, first);
	return [sum, ...others.map((part) => (part + sum) | 0)];
}

/**
 * @param {number} part
 * @param {(a: number, b: number) => number} imul
 */
function mixed(part, imul) {
	let value = imul(part ^ (part >>> 16), 0x85ebca6b);
	value = imul(value ^ (value >>> 13), 0xc2b2ae35);
	return value ^ (value >>> 16);
}
