/**
 * Helps tests to check messages without their exact sentences. Only the unit test of a message compares the whole
 * sentence. Other tests check which facts the message contains, and what it says about the outcome.
 */
import { ServiceFailure } from '../nodes/shared/service/failure';
import { outcomeMessage, type Action } from '../nodes/shared/service/outcome-messages';

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** Matches a string that contains all of these facts in any order, such as an ID, a number or a label. */
export const naming = (...facts: Array<string | number>): unknown =>
	expect.stringMatching(
		new RegExp(facts.map((fact) => `(?=[^]*${escaped(String(fact))})`).join('')),
	);

/** The message may contain this text in the middle of a sentence, so its first letter is ignored. */
const wordsFor = (action: Action, error: Error) => outcomeMessage(action, error).slice(1);

/** Returns the text for an action that was certainly not done. */
export const notDone = (action: Action): string => wordsFor(action, new Error(''));

/** Returns the text for an action whose outcome is unknown. */
export const maybeDone = (action: Action): string =>
	wordsFor(action, new ServiceFailure('', { kind: 'response' }));
