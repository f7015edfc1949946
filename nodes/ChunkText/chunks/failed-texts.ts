import type { IDataObject } from 'n8n-workflow';

import type { PartFailure } from '../../shared/n8n/sinks/item-parts';
import { count } from '../../shared/n8n/run/hints';

/** One failure for the texts of an item that failed, with what is needed to fetch each of them later. */
export const mergedFailure = (
	first: PartFailure,
	failures: readonly PartFailure[],
): PartFailure => ({
	...first,
	advice: `${count(failures.length - 1, 'more text')} of this item failed too.`,
	json: jsonOf(failures.map(({ json = {} }) => json)),
});

function jsonOf(failures: readonly IDataObject[]): IDataObject {
	const withId = failures.filter(({ chunkingId }) => chunkingId !== undefined);
	const ids = [...new Set(withId.map(({ chunkingId }) => chunkingId as string))];
	const responses = failures.flatMap(({ response, responses }) => responses ?? response ?? []);
	const texts = withId.map(withoutResponse);
	// Nothing of these can be fetched later: they have to be submitted again.
	const others = failures
		.filter(({ chunkingId }) => chunkingId === undefined)
		.flatMap(({ textIndex }) => textIndex ?? []);
	return {
		...(ids.length > 0 && { chunkingId: ids[0] }),
		...(ids.length > 1 && { chunkingIds: ids }),
		...(texts.length > 0 && { failedTexts: texts }),
		...(others.length > 0 && { textsWithoutChunkingId: others }),
		...(responses.length > 0 && { response: responses[0] }),
		...(responses.length > 1 && { responses }),
	};
}

function withoutResponse({ ...json }: IDataObject): IDataObject {
	delete json.response;
	delete json.responses;
	return json;
}
