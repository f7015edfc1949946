const { partsOf, placeOf, resolvedAddress, samePath } = require('./address');
const { murmurHash3 } = require('./murmur-hash');

module.exports = { listedPlaces, namedOriginal, originalToAsk, isAround };

/**
 * Returns short checksums of the places of all pages in the list, with spaces between them. Each batch receives them.
 * @param {string[]} addresses
 */
function listedPlaces(addresses) {
	return addresses.map(sumOf).join(' ');
}

/**
 * Returns the address of another page that a page names as its original, or an empty text.
 * @param {{ canonical: string, base: string }} page
 * @param {string} id the address of the page
 */
function namedOriginal({ canonical, base }, id) {
	// A canonical address that is neither complete nor begins with a slash or dots is a mistake.
	if (!/^(?:(?:https?:)?\/|\.{1,2}\/)/i.test(canonical)) return '';
	const original = resolvedAddress(canonical, resolvedAddress(base, id));
	// Canonical addresses have no parameters of campaigns, and a copy of a website names the original's host.
	return samePath(original, id, false) ? '' : original;
}

/**
 * Returns the address at which the original is asked for, or an empty text if it is not in the list. It is on the site of
 * the page, because a login may be sent to it.
 * @param {string} original
 * @param {string} id the address of the page
 * @param {Set<string>} listed
 */
function originalToAsk(original, id, listed) {
	const page = partsOf(id);
	const { host, path, query } = partsOf(original);
	const isSameSite = withoutWww(host) === withoutWww(page.host);
	if (!isSameSite || !listed.has(sumOf(original))) return '';
	return `${page.scheme}://${page.host}${path}${query}`;
}

/**
 * Whether a page is the start page, or the page of a folder around another one.
 * @param {string} page
 * @param {string} other
 */
function isAround(page, other) {
	return placeOf(other, false).startsWith(`${placeOf(page, false)}/`);
}

/** @param {string} address */
function sumOf(address) {
	return murmurHash3(placeOf(address, true)).slice(0, 12);
}

/** @param {string} host */
function withoutWww(host) {
	return host.toLowerCase().replace(/^www\./, '');
}
