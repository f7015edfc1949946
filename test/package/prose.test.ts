import { docstringFaults, oldNameFaults, sentenceFaults } from '../../scripts/lint/prose';

const words = (count: number) => `${'word '.repeat(count - 1)}end.`;

describe('docstrings', () => {
	it.each([
		['/** What the node does. */\nconst A = 1;', 'a.ts:1 a docstring begins with What'],
		[
			'\n/**\n * How long it takes.\n */\nfunction b() {}',
			'a.ts:2 a docstring begins with How',
		],
		[
			'/** Whether it is. */\nfunction isIt(): boolean {',
			'a.ts:1 a docstring begins with Whether',
		],
	])('%j is a fault', (text, fault) => {
		expect(docstringFaults('a.ts', text)).toEqual([fault]);
	});

	it.each([
		'/** Returns what the service said. */\nfunction a() {}',
		'/** Whatever comes next. */\nconst a = 1;',
		'\t/** Whether it has ended. */\n\treadonly hasEnded?: boolean;',
		'\t/** Whether it has ended. */\n\tprivate hasEnded = false;',
		'\t/** Whether it has ended. */\n\tget hasEnded(): boolean {',
		'\t/** Whether others have the ID. */\n\tisShared?: true;',
		'// What follows is fast.\nconst a = 1;',
	])('%j is none', (text) => {
		expect(docstringFaults('a.ts', text)).toEqual([]);
	});
});

describe('old names', () => {
	it('are found as identifiers only', () => {
		const text = "// A Lane.\nconst a = { b: 'Lane' };\ninterface Lane {}";
		expect(oldNameFaults('a.ts', text)).toEqual(['a.ts:3 Lane is an old name']);
	});
});

describe('sentences', () => {
	it.each([
		['a paragraph', `One.\n\n${words(31)} Two.`, 3],
		['an entry of a list', `1. ${words(31)}`, 1],
		['a sentence after code', `\`\`\`\nx\n\`\`\`\n${words(31)}`, 4],
		['a sentence with a link', `[${words(15)}](a.md) ${words(16)}`.replace('end.', 'x'), 1],
		['a sentence with an abbreviation', `Use it, e.g. ${words(28)}`, 1],
	])('%s of 31 words is too long', (_name, text, line) => {
		const start = `a.md:${line} a sentence of 31 words`;
		expect(sentenceFaults('a.md', text)).toEqual([expect.stringContaining(start)]);
	});

	it.each([
		['30 words', words(30)],
		['two sentences', `${words(20)} ${words(20)}`],
		['a table', `| ${words(40)} |`],
		['code', `\`\`\`\n${words(40)}\n\`\`\``],
		['code in a sentence', `It prints \`${words(40)}\` twice.`],
		['a heading', `# ${words(40)}`],
		['the alt text of a picture', `![${words(40)}](a.png) <img alt="${words(40)}">`],
		['a quoted message', `The error is "${words(40)}"`],
		['a list of links', `See ${'[some words of a title](a.md), '.repeat(9)}`],
		['a generated table', `<!-- options: A -->\n${words(40)}\n<!-- end -->`],
	])('%s may stay', (_name, text) => {
		expect(sentenceFaults('a.md', text)).toEqual([]);
	});
});
