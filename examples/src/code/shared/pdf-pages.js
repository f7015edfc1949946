module.exports = { readPages };

/**
 * Judges a PDF page by page. A page without text has fewer than 20 letters of its own: stamps and lines that stand on all
 * pages do not count. They stay in the text.
 * @param {string[]} pages
 * @returns {{ pages: string[], pagesWithoutText?: number[] } | { problem: string }}
 */
function readPages(pages) {
	if (pages.length === 0) return { problem: 'has no pages' };
	const cover = coverProblem(pages);
	if (cover) return { problem: cover };
	const shared = sharedLines(pages, withoutDigits);
	const same = sharedLines(pages, (line) => line.trim());
	const letters = pages.map((page) => {
		const lines = page.split('\n').filter((line) => !isStamp(line));
		const own = lines.filter((line) => !shared.has(withoutDigits(line)));
		const numbers = lines.filter(
			(line) =>
				shared.has(withoutDigits(line)) && /\p{N}/u.test(line) && !same.has(line.trim()),
		);
		// A stamp has a date, a time and numbers of pages and documents. More numbers are data, such as a list of prices.
		return lettersIn((numbers.length < 5 ? own : [...own, ...numbers]).join(''));
	});
	const empty = letters.flatMap((count, at) => (count < 20 ? [at + 1] : []));
	if (empty.length < pages.length) {
		return empty.length > 0 ? { pages, pagesWithoutText: empty } : { pages };
	}
	const total = letters.reduce((sum, count) => sum + count, 0);
	return {
		problem: `is a scan without text (${total} letters on ${pages.length} pages), or in an encoding that n8n cannot read, as some Chinese, Japanese and Korean files are: save it with text recognition (OCR), or save it again as PDF`,
	};
}

/** @param {string} text */
function lettersIn(text) {
	return text.match(/[\p{L}\p{N}]/gu)?.length ?? 0;
}

/** @param {string} line */
function withoutDigits(line) {
	return line.replace(/\p{N}+/gu, '').trim();
}

/**
 * Returns what stands on all pages that have any lines, if there are three or more such pages.
 * @param {string[]} pages
 * @param {(line: string) => string} compared what counts of a line
 */
function sharedLines(pages, compared) {
	const lines = pages.map((page) => new Set(page.split('\n').map(compared)));
	const written = lines.filter((page) => [...page].some((line) => line !== ''));
	if (written.length < 3) return new Set(['']);
	return new Set([...written[0]].filter((line) => written.every((page) => page.has(line))));
}

/**
 * What programs for scans write on each page, such as "Scanned with CamScanner" and "Gescannt mit CamScanner".
 * @param {string} line
 */
function isStamp(line) {
	const text = line.trim();
	return (
		text.length < 60 &&
		/^\W*(?:scanned|generated|created)\s*(?:with|by|using)\b|scan(?:ner)?\W*$/i.test(text)
	);
}

/**
 * Some PDF files only contain a page that says so if a program cannot show them.
 * @param {string[]} pages
 */
function coverProblem(pages) {
	// A line may be cut at any place.
	const text = pages.join('').replace(/\s/g, '').toLowerCase();
	if (pages.length > 2 || text.length > 1500) return '';
	const isForm =
		/ifthismessageisnoteventuallyreplaced|requiresadobereader\d|youneedalaterversionofthepdfviewer/.test(
			text,
		) ||
		// In other languages, the message has the same links.
		/^[^.…]{3,40}(?:\.{3}|…).*adobe\.com\/go\/(?:reader|acrreader)/.test(text);
	if (isForm) {
		return 'is a form of Adobe (XFA), of which n8n can only read a message: print it to a PDF file';
	}
	if (/portfolio/.test(text) && /acrobat|adobereader/.test(text)) {
		return 'is a PDF portfolio, of which n8n can only read the cover: save its files one by one';
	}
	const isProtected = /pdf(?:file|document)?(?:has)?(?:been|is)protected/.test(text);
	return isProtected
		? 'is protected, and n8n can only read its cover: save it without protection'
		: '';
}
