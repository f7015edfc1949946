/** @import { HtmlElement, Selector } from '../../parts/types' */

module.exports = { selectorsIn, isSelected, versionOfSelectors };

/**
 * Returns what the selectors in 'Settings' add to the versions of pages and HTML files. It is empty without selectors.
 * @param {object} settings
 * @throws Error if a selector is none
 */
function versionOfSelectors(settings) {
	const parts = ['mainPart', 'leaveOut'].map((name) => {
		const selectors = String(Object(settings)[name] ?? '').trim();
		selectorsIn(selectors);
		return selectors && `/${name}=${selectors}`;
	});
	return parts.join('');
}

/**
 * Reads selectors such as `main, #content .text, [role=main]`. There are a tag, `#id`, `.class` and `[attribute=value]`,
 * and a space between an element and one within it.
 * @param {unknown} text
 * @throws Error if a selector has anything else
 * @returns {Selector[]}
 */
function selectorsIn(text) {
	const list = String(text ?? '')
		.split(',')
		.map((one) => one.trim())
		.filter((one) => one !== '');
	return list.map((one) => {
		const simple =
			/^(?:[a-z][\w-]*|\*)?(?:[#.][\p{L}_-][\p{L}\p{N}_-]*|\[[\w:-]+(?:=(?:"[^"\]]*"|'[^'\]]*'|[^\]"'\s]*))?\])*$/iu;
		const parts = one.replace(/\s+(?=[^[\]]*(?:\[|$))/g, ' ').split(/ (?=[^\]]*(?:\[|$))/);
		const bad = parts.find((part) => part === '' || !simple.test(part));
		if (bad !== undefined) {
			throw new Error(
				`Nothing was changed: '${one}' is no selector that this workflow knows. Enter selectors such as 'main', '#content', '.text', '[role=main]' or '#content .text', with commas between them.`,
			);
		}
		return parts.map((part) => {
			const [tag = ''] = /^[a-z][\w-]*/i.exec(part) ?? [];
			const rest = part.slice(tag.length);
			const tests = [
				...rest.matchAll(/([#.])([^#.[]+)|\[([^=\]]+)(=)?["']?([^"'\]]*)["']?\]/g),
			];
			return {
				tag: tag.toLowerCase(),
				attributes: tests.map(([, mark, value, attribute, equals, wanted]) => ({
					name: mark ? (mark === '#' ? 'id' : 'class') : attribute.toLowerCase(),
					...(mark ? { value } : equals && { value: wanted }),
				})),
			};
		});
	});
}

/**
 * @param {Selector[]} selectors
 * @param {HtmlElement[]} path the element, after those around it
 */
function isSelected(selectors, path) {
	return selectors.some((parts) => {
		let part = parts.length - 1;
		if (part < 0 || !fits(parts[part], path[path.length - 1])) return false;
		part -= 1;
		for (let at = path.length - 2; at >= 0 && part >= 0; at--) {
			if (fits(parts[part], path[at])) part -= 1;
		}
		return part < 0;
	});

	/**
	 * @param {Selector[0]} part
	 * @param {HtmlElement} element
	 */
	function fits({ tag, attributes: wanted }, { tag: found, attributes }) {
		if (tag && tag !== found) return false;
		return wanted.every(({ name, value }) => {
			const has = attributes.get(name);
			if (has === undefined || value === undefined) return has !== undefined;
			return name === 'class' ? has.split(/\s+/).includes(value) : has === value;
		});
	}
}
