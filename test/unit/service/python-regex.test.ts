import { regexHints } from '../../../nodes/ChunkText/texts/settings';

test.each([
	['\\n'],
	['\\n\\n+'],
	['(?i)chapter \\d+'],
	['(?P<title>.+)'],
	['(?<=\\.)\\s'],
	['(?<!\\d)\\.'],
	['/'],
	['a/b/c'],
	['\\\\'],
	[''],
])('%s is fine', (regex) => {
	expect(regexHints(regex)).toEqual([]);
});

test.each([
	['/\\n+/g', 'JavaScript literal'],
	['/a\nb/', 'JavaScript literal'],
	['\\\\n', 'contains \\\\n, which Python reads as a backslash followed by the letter n'],
	['a|\\\\s+', 'Write \\s with one backslash'],
	['(?<title>.+)', '(?P<name>...)'],
])('%s gets a hint', (regex, words) => {
	expect(regexHints(regex)).toEqual([expect.stringContaining(words)]);
});

test('each mistake gets its own', () => {
	expect(regexHints('/(?<a>\\\\d)/i')).toHaveLength(3);
});
