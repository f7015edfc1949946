/** @import { HtmlElement } from '../../parts/types' */

const { referenceDecoder } = require('./character-references');

module.exports = { htmlTree };

/**
 * Reads HTML as browsers do, as far as this matters for its text: which elements end others, where scripts and comments
 * end, and that a missing end is no error. Its time grows with the length of the HTML only, so each element counts what
 * is open around it: nothing searches the open elements.
 * @param {string} html
 * @returns {HtmlElement}
 */
function htmlTree(html) {
	const words = (/** @type {string} */ text) => new Set(text.split(' '));
	const empty = words(
		'area base basefont bgsound br col embed frame hr img input keygen link meta param source track wbr',
	);
	const raw = words('script style title textarea noscript iframe noembed noframes xmp plaintext');
	const inline = words(
		'a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark nobr output q rp rt ruby s samp small span strike strong sub sup time tt u var',
	);
	const endsParagraph = words(
		'address article aside blockquote center details dialog dir div dl dd dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr legend li listing main menu nav ol p plaintext pre search section summary table ul xmp',
	);
	const lists = words('ul ol menu dir dl');
	const cells = words('td th caption');
	const heading = /^h[1-6]$/;
	const decoded = referenceDecoder();

	const source = html.replace(/\r\n?/g, '\n');
	/** @type {HtmlElement} */
	const root = { tag: '', attributes: new Map(), children: [], open: counters() };
	/** @type {HtmlElement[]} */
	const stack = [root];
	let current = root;
	const next = /<(?=[a-z/!?])/gi;
	const name = /<\/?([a-z][^\s/>]*)/iy;
	const attribute =
		/[\s/]*([^\s/>][^\s/>=]*)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>"'][^\s>]*))?)?/y;
	let hasEndOfData = true;
	let at = 0;
	while (at < source.length) {
		next.lastIndex = at;
		const start = next.exec(source)?.index ?? source.length;
		if (start > at) current.children.push(decoded(source.slice(at, start)));
		if (start === source.length) break;
		at = markup(start);
	}
	return root;

	/**
	 * Reads what begins with `<`, and returns where it ends.
	 * @param {number} start
	 */
	function markup(start) {
		if (source.startsWith('<!--', start)) return afterComment(start);
		if (source.startsWith('<![CDATA[', start) && hasEndOfData) {
			const end = source.indexOf(']]>', start);
			if (end > 0) return end + 3;
			hasEndOfData = false;
		}
		name.lastIndex = start;
		const [, written] = name.exec(source) ?? [];
		if (!written) return after('>', start);
		const tag = written.toLowerCase();
		if (source[start + 1] === '/') {
			endTag(tag);
			return after('>', name.lastIndex);
		}
		return startTag(tag, name.lastIndex);
	}

	/** @param {number} start */
	function afterComment(start) {
		const short = /<!--(?:-?>)/y;
		short.lastIndex = start;
		if (short.test(source)) return short.lastIndex;
		const end = /--!?>/g;
		end.lastIndex = start + 4;
		return end.test(source) ? end.lastIndex : source.length;
	}

	/**
	 * @param {string} mark
	 * @param {number} from
	 */
	function after(mark, from) {
		const end = source.indexOf(mark, from);
		return end < 0 ? source.length : end + mark.length;
	}

	/**
	 * @param {string} tag
	 * @param {number} from where the attributes begin
	 */
	function startTag(tag, from) {
		/** @type {Map<string, string>} */
		const attributes = new Map();
		let end = from;
		for (;;) {
			attribute.lastIndex = end;
			const [found, key, ...values] = attribute.exec(source) ?? [];
			if (!found || !key) break;
			end += found.length;
			const value = values.find((one) => one !== undefined) ?? '';
			const lower = key.toLowerCase();
			if (!attributes.has(lower)) attributes.set(lower, decoded(value, true));
		}
		const close = source.indexOf('>', end);
		// A tag that never ends is not shown.
		if (close < 0) return source.length;
		const isClosed = source[close - 1] === '/' && close > end;
		const isForeign = current.open.other.has('svg') || current.open.other.has('math');
		const hasContent = !empty.has(tag) && !(isClosed && (raw.has(tag) || isForeign));
		if (tag === 'html' || tag === 'body' || tag === 'head') {
			for (const [key, value] of attributes)
				if (tag === 'html') root.attributes.set(key, value);
			return close + 1;
		}
		endOthers(tag);
		const element = add(tag === 'image' ? 'img' : tag, attributes);
		if (!hasContent) return close + 1;
		if (!raw.has(tag)) {
			push(element);
			return close + 1;
		}
		const endOfRaw = new RegExp(`</${tag}(?=[\\s/>])`, 'gi');
		endOfRaw.lastIndex = close + 1;
		const stop = tag === 'plaintext' ? undefined : endOfRaw.exec(source)?.index;
		const text = source.slice(close + 1, stop);
		const hasReferences = tag === 'title' || tag === 'textarea';
		element.children.push(hasReferences ? decoded(text) : text);
		return stop === undefined ? source.length : after('>', stop);
	}

	/**
	 * Ends the elements that a start tag ends.
	 * @param {string} tag
	 */
	function endOthers(tag) {
		const { block, list, table } = current.open;
		if (endsParagraph.has(tag) && block.has('p')) popTo('p');
		if (heading.test(tag) && heading.test(current.tag)) pop();
		if (tag === 'li' && list.has('li')) popTo('li');
		if ((tag === 'dt' || tag === 'dd') && (list.has('dt') || list.has('dd'))) popTo('dt', 'dd');
		if ((tag === 'option' || tag === 'optgroup') && current.tag === 'option') pop();
		if (tag === 'optgroup' && current.tag === 'optgroup') pop();
		const isSection = ['tbody', 'thead', 'tfoot'].includes(tag);
		const isRow = tag === 'tr' || isSection;
		if (isRow || cells.has(tag)) {
			if (['td', 'th', 'caption'].some((one) => table.has(one))) popTo('td', 'th', 'caption');
		}
		if (isRow && current.open.table.has('tr')) popTo('tr');
		if (isSection && ['tbody', 'thead', 'tfoot'].some((one) => current.open.table.has(one))) {
			popTo('tbody', 'thead', 'tfoot');
		}
		const isCell = tag === 'td' || tag === 'th';
		if (isCell && current.open.other.has('table') && !current.open.table.has('tr')) {
			push(add('tr', new Map()));
		}
	}

	/** @param {string} tag */
	function endTag(tag) {
		if (tag === 'br') add('br', new Map());
		const { block, list, table, line, other } = current.open;
		if (tag === 'p' && !block.has('p')) add('p', new Map());
		const kind = kindOf(tag);
		const open = { block, list, table, line, other }[kind];
		if (heading.test(tag)) {
			const ended = [1, 2, 3, 4, 5, 6].map((level) => `h${level}`);
			if (ended.some((one) => block.has(one))) popTo(...ended);
		} else if (open.has(tag)) {
			popTo(tag);
		}
	}

	/**
	 * @param {string} tag
	 * @returns {keyof HtmlElement['open']}
	 */
	function kindOf(tag) {
		if (inline.has(tag)) return 'line';
		if (tag === 'li' || tag === 'dt' || tag === 'dd') return 'list';
		if (cells.has(tag) || ['tr', 'tbody', 'thead', 'tfoot'].includes(tag)) return 'table';
		if (['table', 'template', 'svg', 'math'].includes(tag)) return 'other';
		return 'block';
	}

	/**
	 * @param {string} tag
	 * @param {Map<string, string>} attributes
	 * @returns {HtmlElement}
	 */
	function add(tag, attributes) {
		const { open } = current;
		const element = { tag, attributes, children: [], open };
		current.children.push(element);
		return element;
	}

	/**
	 * Where the search for an open element stops: at a cell or table for blocks, at a list for its entries, at a table for
	 * its cells, and at any block for what stands within a line.
	 * @param {HtmlElement} element
	 */
	function push(element) {
		const { tag } = element;
		const { open } = current;
		const kind = kindOf(tag);
		count(open[kind], tag, 1);
		const isTable = tag === 'table' || tag === 'template';
		const isScope = isTable || cells.has(tag);
		element.open = {
			block: isScope ? new Map() : open.block,
			list: isScope || lists.has(tag) ? new Map() : open.list,
			table: isTable ? new Map() : open.table,
			line: kind === 'line' ? open.line : new Map(),
			other: open.other,
		};
		stack.push(element);
		current = element;
	}

	function pop() {
		const { tag } = current;
		stack.pop();
		current = stack[stack.length - 1];
		count(current.open[kindOf(tag)], tag, -1);
	}

	/** @param {string[]} tags one of them is open */
	function popTo(...tags) {
		while (stack.length > 1) {
			const { tag } = current;
			pop();
			if (tags.includes(tag)) return;
		}
	}

	/**
	 * @param {Map<string, number>} open
	 * @param {string} tag
	 * @param {number} change
	 */
	function count(open, tag, change) {
		const total = (open.get(tag) ?? 0) + change;
		if (total > 0) open.set(tag, total);
		else open.delete(tag);
	}

	function counters() {
		return {
			...{ block: new Map(), list: new Map(), table: new Map() },
			...{ line: new Map(), other: new Map() },
		};
	}
}
