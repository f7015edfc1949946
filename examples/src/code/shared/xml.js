module.exports = { rootOf, outermost, textIn, valueOf, child, children, descendants };
/** @import { XmlElement } from '../../parts/types' */

/**
 * Returns the root element. n8n's XML node cannot be used for texts: it collects the children of an element by their
 * names, so a tab or a link between two words loses its place.
 * @param {string} xml
 * @returns {XmlElement}
 */
function rootOf(xml) {
	const [root] = outermost(xml, null);
	if (!root) throw new Error('a part has no XML');
	return root;
}

/**
 * Returns the outermost elements with these names one by one, so that a long part is never in memory as a whole. Names
 * have no prefixes, because each program may choose its own. The time grows with the length of the text only.
 * @param {string} xml
 * @param {string[] | null} names null for any name
 * @returns {Generator<XmlElement>}
 */
function* outermost(xml, names) {
	/** @type {string[]} */
	const open = [];
	/** @type {XmlElement[]} */
	const branch = [];
	for (let at = 0; at < xml.length; ) {
		const start = xml.indexOf('<', at);
		const parent = branch.at(-1);
		if (parent && start > at) parent.children.push(decoded(xml.slice(at, start)));
		if (start < 0) break;
		if (xml.startsWith('<!--', start)) {
			at = endOf(xml, '-->', start + 4);
		} else if (xml.startsWith('<![CDATA[', start)) {
			at = endOf(xml, ']]>', start + 9);
			parent?.children.push(xml.slice(start + 9, at - 3));
		} else if (xml.startsWith('<?', start)) {
			at = endOf(xml, '?>', start + 2);
		} else if (xml[start + 1] === '!') {
			// A document type can define entities, and an entity can stand for a text without an end.
			throw new Error('a part has a document type');
		} else {
			at = endOfTag(xml, start + 1);
			const closed = tag(xml.slice(start + 1, at - 1), open, branch, names);
			if (closed) yield closed;
		}
	}
	if (open.length > 0) throw new Error(`a part ends within '${open.at(-1)}'`);
}

/**
 * Opens or closes an element, and returns it if it is complete and an outermost one.
 * @param {string} source what stands between `<` and `>`
 * @param {string[]} open
 * @param {XmlElement[]} branch
 * @param {string[] | null} names
 */
function tag(source, open, branch, names) {
	const isEnd = source.startsWith('/');
	const fullName = source.slice(isEnd ? 1 : 0).split(/[\s/]/, 1)[0];
	if (isEnd) {
		if (open.pop() !== fullName) throw new Error(`a part has a wrong end '</${fullName}>'`);
		const closed = branch.pop();
		return branch.length === 0 ? closed : undefined;
	}
	// Who walks through the elements calls itself for each level.
	if (open.length > 400) throw new Error('a part is nested too deeply');
	const name = fullName.slice(fullName.indexOf(':') + 1);
	const isEmpty = source.endsWith('/');
	if (!isEmpty) open.push(fullName);
	if (branch.length === 0 && names && !names.includes(name)) return undefined;
	/** @type {XmlElement} */
	const element = { name, attributes: attributesIn(source), children: [] };
	branch.at(-1)?.children.push(element);
	if (isEmpty) return branch.length === 0 ? element : undefined;
	branch.push(element);
	return undefined;
}

/** @param {string} source */
function attributesIn(source) {
	/** @type {Record<string, string>} */
	const attributes = {};
	for (const [, name, one, other] of source.matchAll(
		/([^\s=]{1,99})\s{0,9}=\s{0,9}(?:"([^"]*)"|'([^']*)')/g,
	)) {
		attributes[name] = decoded(one ?? other);
	}
	return attributes;
}

/**
 * The end of a tag. A `>` within quotes does not count.
 * @param {string} xml
 * @param {number} from
 */
function endOfTag(xml, from) {
	for (let at = from; at < xml.length; at++) {
		const code = xml.charCodeAt(at);
		if (code === 62) return at + 1;
		if (code === 34 || code === 39) at = endOf(xml, xml[at], at + 1) - 1;
	}
	throw new Error('a part is cut off');
}

/**
 * @param {string} xml
 * @param {string} end
 * @param {number} from
 */
function endOf(xml, end, from) {
	const at = xml.indexOf(end, from);
	if (at < 0) throw new Error('a part is cut off');
	return at + end.length;
}

/**
 * References such as `&amp;` and `&#8217;`. Half of an emoji and control characters are left out: no index takes them.
 * @param {string} text
 */
function decoded(text) {
	/** @type {Record<string, string>} */
	const names = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };
	const isPlain = !text.includes('&');
	const whole = isPlain
		? text
		: text.replace(
				/&(?:#(\d{1,7})|#x([\da-f]{1,6})|(amp|lt|gt|quot|apos));/gi,
				(_, decimal, hex, name) => {
					if (name) return names[String(name).toLowerCase()];
					const code = decimal ? Number(decimal) : parseInt(hex, 16);
					if (code > 0x10ffff) return '';
					// Some programs write the two halves of an emoji as two references.
					return code > 0xffff ? String.fromCodePoint(code) : String.fromCharCode(code);
				},
			);
	return whole.replace(/\r\n?/g, '\n').replace(/(?![\n\t])\p{Cc}|\p{Cs}|[\ufffe\uffff]/gu, '');
}

/**
 * All texts within an element.
 * @param {XmlElement | string} element
 * @returns {string}
 */
function textIn(element) {
	return typeof element === 'string' ? element : element.children.map(textIn).join('');
}

/**
 * The value of an attribute, whatever its prefix is. A name that begins with `:` must have a prefix: `r:id` beside `id`.
 * @param {XmlElement | undefined} element
 * @param {string} name
 * @returns {string | undefined}
 */
function valueOf(element, name) {
	if (!element) return undefined;
	const end = name.startsWith(':') ? name : `:${name}`;
	const found = Object.keys(element.attributes).find(
		(each) => each === name || each.endsWith(end),
	);
	return found === undefined ? undefined : element.attributes[found];
}

/**
 * The first child that a path of names leads to.
 * @param {XmlElement | undefined} element
 * @param {...string} path
 * @returns {XmlElement | undefined}
 */
function child(element, ...path) {
	return path.reduce(
		(/** @type {XmlElement | undefined} */ found, name) => children(found, name)[0],
		element,
	);
}

/**
 * @param {XmlElement | undefined} element
 * @param {string} [name]
 * @returns {XmlElement[]}
 */
function children(element, name) {
	/** @type {XmlElement[]} */
	const found = [];
	for (const each of element?.children ?? []) {
		if (typeof each !== 'string' && (!name || each.name === name)) found.push(each);
	}
	return found;
}

/**
 * @param {XmlElement | undefined} element
 * @param {string} name
 * @returns {XmlElement[]}
 */
function descendants(element, name) {
	return children(element).flatMap((each) => [
		...(each.name === name ? [each] : []),
		...descendants(each, name),
	]);
}
