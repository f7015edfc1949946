/** @import { TableRow } from '../parts/compare-types' */

/**
 * @typedef {{ data: string, mimeType: string, fileName: string, fileExtension: string }} File
 * @param {{ rows: TableRow[], documents: number, questions: number }} inputs
 * @returns {[{ json: { fileName: string }, binary: { data: File } }]}
 */
module.exports = ({ rows, documents, questions }) => {
	// The table as one page without scripts: bars, figures, and the questions that each variant misses.
	const good = rows.filter(({ error }) => error === '');
	const failed = rows.filter(({ error }) => error !== '');
	const html = `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>Compare Chunkers</title>
<style>${style()}</style>
</head>
<body>
<h1>Compare Chunkers</h1>
<p>${documents} documents, ${questions} questions. A chunk is right if its document answers the question and the chunk contains the phrase.</p>
<p>${sent()}</p>
<p class="legend"><span class="mean">Mean reciprocal rank</span> <span class="one">Hit at 1</span> <span class="five">Hit at 5</span></p>
${bars()}
<h2>Figures</h2>
${figures()}
<h2>Missed Questions</h2>
${good.map(missedBy).join('\n')}
${failed.length > 0 ? `<h2>Not Compared</h2>\n<ul>${failed.map(failure).join('')}</ul>` : ''}
</body>
</html>
`;
	const fileName = 'compare-chunkers.html';
	const data = Buffer.from(html, 'utf8').toString('base64');
	const file = { data, mimeType: 'text/html', fileName, fileExtension: 'html' };
	return [{ json: { fileName }, binary: { data: file } }];

	function style() {
		return `
:root { --text: #1f2328; --weak: #59636e; --line: #d1d9e0; --page: #ffffff; --mean: #0969da; --one: #bc4c00; --five: #1a7f37; }
@media (prefers-color-scheme: dark) {
  :root { --text: #e6edf3; --weak: #9198a1; --line: #3d444d; --page: #0d1117; --mean: #4493f8; --one: #db6d28; --five: #3fb950; }
}
body { margin: 2rem auto; max-width: 68rem; padding: 0 1rem; background: var(--page); color: var(--text); font: 15px/1.5 system-ui, sans-serif; }
svg { width: 100%; height: auto; font: 13px system-ui, sans-serif; }
svg text { fill: var(--text); }
svg .value { fill: var(--weak); font-size: 11px; }
svg line { stroke: var(--line); }
svg .mean { fill: var(--mean); } svg .one { fill: var(--one); } svg .five { fill: var(--five); }
.legend span::before { content: ""; display: inline-block; width: 0.8em; height: 0.8em; margin: 0 0.4em 0 1em; background: currentcolor; }
.legend .mean { color: var(--mean); } .legend .one { color: var(--one); } .legend .five { color: var(--five); }
.wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; }
th, td { border-bottom: 1px solid var(--line); padding: 0.3rem 0.6rem; text-align: left; vertical-align: top; overflow-wrap: anywhere; }
th { color: var(--weak); font-weight: 600; }
.figures th, .figures td { text-align: right; overflow-wrap: normal; }
.figures td:nth-child(2), .figures th:nth-child(2) { min-width: 14rem; text-align: left; overflow-wrap: anywhere; }
summary { cursor: pointer; padding: 0.4rem 0; }
.weak { color: var(--weak); }
`;
	}

	/** Returns three bars per variant. */
	function bars() {
		const height = good.length * 64 + 8;
		const groups = good.map((row, at) => {
			const top = at * 64 + 8;
			const name = `<text x="0" y="${top + 27}"><title>${escaped(row.variant)}</title>${escaped(excerpt(row.variant, 30))}</text>`;
			const lines = [
				bar('mean', row.meanReciprocalRank, top),
				bar('one', row.hitAt1, top + 17),
				bar('five', row.hitAt5, top + 34),
			];
			return [name, ...lines].join('\n');
		});
		return `<svg viewBox="0 0 800 ${height}" role="img" aria-label="Bars of all variants">
<line x1="230" y1="0" x2="230" y2="${height}"/>
${groups.join('\n')}
</svg>`;
	}

	/**
	 * @param {string} kind
	 * @param {number | null} value from 0 to 1
	 * @param {number} top
	 */
	function bar(kind, value, top) {
		const width = Math.round((value ?? 0) * 500);
		return `<rect class="${kind}" x="230" y="${top}" width="${width}" height="14"/><text class="value" x="${width + 236}" y="${top + 11}">${shown(value)}</text>`;
	}

	/** Says what a variant costs. All variants send the same texts. */
	function sent() {
		const [{ textsSent, charactersSent }] = rows;
		return `Each variant has sent ${textsSent} texts with ${charactersSent} characters.`;
	}

	function figures() {
		const heads = [
			...['Rank', 'Variant', 'Mean reciprocal rank', 'Hit at 1', 'Hit at 5', 'Chunks'],
			...['Characters (median)', 'Characters (largest)', 'Phrases cut', 'Tokens', 'Seconds'],
		];
		const lines = good.map((row) => [
			...[
				row.rank,
				`${row.variant}: ${row.chunker} ${JSON.stringify(row.config)}, ${row.model}`,
			],
			...[shown(row.meanReciprocalRank), shown(row.hitAt1), shown(row.hitAt5), row.chunks],
			...[row.medianCharacters, row.largestCharacters, row.phrasesCut],
			...[row.tokensUsed ?? 'unknown', row.seconds],
		]);
		return table('figures', heads, lines);
	}

	/** @param {TableRow} row */
	function missedBy({ variant, missed }) {
		const title = `${escaped(variant)}: <span class="weak">${missed.length} of ${questions}</span>`;
		if (missed.length === 0) return `<p>${title}</p>`;
		const lines = missed.map(({ question, document, phrase, why, found }) => [
			question,
			phrase === '' ? document : `${document}: ${phrase}`,
			why,
			found ? `${found.document}#${found.chunkIndex}: ${excerpt(found.text, 200)}` : '',
		]);
		const heads = ['Question', 'Answer', 'Why', 'Found instead'];
		return `<details><summary>${title}</summary>${table('missed', heads, lines)}</details>`;
	}

	/** @param {TableRow} row */
	function failure({ variant, error }) {
		return `<li>${escaped(variant)}: ${escaped(error)}</li>`;
	}

	/**
	 * @param {string} kind
	 * @param {string[]} heads
	 * @param {unknown[][]} lines
	 */
	function table(kind, heads, lines) {
		const cells = (/** @type {string} */ tag, /** @type {unknown[]} */ values) =>
			`<tr>${values.map((value) => `<${tag}>${escaped(value)}</${tag}>`).join('')}</tr>`;
		const body = lines.map((values) => cells('td', values)).join('\n');
		return `<div class="wide"><table class="${kind}">
<thead>${cells('th', heads)}</thead>
<tbody>${body}</tbody>
</table></div>`;
	}

	/**
	 * Returns a value as text of HTML, also for an attribute.
	 *
	 * @param {unknown} value
	 */
	function escaped(value) {
		return String(value ?? '').replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
	}

	/** @param {number | null} value */
	function shown(value) {
		return (value ?? 0).toFixed(2);
	}

	/**
	 * @param {string} text
	 * @param {number} most characters
	 */
	function excerpt(text, most) {
		const characters = Array.from(text);
		return characters.length > most ? `${characters.slice(0, most - 1).join('')}…` : text;
	}
};
