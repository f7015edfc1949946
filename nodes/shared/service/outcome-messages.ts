import { ServiceFailure } from './failure';
import { messageOf } from './input-error';

/** What a request should do, in the words of messages. */
export interface Action {
	/** To what, e.g. `document 'a1'`. */
	subject: string;
	/** Past participle, e.g. `pushed`. */
	done: string;
	/** The subject is a plural. */
	isPlural?: boolean;
	/** What repeating means if the outcome is unknown: one sentence. */
	repeating: string;
	/** The service's own words come first. */
	wordsFirst?: boolean;
}

/** A push, in messages. */
export const pushAction = (documentId: string): Action => ({
	subject: `document ${quoted(documentId)}`,
	done: 'pushed',
	repeating: 'Pushing it again is safe.',
});

/** A delete, in messages. */
export const deleteAction = (documentId: string): Action => ({
	subject: `document ${quoted(documentId)}`,
	done: 'deleted',
	repeating: 'Deleting it again is safe: if it is gone, the service may answer with status 404.',
});

/** The submission of a text, in messages, with the ID of its document if it has one. */
export const submitAction = (documentId?: string): Action => ({
	subject: documentId === undefined ? 'the text' : `the text of document ${quoted(documentId)}`,
	done: 'submitted',
	repeating: 'Submitting it again is safe: at worst, it is chunked twice.',
	wordsFirst: true,
});

/** A migration, in messages. */
export const MIGRATE_ACTION: Action = {
	subject: 'the blob manifests',
	done: 'migrated',
	isPlural: true,
	repeating: 'The migration may still be running: check the service before you start it again.',
};

/**
 * The message of an error item: the reason first, then what is known about the outcome. AI agents and
 * error items see nothing else, so it also says whether repeating is safe if the outcome is unknown.
 *
 * @param action what could not be done
 * @param error why
 * @param skipped it was not sent, because the run had ended
 */
export function outcomeMessage(action: Action, error: unknown, skipped = false): string {
	const verb = action.isPlural ? 'were' : 'was';
	const isUnknown = !skipped && error instanceof ServiceFailure && error.isOutcomeUnknown;
	const reason = action.wordsFirst ? withServiceWordsFirst(error) : messageOf(error);
	if (!isUnknown) return withReason(reason, `${action.subject} ${verb} not ${action.done}`);
	const outcome = `it is unknown whether ${action.subject} ${verb} ${action.done}`;
	return `${withReason(reason, outcome)}. ${action.repeating}`;
}

/** What went wrong, in the service's own words first, if it said anything. */
export function withServiceWordsFirst(error: unknown): string {
	if (!(error instanceof ServiceFailure) || error.serviceWords === '') return messageOf(error);
	const { serviceWords, summary } = error;
	return `"${serviceWords}": ${summary.charAt(0).toLowerCase()}${summary.slice(1)}`;
}

/** A reason of several sentences, or one that ends with the service's words, stands alone. */
function withReason(reason: string, outcome: string): string {
	const stem = reason.trim().replace(/\.$/, '');
	if (stem === '') return capitalized(outcome);
	return /[.!?]["')\]]?(?:\s|$)/.test(stem)
		? `${capitalized(stem)}. ${capitalized(outcome)}`
		: `${capitalized(stem)}, so ${outcome}`;
}

/** A text that begins a sentence. */
export const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

const MAX_EXCERPT_CHARACTERS = 200;

/** An ID in a message: complete unless it is very long, and without control characters. */
export function quoted(id: string): string {
	const excerpt = id
		.slice(0, MAX_EXCERPT_CHARACTERS)
		.replace(/[\p{Cc}\p{Zl}\p{Zp}\p{Cs}]/gu, '�');
	return `'${excerpt}${id.length > MAX_EXCERPT_CHARACTERS ? '…' : ''}'`;
}
