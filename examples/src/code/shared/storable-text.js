module.exports = { storableText };

/**
 * Returns a text, or its beginning, without what databases refuse: NUL and halves of a surrogate pair, which a cut can
 * leave as well.
 * @param {string} text
 * @param {number} [most] the greatest length
 */
function storableText(text, most = 300) {
	const start = text.slice(0, most).replace(/[\ud800-\udbff]$/, '');
	return start.toWellFormed().replaceAll('\0', '');
}
