/** @import { HtmlElement, HtmlPage, Selector } from '../../parts/types' */

const { htmlTree } = require('./html-tree');
const { isSelected, selectorsIn } = require('./selectors');

module.exports = { headOf, htmlText, readHtml };

/**
 * Reads a page: the text of its main part, and what its head says about it.
 *
 * The main part is `mainPart`, or else `main` if it has text, or else all articles if they have most of the letters that
 * the body has without header, nav, footer and aside, or else this body.
 * @param {string} html
 * @param {{ mainPart?: unknown, leaveOut?: unknown }} [settings]
 * @returns {HtmlPage}
 */
function readHtml(html, { mainPart, leaveOut } = {}) {
	const root = htmlTree(html);
	const leftOut = selectorsIn(leaveOut);
	const written = (/** @type {HtmlElement[]} */ parts, isBody = false) =>
		writtenText(parts, leftOut, isBody);
	const choices = [selectorsIn(mainPart), selectorsIn('main, [role=main]')];
	const [chosen, main] = choices.map((selectors) => written(outermost(root, selectors)));
	const part = [chosen, main].find(({ letters }) => letters > 0) ?? rest();
	return { ...part, ...facts(root) };

	function rest() {
		const body = written([root], true);
		if (body.letters === 0) return written([root]);
		const articles = written(outermost(root, selectorsIn('article')));
		return articles.letters > body.letters / 2 ? articles : body;
	}
}

/**
 * Reads what the head of a page says about it, and nothing else.
 * @param {string} html
 */
function headOf(html) {
	const [head] = html.split(/<\/head\s*>|<body[\s>]/i, 1);
	return facts(htmlTree(head));
}

/**
 * Returns the text of a part of a page, such as the text of a post, or a name with markup.
 * @param {string} html
 */
function htmlText(html) {
	return writtenText([htmlTree(html)], [], false).text;
}

/**
 * Visits an element and all elements in it, without recursion, because pages may have elements in many thousand others.
 * @param {HtmlElement} root
 * @param {(child: HtmlElement | string, path: HtmlElement[]) => boolean | void} enter returns false if the children are
 * not to be visited
 * @param {(element: HtmlElement) => void} [leave]
 */
function visit(root, enter, leave) {
	/** @type {HtmlElement[]} */
	const path = [root];
	const next = [0];
	while (path.length > 0) {
		const element = path[path.length - 1];
		const child = element.children[next[next.length - 1]++];
		if (child === undefined) {
			path.pop();
			next.pop();
			if (path.length > 0) leave?.(element);
		} else if (typeof child === 'string') {
			enter(child, path);
		} else {
			path.push(child);
			if (enter(child, path) === false) path.pop();
			else next.push(0);
		}
	}
}

/**
 * Returns the elements that a selector selects, without those within others.
 * @param {HtmlElement} root
 * @param {Selector[]} selectors
 */
function outermost(root, selectors) {
	/** @type {HtmlElement[]} */
	const found = [];
	if (selectors.length === 0) return found;
	visit(root, (child, path) => {
		if (typeof child === 'string') return true;
		if (isHidden(child)) return false;
		if (!isSelected(selectors, path)) return true;
		found.push(child);
		return false;
	});
	return found;
}

/** @param {HtmlElement} root */
function facts(root) {
	const page = {
		title: '',
		lang: '',
		description: '',
		canonical: '',
		robots: '',
		refresh: '',
		base: '',
	};
	page.lang = root.attributes.get('lang') ?? root.attributes.get('xml:lang') ?? '';
	visit(root, (child) => {
		if (typeof child === 'string') return true;
		const { tag, attributes } = child;
		const value = (/** @type {string} */ name) => (attributes.get(name) ?? '').trim();
		if (tag === 'template' || tag === 'svg' || tag === 'noscript') return false;
		if (tag === 'title') page.title ||= child.children.join('').replace(/\s+/g, ' ').trim();
		if (tag === 'base') page.base ||= value('href');
		const isCanonical = tag === 'link' && /(?:^|\s)canonical(?:\s|$)/i.test(value('rel'));
		if (isCanonical) page.canonical ||= value('href');
		if (tag !== 'meta') return true;
		if (value('name').toLowerCase() === 'description') page.description ||= value('content');
		// All of them count.
		const isRobots = value('name').toLowerCase() === 'robots';
		if (isRobots) page.robots += `${page.robots && ', '}${value('content')}`;
		if (value('http-equiv').toLowerCase() === 'refresh') page.refresh ||= value('content');
		return true;
	});
	return page;
}

/**
 * What no reader sees, and menus.
 * @param {HtmlElement} element
 */
function isHidden({ tag, attributes }) {
	const never =
		/^(?:script|style|template|noscript|iframe|noembed|noframes|audio|video|canvas|datalist|title|nav|rp|annotation|annotation-xml|desc|metadata|defs|head)$/;
	if (never.test(tag)) return true;
	if (attributes.size === 0) return tag === 'dialog';
	if (attributes.has('hidden') && attributes.get('hidden') !== 'until-found') return true;
	if (tag === 'dialog' && !attributes.has('open')) return true;
	if (attributes.get('role') === 'navigation') return true;
	const style = attributes.get('style');
	return Boolean(
		style && /(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*hidden)/i.test(style),
	);
}

/**
 * Writes the text of elements: a blank line between blocks, headings with `#`, entries of lists with `-` or their number,
 * rows of tables with `|`, and of links and pictures only their words. Nothing is escaped, because a search index is no
 * Markdown file. But a line that begins with `#` gets a space before it, so that no chunk begins there.
 * @param {HtmlElement[]} parts
 * @param {Selector[]} leftOut
 * @param {boolean} isBody leaves out header, footer and aside
 */
function writtenText(parts, leftOut, isBody) {
	const words = (/** @type {string} */ text) => new Set(text.split(' '));
	const blocks = words(
		'address article aside blockquote body caption center details dialog div dl fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr legend listing main menu ol p pre search section summary table ul xmp dir plaintext tbody thead tfoot',
	);
	const lines = words('li dt dd tr td th');
	const apart = words('button option select input textarea object svg meter progress');
	const others = words('sub sup del ins s strike');
	const lists = words('ul ol menu dir');
	const verbatim = words('pre listing xmp plaintext');
	const sections = words('article aside blockquote details dialog fieldset figure section td');

	/** @type {string[]} */
	const output = [];
	/** @type {string[]} */
	let pieces = [];
	let hasPassword = false;
	let letters = 0;
	/** Line breaks before the next line. */
	let gap = 0;
	let hasSpace = true;
	let last = '';
	let isApart = false;
	let preDepth = 0;
	let flatDepth = 0;
	let entryDepth = 0;
	let sectionDepth = 0;
	let marker = '';
	/** @type {{ number: number, isOrdered: boolean }[]} */
	const open = [];
	/** @type {Set<HtmlElement>} */
	const dataTables = new Set();
	/** @type {string[]} */
	let row = [];
	/** The column of the next cell. */
	let column = 0;
	/** Cells that span the rows below, by column. */
	/** @type {Map<number, { text: string, rows: number }>} */
	const above = new Map();
	/** @type {HtmlElement[]} */
	const tables = [];

	for (const part of parts) {
		const around = { ...part, tag: '', attributes: new Map(), children: [part] };
		visit(around, enter, leave);
		endLine(2);
	}
	return { text: output.join(''), letters, password: hasPassword };

	/**
	 * @param {HtmlElement | string} child
	 * @param {HtmlElement[]} path
	 */
	function enter(child, path) {
		if (typeof child === 'string') {
			write(child);
			return true;
		}
		const { tag, attributes } = child;
		if (isHidden(child) || (leftOut.length > 0 && isSelected(leftOut, path))) return false;
		if (isBody && sectionDepth === 0 && isFurniture(child)) return false;
		if (tag === 'a' && isMark(child)) return false;
		if (sections.has(tag)) sectionDepth += 1;
		if (tag === 'br') lineBreak();
		else if (tag === 'img') space(attributes.get('alt') ?? '');
		else if (tag === 'rt') write('(');
		else if (apart.has(tag)) space('');
		else if (others.has(tag)) isApart = true;
		else if (blocks.has(tag) || lines.has(tag)) begin(child);
		if (tag === 'input') hasPassword ||= /^password$/i.test(attributes.get('type') ?? '');
		return true;
	}

	/** @param {HtmlElement} element */
	function leave(element) {
		const { tag } = element;
		if (sections.has(tag)) sectionDepth -= 1;
		if (tag === 'rt') write(')');
		else if (apart.has(tag)) space('');
		else if (others.has(tag)) isApart = true;
		else if (blocks.has(tag) || lines.has(tag)) end(element);
	}

	/** @param {HtmlElement} element */
	function begin(element) {
		const { tag, attributes } = element;
		const level = headingLevel(tag);
		if (flatDepth > 0) {
			if (level || verbatim.has(tag)) flatDepth += 1;
			space('');
			return;
		}
		endLine(level ? 2 : margin(tag));
		if (level) {
			flatDepth += 1;
		} else if (verbatim.has(tag)) {
			preDepth += 1;
		} else if (lists.has(tag)) {
			const start = Number.parseInt(attributes.get('start') ?? '1', 10);
			open.push({ number: start || 0, isOrdered: tag === 'ol' });
		} else if (tag === 'li') {
			entryDepth += 1;
			const list = open[open.length - 1];
			const value = Number.parseInt(attributes.get('value') ?? '', 10);
			if (list && value) list.number = value;
			marker = list?.isOrdered ? `${list.number++}. ` : '- ';
		} else if (tag === 'dt' || tag === 'dd') {
			entryDepth += 1;
		} else if (tag === 'table') {
			tables.push(element);
			if (isData(element)) dataTables.add(element);
			above.clear();
		} else if (isCell(tag)) {
			flatDepth += 1;
		}
	}

	/** @param {HtmlElement} element */
	function end(element) {
		const { tag } = element;
		const level = headingLevel(tag);
		if (flatDepth > 1 || (flatDepth === 1 && !level && !isCell(tag))) {
			if (level || verbatim.has(tag)) flatDepth -= 1;
			space('');
		} else if (level) {
			flatDepth -= 1;
			endHeading(level);
		} else if (isCell(tag)) {
			flatDepth -= 1;
			addCell(element, takeLine());
		} else if (verbatim.has(tag)) {
			endLine(margin(tag));
			preDepth -= 1;
		} else {
			if (tag === 'tr') endRow();
			endLine(margin(tag));
			if (tag === 'table') dataTables.delete(/** @type {HtmlElement} */ (tables.pop()));
			if (lists.has(tag)) open.pop();
			if (tag === 'li' || tag === 'dt' || tag === 'dd') entryDepth -= 1;
			if (tag === 'li') marker = '';
		}
	}

	/** @param {string} tag */
	function headingLevel(tag) {
		return /^h[1-6]$/.test(tag) ? Number(tag[1]) : 0;
	}

	/** @param {string} tag */
	function isCell(tag) {
		return (tag === 'td' || tag === 'th') && dataTables.has(tables[tables.length - 1]);
	}

	/** @param {string} tag */
	function margin(tag) {
		const isInData = tag !== 'table' && dataTables.has(tables[tables.length - 1]);
		const isTight = entryDepth > 0 || isInData || (lists.has(tag) && open.length > 1);
		return lines.has(tag) || (isTight && tag !== 'caption') ? 1 : 2;
	}

	/** @param {string} text */
	function write(text) {
		if (text === '') return;
		if (preDepth > 0 && flatDepth === 0) {
			pieces.push(text);
			return;
		}
		let shown = text.replace(/[ \t\n\f]+/g, ' ').replaceAll('\u00ad', '');
		if (isApart && /\d$/.test(last) && /^\d/.test(shown)) space('');
		if (hasSpace && shown.startsWith(' ')) shown = shown.slice(1);
		if (shown === '') return;
		isApart = false;
		pieces.push(shown);
		last = shown[shown.length - 1];
		hasSpace = last === ' ';
	}

	/**
	 * Writes a text that stands apart from what is beside it.
	 * @param {string} text
	 */
	function space(text) {
		write(' ');
		if (text) write(`${text} `);
	}

	function lineBreak() {
		if (flatDepth > 0) {
			space('');
		} else if (preDepth > 0) {
			pieces.push('\n');
		} else if (pieces.length > 0) {
			endLine(1);
		} else {
			gap = 2;
		}
	}

	function takeLine() {
		const line = pieces.join('').trim();
		pieces = [];
		hasSpace = true;
		isApart = false;
		last = '';
		return line;
	}

	/**
	 * Ends the line, if there is one.
	 * @param {number} breaks line breaks before the next line
	 */
	function endLine(breaks) {
		if (preDepth > 0) {
			const text = pieces.join('');
			takeLine();
			const all = text.split('\n').map((line) => line.trimEnd());
			while (all.length > 0 && all[0] === '') all.shift();
			while (all.length > 0 && all[all.length - 1] === '') all.pop();
			if (all.length > 0) put(all.map(noHeading).join('\n'));
		} else {
			const line = takeLine();
			if (line !== '') {
				const level = open.length < 10 ? open.length : 10;
				const indent = '  '.repeat(level > 0 ? level - 1 : 0);
				const entry = marker || (entryDepth > 0 && open.length > 0 ? '  ' : '');
				put(noHeading(indent + entry + line));
				marker = '';
			}
		}
		if (gap < breaks) gap = breaks;
	}

	/** @param {number} level */
	function endHeading(level) {
		const line = takeLine();
		if (line === '') return;
		marker = '';
		// The end of this heading is missing.
		const isText = line.length > 300;
		put(isText ? noHeading(line) : `${'#'.repeat(level)} ${line}`);
		gap = 2;
	}

	/**
	 * A cell that spans rows stands in each of them, as in a workbook, so that the others stay in their columns.
	 * @param {HtmlElement} cell
	 * @param {string} text
	 */
	function addCell({ attributes }, text) {
		column = nextColumn(column);
		row[column] = text;
		const [columns, rows] = ['colspan', 'rowspan'].map((name) => {
			const span = Number.parseInt(attributes.get(name) ?? '1', 10);
			// In HTML, a rowspan of 0 reaches to the end of the table.
			return span === 0 && name === 'rowspan' ? 1000 : Math.min(Math.max(span || 1, 1), 1000);
		});
		for (let at = column; rows > 1 && at < column + columns; at += 1) {
			// A long text once is enough.
			const isShown = at === column && text.length <= 300;
			above.set(at, { text: isShown ? text : '', rows });
		}
		column += columns;
	}

	/** @param {number} from */
	function nextColumn(from) {
		let free = from;
		while (above.has(free)) free += 1;
		return free;
	}

	function endRow() {
		if (row.some((cell) => cell)) {
			for (const [at, { text }] of above) if (text) row[at] ??= text;
			put(`| ${Array.from(row, (cell) => cell ?? '').join(' | ')} |`);
		}
		for (const [at, cell] of above) {
			cell.rows -= 1;
			if (cell.rows === 0) above.delete(at);
		}
		row = [];
		column = 0;
	}

	/** @param {string} text */
	function put(text) {
		if (output.length > 0) output.push('\n'.repeat(gap > 0 ? gap : 1));
		output.push(text);
		letters += text.replace(/[^\p{L}\p{N}]+/gu, '').length;
		gap = 0;
	}

	/** @param {string} line */
	function noHeading(line) {
		return /^#{1,6}(?:\s|$)/.test(line) ? ` ${line}` : line;
	}

	/** @param {HtmlElement} element */
	function isFurniture({ tag, attributes }) {
		const role = attributes.get('role') ?? '';
		return (
			['header', 'footer', 'aside'].includes(tag) ||
			['banner', 'contentinfo', 'complementary'].includes(role)
		);
	}

	/**
	 * Whether a link is only a mark such as `#` or `¶`, which leads to the place where it stands.
	 * @param {HtmlElement} link
	 */
	function isMark({ attributes, children }) {
		if (!attributes.get('href')?.startsWith('#')) return false;
		return children.every((child) => {
			const texts = typeof child === 'string' ? [child] : child.children;
			return texts.every((text) => typeof text === 'string' && !/[\p{L}\p{N}]/u.test(text));
		});
	}

	/**
	 * Whether a table has rows of data. Others are only for the layout.
	 * @param {HtmlElement} table
	 */
	function isData(table) {
		if (/^(?:none|presentation)$/.test(table.attributes.get('role') ?? '')) return false;
		let isLayout = false;
		let rows = 0;
		let most = 0;
		let hasNames = false;
		let count = 0;
		visit(table, (child) => {
			if (isLayout) return false;
			if (typeof child === 'string') return true;
			const { tag } = child;
			if (tag === 'table' || verbatim.has(tag) || headingLevel(tag)) isLayout = true;
			if (/^(?:main|article|section|form|hr)$/.test(tag)) isLayout = true;
			if (tag === 'th') hasNames = true;
			if (tag === 'tr') [rows, count] = [rows + 1, 0];
			if (tag === 'td' || tag === 'th') count += 1;
			if (count > most) most = count;
			return true;
		});
		return !isLayout && most > 1 && (rows > 1 || hasNames);
	}
}
