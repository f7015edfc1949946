module.exports = { decodedText };

/**
 * Decodes a file or a response. A byte order mark comes first, then the encodings that the header and the beginning
 * of HTML or XML declare, then UTF-8, UTF-16 without a mark, and Windows-1252. If it is not certain that the bytes are a
 * text, or which one, there is a problem in place of the text.
 * @param {Buffer} bytes
 * @param {string} [contentType] the header Content-Type
 * @returns {{ text: string, problem?: string }}
 */
function decodedText(bytes, contentType = '') {
	const latin = bytes.toString('latin1');
	const isMarkup = contentType ? /html|xml/i.test(contentType) : /^\s*<[!?a-z]/i.test(latin);
	const mark = markOf(bytes);
	const labels = mark ? [mark] : declaredEncodings(latin, contentType, isMarkup);
	const utf8 = decodedAs(bytes, 'utf-8');
	const { valid, invalid } = countedSequences(utf8 === undefined ? latin : '');
	const isUtf8 = utf8 === undefined ? valid > invalid : /[\x80-\xff]/.test(latin);
	for (const label of labels) {
		// Most encodings of one byte have all bytes, so only UTF-8 shows that such a declaration is wrong.
		if (isOneByte(label) && isUtf8) continue;
		// In UTF-16, the text of an ASCII file would be Chinese.
		if (!mark && label.startsWith('utf-16') && !latin.includes('\0')) continue;
		const text = decodedAs(bytes, label);
		// Some servers declare ISO 8859-1, which browsers read as Windows-1252, for whatever they send.
		if (label === 'windows-1252' && isForeign(latin, isMarkup)) continue;
		if (text !== undefined) return checkedText(text, isMarkup);
		if (label !== 'utf-8' && !isUtf8) {
			return noText(`is declared as ${label}, but has bytes that ${label} does not have`);
		}
	}
	const wide = latin.includes('\0') ? decodedAs(bytes, wideEncoding(bytes)) : undefined;
	if (wide !== undefined) return checkedText(wide, isMarkup);
	if (utf8 !== undefined) return checkedText(utf8, isMarkup);
	return decodedByLine(mark ? latin.slice(3) : latin, isUtf8, isMarkup);
}

/** @param {string} problem */
function noText(problem) {
	return { text: '', problem: `${problem}: save it as UTF-8` };
}

/** @param {Buffer} bytes */
function markOf([first, second, third]) {
	if (first === 0xff && second === 0xfe) return 'utf-16le';
	if (first === 0xfe && second === 0xff) return 'utf-16be';
	return first === 0xef && second === 0xbb && third === 0xbf ? 'utf-8' : '';
}

/**
 * Returns the known encodings that a response or a file declares, in the order in which they count.
 * @param {string} latin
 * @param {string} contentType
 * @param {boolean} isMarkup
 */
function declaredEncodings(latin, contentType, isMarkup) {
	const head = isMarkup ? latin.slice(0, 1024).replace(/<!--[^]*?(?:-->|$)/g, '') : '';
	const [, header] = /;\s*charset\s*=\s*["']?\s*([^\s"';,]+)/i.exec(contentType) ?? [];
	const [, prolog] = /^\s*<\?xml[^>]*?\sencoding\s*=\s*["']\s*([^\s"']+)/i.exec(head) ?? [];
	const metas = (head.match(/<meta\s[^>]*/gi) ?? []).map((meta) => {
		const [, content] = /http-equiv/i.test(meta)
			? (/charset\s*=\s*([^\s"';]+)/i.exec(meta) ?? [])
			: (/\scharset\s*=\s*["']?\s*([^\s"';/]+)/i.exec(meta) ?? []);
		return content;
	});
	// A declaration that can be read byte by byte is not in UTF-16.
	const inText = [prolog, ...metas].map((label) => label?.replace(/^utf-?16.*/i, 'utf-8'));
	return [header, ...inText].map(encodingOf).filter((name) => name !== '');
}

/**
 * Returns the name of an encoding, or an empty text if there is none with this label.
 * @param {string | undefined} label
 */
function encodingOf(label) {
	try {
		return label ? new TextDecoder(label).encoding : '';
	} catch {
		return '';
	}
}

/** @param {string} encoding */
function isOneByte(encoding) {
	return !/^(?:utf-|gb|big5|euc-|shift_jis|iso-2022)/.test(encoding);
}

/**
 * Returns undefined if the encoding does not have all bytes.
 * @param {Buffer} bytes
 * @param {string} encoding
 */
function decodedAs(bytes, encoding) {
	if (encoding === 'windows-1252') return windows1252(bytes.toString('latin1'));
	try {
		return new TextDecoder(encoding, { fatal: true }).decode(bytes);
	} catch {
		return undefined;
	}
}

/**
 * Decodes Windows-1252. TextDecoder is not used, because it returns other characters in some versions of Node.js.
 * @param {string} latin each byte as the character with its code
 */
function windows1252(latin) {
	const from80 = '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ';
	return latin.replace(/[\x80-\x9f]/g, (byte) => from80.charAt(byte.charCodeAt(0) - 0x80));
}

/**
 * Returns UTF-16 if at least a third of its characters are from Latin-1, as in all languages with spaces and line breaks
 * in Latin letters. Such characters have NUL as one byte, and always the same one.
 * @param {Buffer} bytes
 */
function wideEncoding(bytes) {
	const nuls = [0, 0];
	const { length } = bytes;
	for (let at = 0; at < length; at += 1) if (bytes[at] === 0) nuls[at % 2] += 1;
	const [even, odd] = nuls;
	if (even === 0 && odd * 6 >= length) return 'utf-16le';
	return odd === 0 && even * 6 >= length ? 'utf-16be' : '';
}

/** Matches a character of several bytes in UTF-8, or another byte that is not ASCII. */
function utf8Sequences() {
	return /[\xc2-\xdf][\x80-\xbf]|(?:\xe0[\xa0-\xbf]|[\xe1-\xec\xee\xef][\x80-\xbf]|\xed[\x80-\x9f])[\x80-\xbf]|(?:\xf0[\x90-\xbf]|[\xf1-\xf3][\x80-\xbf]|\xf4[\x80-\x8f])[\x80-\xbf]{2}|[\x80-\xff]/g;
}

/** @param {string} latin */
function countedSequences(latin) {
	const sequences = latin.match(utf8Sequences()) ?? [];
	const valid = sequences.filter(({ length }) => length > 1).length;
	return { valid, invalid: sequences.length - valid };
}

/**
 * If most of the text is UTF-8, each other byte is read as Windows-1252. Otherwise, a line is UTF-8 if all of it is.
 * @param {string} latin
 * @param {boolean} isUtf8
 * @param {boolean} isMarkup
 */
function decodedByLine(latin, isUtf8, isMarkup) {
	if (isUtf8 && /(?:[\xe0-\xf4][\x80-\xbf]|[\xf0-\xf4][\x80-\xbf]{2})$/.test(latin)) {
		return { text: '', problem: 'ends within a character, so it is not complete' };
	}
	/** @type {string[]} */
	const guessed = [];
	/** @param {string} part */
	const guess = (part) => {
		guessed.push(part);
		return windows1252(part);
	};
	/** @param {string} part */
	const utf8 = (part) => Buffer.from(part, 'latin1').toString('utf8');
	const lines = latin.split(/(?<=[\r\n])/).map((line) => {
		const { valid, invalid } = countedSequences(line);
		if (invalid === 0) return valid > 0 ? utf8(line) : line;
		return isUtf8
			? line.replace(utf8Sequences(), (part) => (part.length > 1 ? utf8(part) : guess(part)))
			: guess(line);
	});
	const isOther = isUtf8
		? /[\x81\x8d\x8f\x90\x9d]/.test(guessed.join(''))
		: isForeign(guessed.join(''), isMarkup);
	return isOther
		? noText(
				'is neither in UTF-8 nor in Windows-1252, and does not say rightly in which encoding it is',
			)
		: checkedText(lines.join(''), isMarkup);
}

/**
 * Whether bytes are probably not in a language of Western Europe. In these, letters with accents are between others.
 * @param {string} latin
 * @param {boolean} isMarkup
 */
function isForeign(latin, isMarkup) {
	const words = isMarkup ? latin.replace(/<[^>]*>/g, ' ') : latin;
	const accented = words.match(/[\x8a\x8c\x8e\x9a\x9c\x9e\x9f\xc0-\xff]/g)?.length ?? 0;
	const ascii = words.match(/[a-z]/gi)?.length ?? 0;
	const inARow = words.match(/[\xc0-\xff]{4}/g)?.length ?? 0;
	const isUndefined = /[\x81\x8d\x8f\x90\x9d]/.test(latin);
	return isUndefined || inARow > 1 || (accented > 3 && accented > ascii);
}

/**
 * A text has no NUL, and few other control characters. Browsers leave out the NUL that some pages have.
 * @param {string} text
 * @param {boolean} isMarkup
 */
function checkedText(text, isMarkup) {
	// MS-DOS programs write U+001A at the end of a file.
	const content = text.endsWith('\x1a') ? text.slice(0, -1) : text;
	const found = content.match(/[^ -\uffff\s]/g) ?? [];
	const controls = found.filter((each) => each !== '\x1b');
	const isText = controls.length * 1000 <= content.length;
	const hasNul = content.includes('\0');
	if (!isText || (hasNul && !isMarkup)) return { text: '', problem: 'is not a text' };
	return { text: hasNul ? content.replaceAll('\0', '') : content };
}
