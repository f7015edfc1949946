module.exports = {
	normalAddress,
	resolvedAddress,
	placeOf,
	samePath,
	includesPart,
	spelledAsKnown,
	partsOf,
};

/**
 * Two addresses of one page have one normal form (RFC 3986, 6.2.2). The order of parameters counts, and so do a slash
 * at the end and the scheme. Code nodes have no URL class.
 * @param {string} address
 */
function normalAddress(address) {
	const { scheme, host, path, query } = partsOf(address);
	if (!scheme) return address.trim();
	const port = scheme === 'https' ? /:(?:443)?$/ : /:(?:80)?$/;
	const named = host.toLowerCase().replace(port, '');
	return `${scheme}://${named}${withoutDots(encodedAlike(path, false))}${encodedAlike(query, true)}`;
}

/**
 * Returns the complete address of a link, without its fragment.
 * @param {string} link
 * @param {string} base the address of the page, or what its `base` says
 */
function resolvedAddress(link, base) {
	const to = link.replace(/[\t\n\r]/g, '').trim();
	if (/^https?:\/\//i.test(to)) return to.replace(/#.*$/, '');
	// Such as mailto: or data:.
	if (/^[a-z][a-z\d+.-]*:/i.test(to)) return to;
	const { scheme, host, path, query } = partsOf(base);
	if (!scheme) return to;
	const [, start = '', rest = ''] = /^([^?#]*)([^#]*)/.exec(to) ?? [];
	if (start.startsWith('//')) return `${scheme}:${start}${rest}`;
	const site = `${scheme}://${host}`;
	if (start === '') return `${site}${path}${rest || query}`;
	const whole = start.startsWith('/') ? start : path.replace(/[^/]*$/, '') + start;
	return site + withoutDots(whole.startsWith('/') ? whole : `/${whole}`) + rest;
}

/**
 * Whether two addresses name the same page, which may have another scheme or host, and a slash or index.html at its end.
 * @param {string} one
 * @param {string} other
 * @param {boolean} withQuery whether the parameters count
 */
function samePath(one, other, withQuery) {
	return placeOf(one, withQuery) === placeOf(other, withQuery);
}

/**
 * Returns the path of an address without its host, and without a slash or index.html at its end.
 * @param {string} address
 * @param {boolean} withQuery whether the parameters follow it
 */
function placeOf(address, withQuery) {
	const { path, query } = partsOf(normalAddress(address));
	return path.replace(/(?:\/index\.html?|\/)$/, '') + (withQuery ? query : '');
}

/**
 * Returns the ID of each page in the list: if an earlier run knows the page by another spelling of its address, this one.
 * If it knows two spellings, the one in the list stays.
 * @param {string[]} listed
 * @param {string[]} known
 */
function spelledAsKnown(listed, known) {
	const spelled = new Set(known);
	/** @type {Map<string, string>} */
	const byForm = new Map();
	for (const id of known) {
		const form = normalAddress(id);
		if (!byForm.has(form)) byForm.set(form, id);
	}
	return listed.map((id) => (spelled.has(id) ? id : (byForm.get(normalAddress(id)) ?? id)));
}

/**
 * @param {string} address
 * @param {string} part such as `/tag/` or `?page=`
 */
function includesPart(address, part) {
	return address.includes(part) || normalAddress(address).includes(encodedAlike(part, true));
}

/** @param {string} address */
function partsOf(address) {
	const [, scheme = '', host = '', path = '', query = ''] =
		/^(https?):\/\/([^/?#]*)([^?#]*)(\?[^#]*)?/i.exec(address.trim()) ?? [];
	return { scheme: scheme.toLowerCase(), host, path: path || '/', query };
}

/**
 * Percent-encodes what must be encoded, and decodes what need not be.
 * @param {string} text
 * @param {boolean} isQuery
 */
function encodedAlike(text, isQuery) {
	// In a path, both forms of such a letter mean the same. In parameters, `&`, `=`, `+` and `;` separate words.
	const letters = isQuery ? /^[\w.~!$'()*,:@/?-]*$/ : /^[\w.~!$&'()*+,;=:@-]*$/;
	if (letters.test(text)) return text;
	const separators = isQuery ? '&=+;' : '/';
	return text
		.replace(/\p{Surrogate}/gu, '\ufffd')
		.replace(/%([\da-f]{2})|[^%]/giu, (whole, hex) => {
			const letter = hex ? String.fromCharCode(parseInt(hex, 16)) : whole;
			if (letters.test(letter)) return letter;
			if (hex) return whole.toUpperCase();
			return separators.includes(whole) ? whole : encodeURIComponent(whole);
		});
}

/**
 * Resolves `.` and `..` in a path.
 * @param {string} path
 */
function withoutDots(path) {
	if (!path.includes('/.')) return path;
	/** @type {string[]} */
	const kept = [];
	const segments = path.split('/').slice(1);
	for (const [at, segment] of segments.entries()) {
		if (segment === '..') kept.pop();
		const isDots = segment === '.' || segment === '..';
		if (!isDots) kept.push(segment);
		else if (at === segments.length - 1) kept.push('');
	}
	return `/${kept.join('/')}`;
}
