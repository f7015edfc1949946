module.exports = { sections, withoutHeadings };

/**
 * Prepares Markdown for a chunker that splits before each line that begins with `#`, and at each form feed. Returns
 * undefined if there is no heading, or nothing else.
 *
 * - A heading joins what follows it: one that follows another heading, or that nothing follows, begins with a space.
 * - A comment in a block of code is no heading.
 * - A section of more than 2,000 characters, about 512 tokens, is cut between paragraphs, because models ignore the end of
 *   longer chunks.
 * @param {string} text
 */
function sections(text) {
	const lines = text.split(/\r?\n/);
	let isCode = false;
	const marks = lines.map((line) => {
		if (/^ {0,3}(?:```|~~~)/.test(line)) isCode = !isCode;
		if (!/^#{1,6} /.test(line)) return line.trim() === '' ? 'blank' : 'text';
		return isCode ? 'code' : 'heading';
	});
	const lastText = marks.findLastIndex((mark) => mark === 'text' || mark === 'code');
	if (lastText < 0 || !marks.includes('heading')) return undefined;
	let isAfterHeading = false;
	const guarded = lines.map((line, at) => {
		const isBegin = marks[at] === 'heading' && !isAfterHeading && at < lastText;
		if (marks[at] !== 'blank') isAfterHeading = marks[at] === 'heading';
		return marks[at] === 'code' || (marks[at] === 'heading' && !isBegin) ? ` ${line}` : line;
	});
	const all = guarded.join('\n').split(/\n(?=#{1,6} )/);
	return all.map((section) => (section.length > 2000 ? cut(section) : section)).join('\n');
}

/**
 * A line that only looks like a heading begins with a space, so that no chunk begins there.
 * @param {string} text
 */
function withoutHeadings(text) {
	return text.replace(/^(?=#{1,6}\s)/gm, ' ');
}

/** @param {string} section */
function cut(section) {
	let [whole, part] = ['', ''];
	let isTitle = true;
	for (const paragraph of section.split(/\n[ \t]*\n/)) {
		if (paragraph.trim() === '') continue;
		// A long list has no blank lines.
		const lines = paragraph.length > 2000 ? paragraph.split('\n') : [paragraph];
		for (const [at, line] of lines.entries()) {
			/** @type {boolean} */
			const isEnough = !isTitle && part.length + line.length > 2000;
			if (isEnough) {
				whole += `${part}\f`;
				part = line;
			} else {
				part += (part === '' ? '' : at > 0 ? '\n' : '\n\n') + line;
			}
			const isHeading = line.split('\n').every((each) => /^ ?#{1,6} |^\s*$/.test(each));
			isTitle = isHeading && (isTitle || isEnough);
		}
	}
	return whole + part;
}
