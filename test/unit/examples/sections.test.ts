import fc from 'fast-check';

import { sections } from '../../../examples/src/code/shared/sections';
import { SECTION_BREAK } from '../../../examples/src/parts/nodes';
import { splitByPattern } from '../../../sandbox/python-re';
import { runs } from '../../../support/runs';

/** The chunks of a text, as the service splits it. */
function chunks(text: string): string[] {
	const prepared = sections(text) ?? '';
	const [spans] = splitByPattern(SECTION_BREAK, [prepared]);
	return spans.map(([from, to]) => prepared.slice(from, to).trim()).filter(Boolean);
}

describe('chunks by heading', () => {
	test('each heading begins a chunk', () => {
		expect(chunks('# A\n\nOne.\n\n## B\nTwo.\n\n## C\n\nThree.')).toEqual([
			'# A\n\nOne.',
			'## B\nTwo.',
			'## C\n\nThree.',
		]);
	});

	test('a title joins the heading that follows it, also with Windows line ends', () => {
		expect(chunks('# A\r\n\r\n## B\r\n### C\r\n\r\nOne.\r\n\r\n# D\r\n\r\nTwo.')).toEqual([
			'# A\n\n ## B\n ### C\n\nOne.',
			'# D\n\nTwo.',
		]);
	});

	test('a heading at the end joins what stands before it', () => {
		expect(chunks('Before.\n\n# A\n\nOne.\n\n# B\n\n## C\n')).toEqual([
			'Before.',
			'# A\n\nOne.\n\n # B\n\n ## C',
		]);
	});

	test('a comment in code is no heading', () => {
		expect(chunks('# A\n\n```sh\n# install\nnpm i\n\n# run\n```\n\n# B\n\nOne.')).toEqual([
			'# A\n\n```sh\n # install\nnpm i\n\n # run\n```',
			'# B\n\nOne.',
		]);
	});

	test.each(['No heading.', '#hash', ' # No', '', '```\n# code\n```', '# Only\n\n## Headings'])(
		'%j has no headings',
		(text) => {
			expect(sections(text)).toBeUndefined();
		},
	);

	test('a long section is cut between paragraphs, but not behind its heading', () => {
		const long = 'x'.repeat(1500);
		const longer = 'y'.repeat(2500);
		expect(chunks(`# A\n\n## B\n\n${longer}\n\n${long}\n\nEnd.\n\n# C\n\nOne.`)).toEqual([
			`# A\n\n ## B\n\n${longer}`,
			`${long}\n\nEnd.`,
			'# C\n\nOne.',
		]);
	});

	test('a long list is cut between its items', () => {
		const item = `- ${'z'.repeat(898)}`;
		expect(chunks(`# A\n\n${[item, item, item].join('\n')}\n\nEnd.`)).toEqual([
			`# A\n\n${item}\n${item}`,
			`${item}\n\nEnd.`,
		]);
	});

	test('no chunk is a title alone, and none is lost', () => {
		const line = fc.constantFrom('# A', '## B', 'One.', '', '```', '- two', '# c ', '#d');
		fc.assert(
			fc.property(fc.array(line, { maxLength: 14 }), (lines) => {
				const text = lines.join('\n');
				if (sections(text) === undefined) return;
				const all = chunks(text);
				for (const chunk of all) expect(chunk).toMatch(/^(?! *#{1,6} | *$)/m);
				expect(all.join('').replace(/\s/g, '')).toBe(text.replace(/\s/g, ''));
			}),
			{ numRuns: runs(5000) },
		);
	});

	test('nothing but white space is added, and nothing is lost', () => {
		const text = Array.from(
			{ length: 60 },
			(_, at) => `${'#'.repeat(at % 4)} ${'w '.repeat(at * 20)}`,
		);
		const all = text.join('\n\n');
		expect(sections(all)?.replace(/\s/g, '')).toBe(all.replace(/\s/g, ''));
	});
});
