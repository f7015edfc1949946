import type { RequestSettings } from './attempt';
import type { BulkOptions } from './batch-sender';
import type { Packed } from './batcher';
import { bulk } from './bulk';
import type { Outcome } from './outcome';

/** Returns `bulk` options for requests with one entry each, such as deletes. */
export const oneEach = <E, R>(
	settings: RequestSettings,
	send: (entry: E) => Promise<R>,
): BulkOptions<E, R> => ({
	...settings,
	limits: { maxCount: 1, maxBytes: Infinity },
	textOf: () => '',
	send: async (batch) => {
		const [{ entry }] = batch as [Packed<E>];
		return await send(entry);
	},
});

/** Sends a single request until it succeeds or its retry policy gives up. */
export async function sendOne<R>(
	settings: RequestSettings,
	send: () => Promise<R>,
): Promise<Outcome<R>> {
	// `bulk` gives each entry exactly one outcome.
	let end!: Outcome<R>;
	for await (const answers of bulk([[undefined]], oneEach(settings, send)))
		for (const { outcome } of answers) end = outcome;
	return end;
}
