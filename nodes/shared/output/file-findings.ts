import type { Finding, FindingKind, Findings } from '../formats/findings';
import { formatCount, quoted } from '../service/strings';
import type { Run } from '../run/run';

export const NO_CHUNKS_ADVICE =
	"Check the texts and the settings of the chunker, or lower 'Texts per Request'.";

export const OMITTED_END_ADVICE =
	"Shorten the texts, lower 'Texts per Request', or add 'Vector Quantization Method' or a smaller 'Dimension Reduction Size' to the options, which allows more chunks.";

export const NO_VECTORS_ADVICE = "If you do not need them, set 'Vectors' to 'None'.";

interface FindingText {
	/** Singular wording, shown after the number 1. `$file` is replaced with the name of the file. */
	one: string;
	many: string;
	/** Description of what to do, or '' if nothing needs to be done. */
	advice: string;
	/** Whether the finding may point to a mistake in the file. */
	isWarning: boolean;
}

const TEXTS: Readonly<Record<FindingKind, FindingText>> = {
	windows1252: {
		one: 'line of $file is not UTF-8 and was read as Windows-1252',
		many: 'lines of $file are not UTF-8 and were read as Windows-1252',
		advice: "If the text looks wrong, set the option 'Encoding' to the encoding of the file. If the list does not contain it, convert the file to UTF-8 before this node.",
		// Many programs write correct files in this encoding.
		isWarning: false,
	},
	titleRow: {
		one: 'row before the header row of $file skipped',
		many: 'rows before the header row of $file skipped',
		advice: '',
		isWarning: false,
	},
	blankRow: {
		one: 'blank row of $file skipped',
		many: 'blank rows of $file skipped',
		advice: '',
		isWarning: false,
	},
	shortRow: {
		one: 'row of $file has fewer cells than the header row',
		many: 'rows of $file have fewer cells than the header row',
		advice: 'These records have no value for the other columns. Check whether a cell contains a line break that is not in quotes.',
		isWarning: true,
	},
	quotedRows: {
		one: 'quoted cell of $file has several lines that look like rows',
		many: 'quoted cells of $file have several lines that look like rows',
		advice: "If quotes are ordinary characters in the file, set the option 'Quotes' to 'None'. Otherwise these rows become part of one cell.",
		isWarning: true,
	},
	unnamedColumn: {
		one: 'row of $file has a value in a column without a name',
		many: 'rows of $file have values in a column without a name',
		advice: 'These values are not used. To use them, give the column a name.',
		// Some programs write row numbers in a column without a name.
		isWarning: false,
	},
	decimalId: {
		one: 'ID of $file ends with .0',
		many: 'IDs of $file end with .0',
		advice: 'Some programs write IDs as decimal numbers. If the IDs in the index do not end with .0, export the IDs as text or as whole numbers.',
		isWarning: true,
	},
	spreadsheetId: {
		one: 'ID of $file is not an ID, but what a spreadsheet shows or protects',
		many: 'IDs of $file are not IDs, but what a spreadsheet shows or protects',
		advice: 'An ID such as #N/A is an error of a formula, and an apostrophe before an ID only marks it as text. Correct the column in the spreadsheet and export it again.',
		isWarning: true,
	},
	idList: {
		one: 'ID of $file looks like a list of IDs',
		many: 'IDs of $file look like lists of IDs',
		advice: "The node treats each value as one ID. If a value contains several IDs, split it before this node, for example with n8n's Split Out, or choose 'List in a Field' in 'Document IDs From'.",
		// An ID may contain commas.
		isWarning: false,
	},
	twoForms: {
		one: 'ID of $file differs from an earlier ID only in its Unicode form',
		many: 'IDs of $file differ from earlier IDs only in their Unicode form',
		advice: 'A letter such as é can be one character or two. The index keeps documents with the two forms apart, although their IDs look the same. macOS writes file names with two characters. To use one form, end the expression of the ID with .normalize().',
		isWarning: true,
	},
	inexactNumber: {
		one: 'record of $file has numbers that lost digits in the source fields to keep',
		many: 'records of $file have numbers that lost digits in the source fields to keep',
		advice: 'Make the source write numbers above 9,007,199,254,740,991 as text.',
		isWarning: true,
	},
	sameId: {
		one: 'document of $file has the same ID as an earlier document',
		many: 'documents of $file have the same ID as an earlier document',
		advice: 'Documents with the same ID replace each other in the index. If they are different documents, give each one its own ID.',
		isWarning: true,
	},
	noChunks: {
		one: 'record of $file has no chunks',
		many: 'records of $file have no chunks',
		advice: NO_CHUNKS_ADVICE,
		isWarning: true,
	},
	noVectors: {
		one: 'record of $file has chunks without readable vectors',
		many: 'records of $file have chunks without readable vectors',
		advice: NO_VECTORS_ADVICE,
		isWarning: true,
	},
	partlyChunked: {
		one: 'record of $file has chunks for only a part of the text',
		many: 'records of $file have chunks for only a part of the text',
		advice: OMITTED_END_ADVICE,
		isWarning: true,
	},
};

/** Adds hints about the IDs in the input items. */
export function hintAtIds(run: Run, findings: Findings): void {
	for (const [kind, { total, example }] of findings.byKind) {
		const { one, many, advice } = TEXTS[kind];
		const what = formatCount(total, one, many).replace(' of $file', '');
		run.hint(`${what} (${total === 1 ? '' : 'the first is '}${quoted(example)}). ${advice}`);
	}
}

/**
 * Adds hints about the findings in a file.
 *
 * @returns the warnings. The file's summary repeats them because a workflow cannot read hints
 */
export function hintAtFindings(run: Run, name: string, findings: Findings): string[] {
	const warnings: string[] = [];
	for (const [kind, finding] of findings.byKind) {
		const { advice, isWarning } = TEXTS[kind];
		const sentence = sentenceAbout(kind, finding, name);
		run.hintAtFile(sentence, advice);
		if (isWarning) warnings.push(sentence);
	}
	return warnings;
}

function sentenceAbout(kind: FindingKind, { total, line, example }: Finding, name: string): string {
	const { one, many } = TEXTS[kind];
	const what = formatCount(total, one, many).replace('$file', () => quoted(name));
	const first = `${total === 1 ? '' : 'the first on '}line ${line}`;
	return `${what} (${example === '' ? first : `${first}: ${quoted(example)}`})`;
}
