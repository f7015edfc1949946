/** Checks the parts of STYLE.md that a machine can check: docstrings, long sentences in pages, and old names. */
import { readFileSync } from 'node:fs';
import path from 'node:path';

import ts from 'typescript';

import { ROOT } from '../../support/manifest';

const MAX_WORDS = 30;
/** Names that were removed from shipped code. The check keeps them from coming back. */
const OLD_NAMES = new Set(
	`Answer answersIn breathe deliverEach DocumentAnswer DocumentForm FieldsOfDocument filled
	hasNothing hasNoValue Health HELD isData Lane lane Line Needed NeededParameter OF_ITEMS
	OWN_FIELDS OWN_OPTIONS Party Patience patience Placed placed PushAnswers RequestLine
	requestLine Room saysNothing singly takeOver ticket Wording wording`.split(/\s+/),
);

const DOCSTRING =
	/\/\*\*\s*(?:\*\s*)?(What|How|Whether|Where|Which)\b(?:[^*]|\*(?!\/))*\*\/\s*([^\n]*)/g;
/** Matches the first line of a boolean field, constant, parameter or getter. */
const BOOLEAN =
	/^(?:[a-z]+ )*(?:get \w+\(\)|#?\w+\??)(?:: (?:boolean|true|false)\b| = (?:true|false)\b)/;

const lineOf = (text: string, index: number): number => text.slice(0, index).split('\n').length;

/** Finds docstrings that begin with a question word. The docstring of a boolean may begin with "Whether". */
export function docstringFaults(file: string, text: string): string[] {
	return [...text.matchAll(DOCSTRING)]
		.filter(([, word, next = '']) => word !== 'Whether' || !BOOLEAN.test(next))
		.map(
			({ 1: word, index }) =>
				`${file}:${lineOf(text, index)} a docstring begins with ${word}`,
		);
}

/** Finds the old names of identifiers that were renamed. Comments and strings are not checked. */
export function oldNameFaults(file: string, text: string): string[] {
	const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
	const faults: string[] = [];
	const visit = (node: ts.Node): void => {
		if (ts.isIdentifier(node) && OLD_NAMES.has(node.text)) {
			const { line } = source.getLineAndCharacterOfPosition(node.getStart());
			faults.push(`${file}:${line + 1} ${node.text} is an old name`);
		}
		ts.forEachChild(node, visit);
	};
	visit(source);
	return faults;
}

/** Removes every part of a page that is not prose, or puts a word in its place. The number of lines stays the same. */
function proseOf(markdown: string): string[] {
	const lines = (text: string) => text.replace(/[^\n]/g, '');
	return markdown
		.replace(/^( *)```[\s\S]*?^\1```/gm, lines)
		.replace(/<!-- options:[\s\S]*?<!-- end -->/g, lines)
		.replace(/<!--[\s\S]*?-->/g, lines)
		.replace(/^ *(?:\||#+ ).*$/gm, '')
		.replace(/`[^`\n]+`/g, 'code')
		.replace(/!\[[^\]\n]*\]\([^)\n]*\)|<[^>\n]+>/g, '')
		.replace(/\[([^\]\n]*)\]\([^)\n]*\)/g, '$1')
		.split('\n');
}

function sentencesOf(paragraph: string): string[] {
	return paragraph
		.replace(/"[^"]+"|“[^”]+”/g, (quoted) => (/[.!?]["”]$/.test(quoted) ? 'quote.' : 'quote'))
		.replace(/\b(?:e\.g|i\.e|etc|vs|approx|No)\.(?= )/g, 'abbreviation')
		.split(/(?<=[.!?][)_*'"]*)\s+/);
}

/** Finds sentences in a page that contain too many words. Tables, code and lists of links are ignored. */
export function sentenceFaults(file: string, markdown: string): string[] {
	const linked = markdown.split('\n');
	return proseOf(markdown).flatMap((paragraph, at) => {
		const isListOfLinks = (linked[at]?.match(/\]\(/g) ?? []).length > 4;
		if (isListOfLinks) return [];
		return sentencesOf(paragraph.replace(/^\s*(?:>|[-*]|\d+\.)\s+(?:\[[ x]\]\s+)?/, ''))
			.map((sentence) => ({
				sentence,
				words: sentence.match(/\S*[\p{L}\p{N}]\S*/gu)?.length ?? 0,
			}))
			.filter(({ words }) => words > MAX_WORDS)
			.map(
				({ sentence, words }) =>
					`${file}:${at + 1} a sentence of ${words} words: ${sentence.slice(0, 50)}…`,
			);
	});
}

const COMMENTED =
	/^(?:nodes|credentials|sandbox|support|e2e|bench|scripts)\/.+\.(?:ts|cjs|mjs|js)$/;
const PAGES = /^(?:[^/]+|(?:docs|examples|sandbox|e2e|bench)\/.+)\.md$/;
/** The changelog is not checked, because entries for past releases are never rewritten. */
const NOT_CHECKED = ['CHANGELOG.md'];

export function proseFaults(files: readonly string[]): string[] {
	const check = (pattern: RegExp, faultsOf: (file: string, text: string) => string[]) =>
		files
			.filter((file) => pattern.test(file) && !NOT_CHECKED.includes(file))
			.flatMap((file) => faultsOf(file, readFileSync(path.join(ROOT, file), 'utf8')));
	return [
		...check(COMMENTED, docstringFaults),
		...check(/^(?:nodes|credentials)\/.+\.ts$/, oldNameFaults),
		...check(PAGES, sentenceFaults),
	];
}
