import { isolated } from './lib/isolated';
import type { BenchOptions } from './lib/options';
import { print, table, whole, type Cell } from './lib/table';
import type { PollMemory, PollMemoryResult } from './tasks/poll-memory';

/** What each poll leaves in memory while its run goes on. */
export async function pollMemory({ quick }: BenchOptions): Promise<void> {
	const seconds = quick ? 6 : 30;
	const rows: Cell[][] = [];
	for (const client of ['Chunk Text', 'axios'] as const) {
		const result = await isolated<PollMemory, PollMemoryResult>('poll-memory', {
			client,
			seconds,
		});
		if (!result) throw new Error('The heap was too small');
		rows.push([client, whole(result.polls), whole(result.bytesPerPoll)]);
	}
	print('', '**Jobs that never finish: memory in use that a poll adds**', '');
	print(table(['client', 'polls', 'bytes per poll'], rows));
}
