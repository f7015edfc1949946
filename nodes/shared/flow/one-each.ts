import type { RequestSettings } from './attempt';
import { bulk } from './bulk';
import type { BulkOptions } from './bulk-options';
import { failureOf, type Outcome } from './outcome';

/** Returns `bulk` options for requests with one entry each, such as deletes. */
export const oneEach = <E, R>(
	settings: RequestSettings,
	send: (entry: E) => Promise<R>,
): BulkOptions<E, R> => ({
	...settings,
	limits: { maxCount: 1, maxBytes: Infinity },
	textOf: () => '',
	tooLarge: (_entry, bytes) => new Error(`Nothing is too large, but ${bytes} bytes are`),
	send: async (batch) => {
		const [packed] = batch;
		if (packed === undefined) throw new Error('A request needs an entry');
		return await send(packed.entry);
	},
});

/** Sends a single request until it succeeds or its retry policy gives up. */
export async function sendOne<R>(
	settings: RequestSettings,
	send: () => Promise<R>,
): Promise<Outcome<R>> {
	let end: Outcome<R> | undefined;
	for await (const answers of bulk([[undefined]], oneEach(settings, send)))
		for (const { outcome } of answers) end = outcome;
	return end ?? failureOf(new Error('A request has no outcome'));
}
