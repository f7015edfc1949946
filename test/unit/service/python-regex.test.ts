import { hintAtRegexes } from '../../../nodes/ChunkText/texts/settings';
import type { ChunkSettings } from '../../../nodes/shared/service/chunking/chunking';

const regexHints = (regex: string): string[] => {
	const hints: string[] = [];
	const settings = { chunkerConfig: { regex } } as unknown as ChunkSettings;
	hintAtRegexes([settings, settings], { hint: (message) => hints.push(message) });
	return hints;
};

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
	['\\\\n', 'which Python reads as a backslash followed by the letter'],
	['a|\\\\s+', 'Write one, as in \\n'],
	['(?<title>.+)', '(?P<name>...)'],
])('%s gets a hint', (regex, words) => {
	expect(regexHints(regex)).toEqual([expect.stringContaining(words)]);
});

test('each mistake gets its own', () => {
	expect(regexHints('/(?<a>\\\\d)/i')).toHaveLength(3);
});
