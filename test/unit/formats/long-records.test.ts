/**
 * Tests that the readers' work grows in proportion to a record's length. A reader that searches a long record again
 * with each piece of the file returns the right records, but takes minutes. The work is measured in characters, because
 * time depends on the machine.
 */
import { FORMATS, type RecordFormat } from '../../../nodes/shared/formats/format';
import { readAll } from './support';

const LENGTH = 4_000_000;
const PIECE = 4_000;
/** A reader that searches the whole record again with each of the 1,000 pieces reads each character 500 times. */
const MAX_READS = 100;

/** Repeats a text that is filled up to 500 characters. */
const many = (text: string, filler = 'x'): string =>
	`${filler.repeat(500 - text.length)}${text}`.repeat(LENGTH / 500);

/** Files that consist of one long record, or that seem to. */
const FILES: Record<RecordFormat, Record<string, string>> = {
	jsonLines: {
		'a string': `{"a":"${many('')}"}\n`,
		'a string with quotes': `{"a":"${many('\\"')}"}\n`,
		'a string that is not closed': `{"a":"${many('}{')}`,
		'a list': `[${many('1,', ' ')}1]\n`,
		'nested objects': `[${many('{"b":[]},', ' ')}1]\n`,
		'an object that is not closed': many('{"b":[', ' '),
		'objects in a line': many('{"b":[]}', ' '),
		'blanks between two objects': `{}${many('', ' ')}{}`,
		'no JSON': many(''),
		blanks: many('', ' '),
	},
	jsonArray: {
		'a string': `["${many('')}"]`,
		'a string with quotes': `["${many('\\"')}"]`,
		'a string that is not closed': `["${many('[],')}`,
		'an element': `[[${many('1,', ' ')}1]]`,
		'nested objects': `[[${many('{"b":[]},', ' ')}1]]`,
		'an element that is not closed': `[${many('{"b":[', ' ')}`,
		'elements in a line': `[${many('{"b":[]},', ' ')}1]`,
		'an object': `{"a":[${many('1,', ' ')}1]}`,
		'a key': `{"${many('')}":[1]}`,
		'blanks before a list': `${many('', ' ')}[1]`,
		'blanks between two elements': `[1,${many('\n', ' ')}2]`,
		'blanks after a list': `[1]${many('\n', ' ')}`,
	},
	csv: {
		'a cell': `id,b,c\n1,${many('')},\n`,
		'a cell with quotes': `id,b,c\n1,${many('"')},\n`,
		cells: `id,b,c\n1,${many(',')}\n`,
		'a quoted cell': `id,b,c\n1,"${many('')}",\n`,
		'a quoted cell with quotes': `id,b,c\n1,"${many('""')}",\n`,
		'a quoted cell with line breaks': `id,b,c\n1,"${many('\r\n')}",\n`,
		'a quoted cell with delimiters': `id,b,c\n1,"${many(',')}",\n`,
		'quoted cells': `id,b,c\n1,${many('","')}"\n`,
		'quoted cells, of which the last has a line break': `id,b,c\n1,${many('","')}"a\nb"\n`,
		'quoted cells with line breaks': `id,b,c\n1,${many('\n","')}"\n`,
		'quoted cells after a line break': `id,b,c\n1,"a\nb",${many('","')}"\n`,
		'a quoted cell that is not closed': `id,b,c\n1,"${many('')}`,
		'lines that are not closed': `id,b,c\n1,"${many('\n')}`,
		'rows after a quote': `id,b,c\n1,"${many(',,\n')}`,
		'text after a quoted cell': `id,b,c\n1,""${many('')}\n`,
		'a header row': `id,${many(',')}\n1,2\n`,
		'a quoted header row': `id,"${many('\n')}"\n1,2\n`,
		'a row above the header row': `${many(',')}\nid,b\n1,2\n`,
		delimiters: `id,b,c\n${many('', ',')}\n`,
		blanks: `id,b,c\n${many('', ' ')}\n`,
	},
	lines: {
		'a line': `${many('')}\n`,
		'a line that does not end': many(''),
		'lines that were joined at byte order marks': many('\ufeff'),
		'byte order marks': many('', '\ufeff'),
		blanks: many('', ' '),
	},
};

describe.each(Object.keys(FILES) as RecordFormat[])('%s', (format) => {
	test.each(Object.entries(FILES[format]))('%s', (_what, text) => {
		for (const skip of [0, 1]) {
			const reader = FORMATS[format].reader({});
			reader.skip = skip;
			reader.requiredFields = ['id'];
			const searched = countSearched(() => readAll(reader, text, [PIECE]));
			// Each character is searched at least once, or else the count is wrong.
			expect(searched / LENGTH).toBeGreaterThan(0.9);
			expect(searched / LENGTH).toBeLessThan(MAX_READS);
		}
	});
});

type StringMethod = (this: string, ...args: unknown[]) => unknown;
const SEARCHES = ['indexOf', 'includes', 'split', 'replaceAll', 'trim', 'trimStart', 'trimEnd'];

/** Counts the characters that strings, regular expressions and `JSON.parse` look at during the work. */
function countSearched(work: () => void): number {
	let count = 0;
	const strings = String.prototype as unknown as Record<string, StringMethod>;
	const { indexOf } = String.prototype;
	const { exec } = RegExp.prototype;
	const { parse } = JSON;
	const own = SEARCHES.map((name) => [name, strings[name]] as const);
	for (const [name, method] of own)
		strings[name] = function (...args) {
			const [searched, from = 0] = args;
			const isUpToMatch = name === 'indexOf' || name === 'includes';
			const found = isUpToMatch ? indexOf.call(this, String(searched), Number(from)) : -1;
			// Methods with a regular expression call `exec`.
			if (!(searched instanceof RegExp))
				count += (found < 0 ? this.length : found + 1) - (isUpToMatch ? Number(from) : 0);
			return method.apply(this, args);
		};
	// All methods of regular expressions call this one.
	RegExp.prototype.exec = function (text) {
		const from = this.global || this.sticky ? this.lastIndex : 0;
		const match = exec.call(this, text);
		count += (match ? match.index + match[0].length : text.length) - from;
		return match;
	};
	JSON.parse = (text, reviver) => {
		count += text.length;
		return parse(text, reviver) as unknown;
	};
	try {
		work();
	} finally {
		for (const [name, method] of own) strings[name] = method;
		RegExp.prototype.exec = exec;
		JSON.parse = parse;
	}
	return count;
}
