/**
 * Assertions on messages that do not repeat their sentences. The unit tests of the functions that word a message
 * assert its sentence. Other tests assert what it names, and what it says of the outcome.
 */
import { ServiceFailure } from '../nodes/shared/service/failure';
import { outcomeMessage, type Action } from '../nodes/shared/service/outcome-messages';

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** Matches a text that contains all of these facts, in any order: IDs, numbers, labels, what a service said. */
export const naming = (...facts: Array<string | number>): unknown =>
	expect.stringMatching(
		new RegExp(facts.map((fact) => `(?=[^]*${escaped(String(fact))})`).join('')),
	);

/** The first letter of a sentence may be small. */
const wordsFor = (action: Action, error: Error) => outcomeMessage(action, error).slice(1);

/** Returns what a message says of an action that certainly was not done. */
export const notDone = (action: Action): string => wordsFor(action, new Error(''));

/** Returns what a message says of an action that may have been done. */
export const maybeDone = (action: Action): string =>
	wordsFor(action, new ServiceFailure('', { kind: 'response' }));
