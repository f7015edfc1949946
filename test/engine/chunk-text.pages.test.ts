/** Tests Chunk Text with texts that are given as a list of pages. */
import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';

import { joinPages } from '../../nodes/ChunkText/input/pages';
import { locateOnPages } from '../../nodes/ChunkText/output/located-chunks';
import { useFiles } from '../../support/binary-data';
import { useChunkText } from '../../support/chunking';
import { isQuick, runs } from '../../support/runs';
import { hintsOf, jsonOf } from '../../support/sandbox';
import { Variations } from '../../support/variations';

const files = useFiles();
const { sandbox, chunk, batches, answers, fault, submits } = useChunkText();

const PAGES = ['Returns\n\nThirty days', 'Refunds go\nto the card', '', 'Exchanges'];
const guide = (text: unknown): IDataObject =>
	({ id: 'guide.pdf', name: 'Guide', text }) as IDataObject;
const places = (output: unknown) =>
	jsonOf(output as never).map(({ id, text, page, pageEnd }) => ({ id, text, page, pageEnd }));
const READY = { chunkingId: 'c', status: 'READY' };

it('joins the pages by blank lines and says on which page each chunk begins', async () => {
	const { output } = await chunk([guide(PAGES)], { output: 'documents' });
	expect(batches()).toEqual([[PAGES.join('\n\n')]]);
	expect(places(output)).toEqual([
		{ id: 'guide.pdf#0', text: 'Returns', page: 1, pageEnd: undefined },
		{ id: 'guide.pdf#1', text: 'Thirty days', page: 1, pageEnd: undefined },
		{ id: 'guide.pdf#2', text: 'Refunds go', page: 2, pageEnd: undefined },
		{ id: 'guide.pdf#3', text: 'to the card', page: 2, pageEnd: undefined },
		{ id: 'guide.pdf#4', text: 'Exchanges', page: 4, pageEnd: undefined },
	]);
});

it.each(['chunks', 'documents', 'perDocument'])('says it in the output %s', async (mode) => {
	const { output } = await chunk([guide(['One', 'Two'])], { output: mode });
	const [first] = jsonOf(output);
	const chunks = mode === 'perDocument' ? (first.documents as IDataObject[]) : jsonOf(output);
	expect(chunks.map(({ page }) => page)).toEqual([1, 2]);
});

it('a chunk that ends on another page says so, and white space at its ends belongs to no page', async () => {
	const text = 'One\n\nTwo\n\nThree';
	answers({
		...READY,
		chunkedData: [
			{
				chunks: ['One\n\nTwo', '\n\nThree'],
				spans: [
					[0, 8],
					[8, text.length],
				],
			},
		],
	});
	const { output } = await chunk([guide(['One', 'Two', 'Three'])], {
		options: { vectors: 'none' },
	});
	expect(places(output)).toMatchObject([
		{ page: 1, pageEnd: 2 },
		{ page: 3, pageEnd: undefined },
	]);
});

it('a chunk is on the pages of its first and last letter, whatever white space is around them', () => {
	const page = fc.string({ unit: fc.constantFrom('a', 'b', ' ', '\n'), maxLength: 4 });
	let withBlankPage = 0;
	fc.assert(
		fc.property(fc.array(page, { maxLength: 5 }), fc.nat(), fc.nat(), (others, one, other) => {
			const list = ['a', ...others];
			const [{ text, pages } = { text: '' }] = joinPages(list, 'The text', Infinity);
			const pageOf = list.flatMap((each, at) => Array<number>(each.length + 2).fill(at + 1));
			const ends = [one, other].map((end) => end % (text.length + 1));
			const [start, end] = [Math.min(...ends), Math.max(...ends)];
			const letters = [...text].flatMap((letter, at) =>
				at >= start && at < end && letter.trim() !== '' ? (pageOf[at] ?? 0) : [],
			);
			if (pages === undefined || letters.length === 0) return;
			if (pageOf[end - 1] !== letters.at(-1)) withBlankPage++;
			const chunks = [{ text: text.slice(start, end), start, end }];
			const [first, last] = [Math.min(...letters), Math.max(...letters)];
			expect(locateOnPages(text, pages, chunks)).toEqual([
				{ ...chunks[0], page: first, ...(last > first && { pageEnd: last }) },
			]);
		}),
		{ numRuns: runs(1000) },
	);
	expect(withBlankPage).toBeGreaterThan(isQuick ? 0 : 10);
});

it('a page is right or unknown, in whichever unit the service counts', () => {
	const variations = new Variations();
	const page = fc.string({ unit: fc.constantFrom('a', '😀', ' ', '\n'), maxLength: 6 });
	fc.assert(
		fc.property(
			fc.array(page, { maxLength: 5 }),
			fc.array(fc.nat(40), { maxLength: 3 }),
			fc.boolean(),
			fc.boolean(),
			(others, cuts, areUnits, isTrimmed) => {
				const list = ['a😀', ...others];
				const [{ text, pages } = { text: '' }] = joinPages(list, 'The text', Infinity);
				if (pages === undefined) throw new Error('A list has pages');
				const characters = Array.from(text);
				const offsetOf = (at: number) => characters.slice(0, at).join('').length;
				const end = Array.from(isTrimmed ? text.trimEnd() : text).length;
				const bounds = [...new Set([0, ...cuts.filter((at) => at < end), end])];
				bounds.sort((one, other) => one - other);
				const positionOf = (at: number) => (areUnits ? offsetOf(at) : at);
				const chunks = bounds.slice(1).map((to, at) => ({
					text: characters.slice(bounds[at], to).join(''),
					start: positionOf(bounds[at]),
					end: positionOf(to),
				}));
				const located = locateOnPages(text, pages, chunks);
				variations.note({
					known: located !== undefined,
					unknown: located === undefined,
				});
				const pageAt = (offset: number) =>
					list.findIndex((_, at) => list.slice(0, at + 1).join('\n\n').length > offset) +
					1;
				for (const [at, chunk] of (located ?? []).entries()) {
					if (chunk.text.trim() === '') continue;
					const from = offsetOf(bounds[at]);
					const first = from + chunk.text.length - chunk.text.trimStart().length;
					const last = from + chunk.text.trimEnd().length - 1;
					expect([chunk.page, chunk.pageEnd ?? chunk.page]).toEqual([
						pageAt(first),
						pageAt(last),
					]);
				}
			},
		),
		{ numRuns: runs(1000) },
	);
	expect(variations.rarerThan(5)).toEqual([]);
});

it('the page of a chunk wins over a kept source field with the same name', async () => {
	const item = { ...guide(['One', 'Two']), page: 99 };
	const { output } = await chunk([item], { options: { keepSourceFields: 'all' } });
	expect(places(output)).toMatchObject([{ page: 1 }, { page: 2 }]);
});

it('a list in a text field of a record is a list of pages', async () => {
	const line = JSON.stringify(guide(['One', 'Two']));
	const item = await files.item(line, 'guides.jsonl');
	const { output } = await chunk([item], { textSource: 'file', output: 'documents' });
	expect(places(output)).toMatchObject([
		{ id: 'guide.pdf#0', page: 1 },
		{ id: 'guide.pdf#1', page: 2 },
	]);
});

describe('the unit of positions', () => {
	const pages = ['😀 One', 'Two'];
	const joined = pages.join('\n\n');
	it.each([
		['characters', Array.from(joined).length],
		['UTF-16 units', joined.length],
	])('is recognized from the last span: %s', async (_unit, end) => {
		answers({
			...READY,
			chunkedData: [
				{
					chunks: ['😀 One', 'Two'],
					spans: [
						[0, 5],
						[end - 3, end],
					],
				},
			],
		});
		const result = await chunk([guide(pages)], { options: { vectors: 'none' } });
		expect(places(result.output)).toMatchObject([{ page: 1 }, { page: 2 }]);
		expect(hintsOf(result).join()).not.toContain('pages of the chunks are unknown');
	});

	it.each([
		['no span', undefined],
		[
			'a span that fits neither unit',
			[
				[0, 5],
				[6, 7],
			],
		],
		[
			'a span beyond the text',
			[
				[0, 5],
				[6, 99],
			],
		],
	])('%s: no page, and a hint', async (_case, spans) => {
		answers({ ...READY, chunkedData: [{ chunks: ['😀 One', 'Two'], spans }] });
		const result = await chunk([guide(pages)], { options: { vectors: 'none' } });
		expect(places(result.output)).toMatchObject([{ page: undefined }, { page: undefined }]);
		expect(hintsOf(result).join()).toContain('The pages of the chunks are unknown for 1 text');
	});
});

describe('a document above the limit', () => {
	const large = (count: number) =>
		Array.from({ length: count }, (_, at) => `Page ${at + 1} ${'x'.repeat(400)}`);
	const small = { options: { bytesPerRequest: 1000, textsPerRequest: 1 } };

	it('gives texts within the limit that contain all pages; only a single page can be larger', () => {
		fc.assert(
			fc.property(
				fc.array(fc.constantFrom('a', 'éé', '😀', 'a page', ''), { maxLength: 20 }),
				fc.integer({ min: 1, max: 30 }),
				(others, maxBytes) => {
					const all = ['a', ...others];
					const texts = joinPages(all, 'The text', maxBytes);
					for (const { text, pages } of texts) {
						const { first = 1, starts = [] } = pages ?? {};
						if (starts.length > 1)
							expect(Buffer.byteLength(text)).toBeLessThanOrEqual(maxBytes);
						expect(text).toBe(
							all.slice(first - 1, first - 1 + starts.length).join('\n\n'),
						);
					}
					expect(
						texts
							.map(({ text }) => text)
							.join('')
							.replaceAll('\n', ''),
					).toBe(all.join(''));
				},
			),
		);
	});

	it('is cut between pages; numbers and pages go on', async () => {
		const { output } = await chunk([guide(large(5)), { ...guide('Other'), id: 'other' }], {
			...small,
			output: 'documents',
		});
		expect(batches().map(([text]) => text.match(/Page \d/g))).toEqual(
			expect.arrayContaining([['Page 1', 'Page 2'], ['Page 3', 'Page 4'], ['Page 5']]),
		);
		const ofGuide = places(output).filter(({ id }) => String(id).startsWith('guide'));
		expect(ofGuide.map(({ id, page }) => [id, page])).toEqual(
			[1, 2, 3, 4, 5].map((page) => [`guide.pdf#${page - 1}`, page]),
		);
		expect(output).toHaveLength(6);
		expect(output.map(({ pairedItem }) => pairedItem)).toEqual([
			...Array<unknown>(5).fill({ item: 0 }),
			{ item: 1 },
		]);
	});

	it('fails once, with the pages of the text that failed', async () => {
		fault('submit', { status: 400, body: '{"message":"too odd"}', whenBodyContains: 'Page 3' });
		const { output } = await chunk(
			[guide(large(5))],
			{ ...small, output: 'documents' },
			{ onError: 'continueRegularOutput' },
		);
		expect(jsonOf(output)).toMatchObject([
			{ error: expect.stringMatching(/^Pages 3 to 4: /) as string },
		]);
		expect(output).toHaveLength(1);
	});

	it('a record is cut in the same way', async () => {
		const item = await files.item(JSON.stringify(guide(large(3))), 'guides.jsonl');
		const { output } = await chunk([item], {
			...small,
			textSource: 'file',
			output: 'documents',
		});
		expect(places(output).map(({ id, page }) => [id, page])).toEqual([
			['guide.pdf#0', 1],
			['guide.pdf#1', 2],
			['guide.pdf#2', 3],
		]);
	});

	it.each([undefined, 0, 1, 2])(
		'reports chunks as removed only if no text of it was cut: %s',
		async (cut) => {
			sandbox().settings.maxChunks = 1;
			const pages = [0, 1, 2].map(
				(at) => 'x'.repeat(900) + (at === cut ? '\nthe end, which is cut off' : ''),
			);
			const { output } = await chunk([guide(pages)], {
				output: 'perDocument',
				options: { ...small.options, previousChunkCount: 5 },
			});
			const removedIds = cut === undefined ? ['guide.pdf#3', 'guide.pdf#4'] : [];
			expect(jsonOf(output)).toMatchObject([
				{ chunkCount: 3, removalsKnown: cut === undefined, removedIds },
			]);
		},
	);

	it('Submit refuses it, because Get Results could not number its chunks', async () => {
		const { error } = await chunk([guide(large(5))], { ...small, operation: 'submit' });
		expect(String(error?.message)).toContain("'Text' has");
		expect(submits()).toEqual([]);
	});
});

it.each([
	[['One', 2], /'Text' is a list, but not all of its entries are texts/],
	[[], /'Text' is empty/],
	[['', ' \n'], /'Text' has 2 pages without text/],
])('refuses the list %j', async (text, message) => {
	const { error } = await chunk([guide(text)]);
	expect(String(error?.message)).toMatch(message);
	expect(submits()).toEqual([]);
});

describe('hints at texts that need another step', () => {
	const long = 'A sentence without the separator. '.repeat(80);
	const unsplit = /gave one chunk each. The regular expression may not match/;
	const html = /HTML tags, which become part of the chunks/;
	const texts = (text: string, count: number) =>
		Array.from({ length: count }, (_, at) => ({ id: `t${at}`, name: 'T', text }));
	const REGEX = { chunker: 'regex-splitter', regex: '@@' };

	it.each([
		['5 long texts', 5, long, REGEX, unsplit, true],
		['4 long texts', 4, long, REGEX, unsplit, false],
		['short texts', 9, 'Short.', REGEX, unsplit, false],
		['another chunker', 5, long, {}, unsplit, false],
		['HTML', 1, '<p>One</p><ul><li>Two</li><li>Three</LI ></ul>', {}, html, true],
		['Markdown with line breaks', 9, '# One<br>Two<br/>Three<br>\n\nFour', {}, html, false],
		['two tags', 9, '<p>One</p><p>Two</p>', {}, html, false],
	])('%s', async (_case, count, text, parameters, hint, isShown) => {
		const result = await chunk(texts(text, count), parameters);
		expect(hintsOf(result).some((one) => hint.test(one))).toBe(isShown);
	});
});
