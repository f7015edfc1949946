import { responseJson } from '../shared/n8n/run/response-json';
import { count } from '../shared/n8n/run/hints';
import type { Wording } from '../shared/n8n/sinks/sink';
import { ServiceFailure } from '../shared/service/failure';
import { outcomeMessage, pushing } from '../shared/service/wording';
import type { PushOptions } from './properties';
import type { Answers, Entry } from './requests';

/**
 * How the documents of a request are reported.
 *
 * @param request its number; 0 if it was never sent
 * @param bytes of its body; of a document that could not be sent, its own
 * @param mayBeDone whether an earlier try of the node has pushed a document, or may have
 */
export const pushWording = (
	{ dryRun }: PushOptions,
	request: number,
	bytes: number,
	mayBeDone: (entry: Entry) => boolean = () => false,
): Wording<Entry, Answers> => ({
	result: ({ id }, { sizes, answerOf }, attempts) => {
		if (dryRun) return { id, pushed: false, dryRun, request, bytes: sizes?.get(id) };
		const result = { id, pushed: true, request, attempts };
		return Object.assign(result, responseJson(answerOf?.(id).response));
	},
	failure: (entry, { reason, skipped }) => {
		const { id } = entry;
		const isTooLarge =
			reason instanceof ServiceFailure && reason.httpStatus === 413 && !skipped;
		const action = pushing(id);
		if (isTooLarge) action.subject += ` of ${count(bytes, 'byte')}`;
		const message = outcomeMessage(action, reason, {
			attempted: !skipped,
			mayBeDone: mayBeDone(entry),
		});
		return { id, message };
	},
});

/** How documents are reported that were not sent because a later one has the same ID. */
export const replacedWording = (wording: Wording<Entry, Answers>): Wording<Entry, Answers> => ({
	...wording,
	result: ({ id }) => ({ id, pushed: false, reason: 'A later document has the same ID' }),
	countedAs: () => 'skipped',
});
