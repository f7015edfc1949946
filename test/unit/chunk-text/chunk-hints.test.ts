import { ChunkHints } from '../../../nodes/ChunkText/output/chunk-hints';
import { RunStats } from '../../../nodes/shared/sending/run-state';
import type { Run } from '../../../nodes/shared/run/run';

function textsOf(
	hints: ChunkHints,
	done: number,
	returned: 'chunked' | 'submitted' = 'chunked',
): string[] {
	const said: string[] = [];
	const stats = new RunStats();
	stats.increment('done', done);
	stats.increment('requests', 40);
	stats.increment('retries', 3);
	const run = { stats, meter: { seconds: 7 }, hint: (text: string) => said.push(text) };
	hints.addHintsTo(run as unknown as Run, returned);
	return said.filter(Boolean);
}

const figures = (...run: Parameters<typeof textsOf>): string[][] =>
	textsOf(...run).map((hint) => hint.match(/\d[\d,]*(?!\w)/g) ?? []);

const TROUBLE = ['3'];

it('texts that are not finished do not count as chunked', () => {
	const hints = new ChunkHints();
	hints.countUnfinished(20, undefined);
	hints.countUnfinished(5, undefined);
	expect(figures(hints, 150)).toEqual([['125', '40', '7'], TROUBLE, ['25']]);
	expect(figures(hints, 150, 'submitted')).toEqual([['150', '40', '7'], TROUBLE]);
});

it.each([[['busy', undefined]], [[undefined, 'busy']], [['busy', 'closed']]])(
	'the hint names the first error of the final polls %j',
	(errors) => {
		const hints = new ChunkHints();
		for (const error of errors) hints.countUnfinished(1, error && new Error(error));
		expect(textsOf(hints, 2)).toContain('The final poll failed: busy');
	},
);

it('the hints contain the totals of all files', () => {
	const hints = new ChunkHints();
	hints.countFile({ records: 1_000, chunked: 900, chunks: 3_000 });
	hints.countFile({ records: 50, chunked: 40, chunks: 70 });
	expect(figures(hints, 0)).toEqual([['2', '940', '1,050', '3,070', '0'], TROUBLE]);
});

it('texts without chunks, without vectors or without their ends are counted', () => {
	const hints = new ChunkHints();
	const chunk = { text: 'a', tokensUsed: 600 } as never;
	hints.noteTokens([chunk]);
	hints.noteTokens([{ tokensUsed: 513 } as never]);
	hints.countIncomplete([], false, 0);
	hints.countIncomplete([], false, 0);
	hints.countIncomplete([chunk], true, 30);
	hints.countIncomplete([chunk], false, 12);
	expect(figures(hints, 5)).toEqual([TROUBLE, ['2'], ['1'], ['600', '512'], ['2', '42']]);
});
