import type { VectorMismatch } from '../../shared/service/chunking/chunking-response';
import { ServiceFailure } from '../../shared/service/failure';
import { InputError } from '../../shared/service/input-error';
import { withServiceWordsFirst } from '../../shared/service/outcome-messages';
import { formatCount } from '../../shared/service/strings';

const failure = (message: string, description: string, serviceWords = ''): ServiceFailure =>
	new ServiceFailure(message, { kind: 'response', description, serviceWords });

/**
 * An ID is replaced in messages only if it has at least this many characters. A shorter ID may also occur as an
 * ordinary word or number.
 */
const MIN_ID_CHARACTERS = 8;

/**
 * Returns the message for a failed chunking request. The message quotes the service and says what happened. The
 * chunking ID appears only once, at the end.
 */
export function jobMessage(error: unknown, chunkingId: string): string {
	const reason = withServiceWordsFirst(error);
	const known =
		chunkingId.length < MIN_ID_CHARACTERS ? reason : reason.replaceAll(chunkingId, '…');
	return `${known} (chunking ID ${chunkingId})`;
}

const RESPONSE_IN_ITEM =
	"With 'On Error' set to 'Continue', the failed item contains the response.";
const IN_FIRST_ITEM =
	"With 'On Error' set to 'Continue', the first failed item of the request contains the response.";

/** Returns the error for a submission that the service accepted without returning a chunking ID. */
export const noChunkingId = (words: string): ServiceFailure =>
	failure(
		'The AI service returned no chunking ID',
		"Check 'AI Service URL' in the credential, because another server may have answered.",
		words,
	);

/**
 * Returns the error for a 2xx response that the service interface does not define.
 *
 * @param isDamaged whether the response began as JSON and may have been cut off
 */
export const notAChunkingResponse = (isDamaged: boolean): ServiceFailure =>
	isDamaged
		? failure(
				'The response from the AI service is not a valid JSON object',
				`Check whether a proxy cuts off large responses, then submit the text again. ${RESPONSE_IN_ITEM}`,
			)
		: failure(
				'The response from the AI service is not a valid chunking response',
				"Check 'AI Service URL' in the credential and the option 'Results Path'.",
			);

/**
 * Returns the error for a text with more or fewer vectors than chunks. If vectors were assigned by position,
 * some chunks would get another chunk's vector.
 */
export const vectorMismatch = ({ vectors, chunks }: VectorMismatch): ServiceFailure =>
	failure(
		`The AI service returned ${formatCount(vectors, 'vector')} for ${formatCount(chunks, 'chunk')}, so it is unknown which belongs to which`,
		`If submitting the text again does not help, set 'Vectors' to 'None' to get the chunks without them. ${RESPONSE_IN_ITEM}`,
	);

/** Returns the error for a failed job. The service reported the failure, so the outcome is known. */
export function jobFailed(status: string, words: string, texts: number): ServiceFailure {
	const isAlone = texts === 1;
	const where = isAlone
		? ''
		: ` for a request with ${formatCount(texts, 'text')}, any of which may be the cause`;
	const description = isAlone
		? "Check the text, the model, the chunker and its settings, such as 'Regex', then submit the text again."
		: "If all texts fail, check the model, the chunker and its settings, such as 'Regex'. To find out which text fails, submit them with 'Texts per Request' set to 1.";
	const details = {
		kind: 'response',
		description,
		serviceWords: words,
		isOutcomeUnknown: false,
	} as const;
	return new ServiceFailure(`The AI service reported ${status}${where}`, details);
}

/**
 * Returns the error for a response that has the status RETRIEVED but contains no chunks.
 *
 * @param hasResponse whether an earlier response arrived but could not be read
 */
export const alreadyRetrieved = (hasResponse: boolean): ServiceFailure =>
	failure(
		'The chunks were already retrieved, and the AI service does not return them again',
		hasResponse
			? `Submit the text again. ${RESPONSE_IN_ITEM}`
			: 'Use the output of the run that retrieved them, or submit the text again.',
	);

/** Returns the error for a response that has the status READY but contains results in an unknown format. */
export const unreadableResults = (status: string): ServiceFailure =>
	failure(
		`The AI service reported ${status}, but this node cannot read the results`,
		`Check 'AI Service URL' in the credential and the option 'Results Path'. ${RESPONSE_IN_ITEM}`,
	);

/**
 * Returns the error for a response with more or fewer results than texts. Such results cannot be assigned to
 * texts.
 */
export const countMismatch = (results: number, texts: number): ServiceFailure =>
	failure(
		`The AI service returned ${formatCount(results, 'result')} for ${formatCount(texts, 'text')}, so it is unknown which belongs to which`,
		texts > 1
			? `Submit the texts with 'Texts per Request' set to 1. ${IN_FIRST_ITEM}`
			: `Submit the text again. ${RESPONSE_IN_ITEM}`,
	);

/** Returns the error for a text whose entry in the results has an unknown format. */
export const noChunks = (words: string): ServiceFailure =>
	failure(
		'The AI service returned no readable chunks for the text',
		`Submit the text again. ${RESPONSE_IN_ITEM}`,
		words,
	);

const positions = (texts: number): string =>
	texts <= 2 ? [...Array(texts).keys()].join(' and ') || 'none' : `0 to ${texts - 1}`;

/** Returns the error for an item whose text position is beyond the last text in the request. */
export const noSuchText = (position: number, results: number): InputError =>
	new InputError(
		`'Text Position' is ${position}, but the request has ${formatCount(results, 'text')} (${positions(results)})`,
		"Use the field 'textPosition' that 'Submit' returns. It can be empty if the request has one text.",
	);

/** Returns the error for a missing text position. This error occurs only if the item's request has several texts. */
export const positionMissing = (results: number): InputError =>
	new InputError(
		`The request has ${formatCount(results, 'text')}, but the item does not say which one it is`,
		`Use the field 'textPosition' that 'Submit' and failed items return. ${IN_FIRST_ITEM}`,
	);

/** Returns the error for an item whose `documents` field does not contain the text's document. */
export const documentMissing = (): InputError =>
	new InputError(
		"The item has no document for this text in its field 'documents'",
		`Use 'documents', 'textsInRequest' and 'textPosition' exactly as 'Submit' and failed items return them, or set 'Output' to 'One Item per Chunk'. ${IN_FIRST_ITEM}`,
	);

/**
 * Returns the error for a job that did not finish in time.
 *
 * @param lastError error from the final poll, if that poll failed
 */
export function outOfTime(
	seconds: number,
	status: string,
	lastError: unknown,
	advice = FETCH_LATER,
): ServiceFailure {
	const last = lastError instanceof Error ? `. The final poll failed: ${lastError.message}` : '';
	return failure(
		`The chunks were not ready after ${formatCount(seconds, 'second')} (status ${status})${last}`,
		advice,
	);
}

const FETCH_LATER =
	"The service may still be working on them. Fetch the chunks with the operation 'Get Results' and this chunking ID, or increase 'Max Wait (Seconds)'.";

/** Get Results could not number the chunks of a document that was submitted in several texts. */
export const SUBMIT_AGAIN =
	"Increase 'Max Wait (Seconds)', and submit the whole document again. It was submitted in several texts, so 'Get Results' could not number its chunks.";
