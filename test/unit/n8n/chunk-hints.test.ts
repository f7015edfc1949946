import { ChunkHints } from '../../../nodes/ChunkText/output/chunk-hints';
import { RunStats } from '../../../nodes/shared/flow/run-state';
import type { Run } from '../../../nodes/shared/n8n/run/run';

function figures(hints: ChunkHints, done: number, isFetched = true): string[][] {
	const said: string[] = [];
	const stats = new RunStats();
	stats.increment('done', done);
	stats.increment('requests', 40);
	stats.increment('retries', 3);
	const run = { stats, meter: { seconds: 7 }, hint: (text: string) => said.push(text) };
	hints.addTo(run as unknown as Run, isFetched);
	return said.filter(Boolean).map((hint) => hint.match(/\d[\d,]*(?!\w)/g) ?? []);
}

const TROUBLE = ['3'];

it('texts that are not finished do not count as chunked', () => {
	const hints = new ChunkHints();
	hints.addUnfinished(20, undefined);
	hints.addUnfinished(5, undefined);
	expect(figures(hints, 150)).toEqual([['125', '40', '7'], TROUBLE, ['25']]);
	expect(figures(hints, 150, false)).toEqual([['150', '40', '7'], TROUBLE]);
});

it('the hints contain the totals of all files', () => {
	const hints = new ChunkHints();
	hints.addFile({ records: 1_000, chunked: 900, chunks: 3_000 });
	hints.addFile({ records: 50, chunked: 40, chunks: 70 });
	expect(figures(hints, 0)).toEqual([['2', '940', '1,050', '3,070', '0'], TROUBLE]);
});

it('texts without chunks, without vectors or without their ends are counted', () => {
	const hints = new ChunkHints();
	const chunk = { text: 'a', tokensUsed: 600 } as never;
	hints.addText([], true);
	hints.addText([chunk], true);
	hints.addText([{ tokensUsed: 513 } as never], false);
	hints.addMissing([], 0);
	hints.addMissing([], 0);
	hints.addMissing([chunk], 30);
	hints.addMissing([chunk], 12);
	expect(figures(hints, 5)).toEqual([TROUBLE, ['2'], ['1'], ['600', '512'], ['2', '42']]);
});
