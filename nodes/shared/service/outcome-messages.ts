/**
 * Writes the messages for error items. A message first states the reason, and then what is known about the
 * outcome. For example, the message says that the document was not pushed, or that it is unknown whether
 * the document was pushed. If the outcome is unknown, the message also says whether it is safe to repeat
 * the request. The message must contain all of this, because AI agents and error items show nothing else.
 */
import { ServiceFailure } from './failure';
import { messageOf } from './input-error';
import { capitalize, quoted } from './strings';

export interface Action {
	/** Subject of the sentence, e.g. `document 'a1'`. */
	subject: string;
	done: string;
	isPlural?: boolean;
	/** One sentence that says what happens if the request is repeated after an unknown outcome. */
	repeating: string;
	wordsFirst?: boolean;
}

/** Returns the wording for messages about pushing a document. */
export const pushAction = (documentId: string): Action => ({
	subject: `document ${quoted(documentId)}`,
	done: 'pushed',
	repeating: 'Pushing it again is safe.',
});

/** Returns the words for messages about deleting a document. */
export const deleteAction = (documentId: string): Action => ({
	subject: `document ${quoted(documentId)}`,
	done: 'deleted',
	repeating:
		'Deleting it again is safe. If it no longer exists, the service may answer with status 404.',
});

/**
 * Returns the words for messages about submitting a text.
 *
 * @param documentId ID of the document that contains the text, if there is one
 */
export const submitAction = (documentId?: string): Action => ({
	subject: documentId === undefined ? 'the text' : `the text of document ${quoted(documentId)}`,
	done: 'submitted',
	repeating: 'Submitting it again is safe. At worst, it is chunked twice.',
	wordsFirst: true,
});

export const MIGRATE_ACTION: Action = {
	subject: 'the blob manifests',
	done: 'migrated',
	isPlural: true,
	repeating:
		'The migration may still be running, so check the service before you start it again.',
};

/**
 * Returns the message for an error item.
 *
 * @param action the action that failed
 * @param error the reason
 * @param skipped true if the run ended before the entry was sent
 */
export function outcomeMessage(action: Action, error: unknown, skipped = false): string {
	const verb = action.isPlural ? 'were' : 'was';
	const isUnknown = !skipped && error instanceof ServiceFailure && error.isOutcomeUnknown;
	const reason = action.wordsFirst ? withServiceWordsFirst(error) : messageOf(error);
	if (!isUnknown) return withReason(reason, `${action.subject} ${verb} not ${action.done}`);
	const outcome = `it is unknown whether ${action.subject} ${verb} ${action.done}`;
	return `${withReason(reason, outcome)}. ${action.repeating}`;
}

/**
 * Describes what went wrong. If the service sent a message, the description begins with the service's own
 * words.
 */
export function withServiceWordsFirst(error: unknown): string {
	if (!(error instanceof ServiceFailure) || error.serviceWords === '') return messageOf(error);
	const { serviceWords, summary } = error;
	return `"${serviceWords}": ${summary.charAt(0).toLowerCase()}${summary.slice(1)}`;
}

/**
 * Joins a reason and an outcome into one sentence. If the reason already contains a complete sentence, the
 * outcome becomes a separate sentence.
 */
function withReason(reason: string, outcome: string): string {
	const stem = reason.trim().replace(/\.$/, '');
	if (stem === '') return capitalize(outcome);
	return /[.!?]["')\]]?(?:\s|$)/.test(stem)
		? `${capitalize(stem)}. ${capitalize(outcome)}`
		: `${capitalize(stem)}, so ${outcome}`;
}
