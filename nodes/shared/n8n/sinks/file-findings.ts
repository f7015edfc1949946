import type { Finding, FindingKind, Findings } from '../../records/findings';
import { quoted } from '../../service/outcome-messages';
import type { Run } from '../run/run';
import { formatCount, figure } from '../../service/numbers';

interface FindingText {
	/**
	 * Returns the middle part of a sentence about the findings. The number of findings precedes this part,
	 * and the first location follows it.
	 */
	what: (isOne: boolean, file: string) => string;
	advice: string;
}

/** Advice for texts without chunks. */
export const NO_CHUNKS_ADVICE =
	"Check the texts and the settings of the chunker, or lower 'Texts per Request'.";

/** Advice for texts whose end is missing from the chunks. */
export const OMITTED_END_ADVICE =
	"Shorten the texts, lower 'Texts per Request', or add 'Vector Quantization Method' or a smaller 'Dimension Reduction Size' to the options, which allows more chunks.";

const QUOTES_ADVICE =
	"If quotes are ordinary characters in the file, set the option 'Quotes' to 'None'. Otherwise these rows become part of one cell.";

const HINTS: Readonly<Record<Exclude<FindingKind, 'blankRow' | 'titleRow'>, FindingText>> = {
	windows1252: {
		what: (isOne, file) =>
			`${isOne ? 'line' : 'lines'} of ${file} ${isOne ? 'is' : 'are'} not UTF-8 and ${isOne ? 'was' : 'were'} read as Windows-1252`,
		advice: "If the text looks wrong, set the option 'Encoding' to the encoding of the file. If the list does not contain it, convert the file to UTF-8 before this node.",
	},
	shortRow: {
		what: (isOne, file) =>
			`${isOne ? 'row' : 'rows'} of ${file} ${isOne ? 'has' : 'have'} fewer cells than the header row`,
		advice: 'These records have no value for the other columns. Check whether a cell contains a line break that is not in quotes.',
	},
	quotedRows: {
		what: (isOne, file) =>
			`quoted ${isOne ? 'cell' : 'cells'} of ${file} ${isOne ? 'has' : 'have'} several lines that look like rows`,
		advice: QUOTES_ADVICE,
	},
	decimalId: {
		what: (isOne, file) =>
			`${isOne ? 'ID' : 'IDs'} of ${file} ${isOne ? 'ends' : 'end'} with .0`,
		advice: 'Some programs write IDs as decimal numbers. If the IDs in the index do not end with .0, export the column as text or as whole numbers.',
	},
	inexactNumber: {
		what: (isOne, file) =>
			`${isOne ? 'record' : 'records'} of ${file} ${isOne ? 'has' : 'have'} numbers that lost digits in the source fields to keep`,
		advice: 'Make the source write numbers above 9,007,199,254,740,991 as text.',
	},
	sameId: {
		what: (isOne, file) =>
			`${isOne ? 'record' : 'records'} of ${file} ${isOne ? 'has' : 'have'} the same document ID as an earlier record`,
		advice: 'The index keeps only the last of them. If the records are different documents, give each one its own ID.',
	},
	noChunks: {
		what: (isOne, file) =>
			`${isOne ? 'record' : 'records'} of ${file} ${isOne ? 'has' : 'have'} no chunks`,
		advice: NO_CHUNKS_ADVICE,
	},
	partlyChunked: {
		what: (isOne, file) =>
			`${isOne ? 'record' : 'records'} of ${file} ${isOne ? 'has' : 'have'} chunks for only a part of the text`,
		advice: OMITTED_END_ADVICE,
	},
};

/** Rows that are skipped on purpose. Their hints contain no advice. */
const SKIPPED_ROWS = [
	['titleRow', 'row before the header row', 'rows before the header row'],
	['blankRow', 'blank row', 'blank rows'],
] as const;

/** Adds hints about what was noticed while a file was read. */
export function hintAtFindings(run: Run, name: string, findings: Findings): void {
	for (const { text, advice } of textsOf(name, findings)) run.hintAtFile(text, advice);
	for (const [kind, noun, plural] of SKIPPED_ROWS) {
		const found = findings.get(kind);
		if (!found) continue;
		const rows = formatCount(found.total, noun, plural);
		run.hintAtFile(`${rows} of ${quoted(name)} skipped (${locationOf(found)})`, '');
	}
}

/**
 * Returns the findings that may mean wrong contents. The summary of a file contains them, because a workflow cannot
 * read hints. Windows-1252 is not among them, because many programs write files in this encoding.
 */
export const warningsIn = (name: string, findings: Findings): string[] =>
	textsOf(name, findings).flatMap(({ kind, text }) => (kind === 'windows1252' ? [] : text));

function textsOf(
	name: string,
	findings: Findings,
): Array<{ kind: string; text: string; advice: string }> {
	return Object.entries(HINTS).flatMap(([kind, { what, advice }]) => {
		const found = findings.get(kind as FindingKind);
		if (!found) return [];
		const sentence = `${figure(found.total)} ${what(found.total === 1, quoted(name))}`;
		return { kind, text: `${sentence} (${locationOf(found)})`, advice };
	});
}

const locationOf = ({ total: number, line, example }: Finding): string =>
	`${number === 1 ? '' : 'the first in '}line ${line}${example === '' ? '' : `: ${quoted(example)}`}`;
