/**
 * Helps tests check messages without repeating the full sentences. If a function creates a message, only the unit tests
 * for this function assert the full sentence. Other tests check which facts the message contains and what the message
 * says about the outcome.
 */
import { ServiceFailure } from '../nodes/shared/service/failure';
import { outcomeMessage, type Action } from '../nodes/shared/service/outcome-messages';

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/**
 * Matches a string that contains all of these facts in any order. A fact is an ID, a number, a label, or part of a
 * message from a service.
 */
export const naming = (...facts: Array<string | number>): unknown =>
	expect.stringMatching(
		new RegExp(facts.map((fact) => `(?=[^]*${escaped(String(fact))})`).join('')),
	);

/** Leaves out the first letter, because it can be lowercase inside a message. */
const wordsFor = (action: Action, error: Error) => outcomeMessage(action, error).slice(1);

/** Returns the wording for an action that was definitely not performed. */
export const notDone = (action: Action): string => wordsFor(action, new Error(''));

/** Returns the wording for an action that may have been performed. */
export const maybeDone = (action: Action): string =>
	wordsFor(action, new ServiceFailure('', { kind: 'response' }));
