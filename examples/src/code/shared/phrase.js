module.exports = { hasPhrase };

/**
 * Whether a text contains a phrase, whatever the case of letters and the white space between words.
 *
 * @param {string} text
 * @param {string} phrase
 */
function hasPhrase(text, phrase) {
	return comparable(text).includes(comparable(phrase));
}

/** @param {string} text */
function comparable(text) {
	return text.toLowerCase().replace(/\s+/g, ' ').trim();
}
