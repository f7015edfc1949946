import type { VectorMismatch } from '../../shared/service/chunking/chunking-response';
import { ServiceFailure } from '../../shared/service/failure';
import { InputError } from '../../shared/service/input-error';
import { saidFirst } from '../../shared/service/outcome-messages';
import { formatCount } from '../../shared/service/numbers';

/** @param said the service's own words, if it sent any */
const failure = (message: string, description: string, said = ''): ServiceFailure =>
	new ServiceFailure(message, { kind: 'response', description, said });

/** A shorter ID may be a word or a number that means something else. */
const MIN_ID_CHARACTERS = 8;

/**
 * The message of a chunking request that failed: the service's words, what happened, and the chunking ID
 * once, at the end.
 */
export function jobMessage(error: unknown, chunkingId: string): string {
	const reason = saidFirst(error);
	const known =
		chunkingId.length < MIN_ID_CHARACTERS ? reason : reason.replaceAll(chunkingId, '…');
	return `${known} (chunking ID ${chunkingId})`;
}

const RESPONSE_IN_ITEM = "With 'On Error' set to 'Continue', the failed item has the response.";
const IN_FIRST_ITEM =
	"With 'On Error' set to 'Continue', the first failed item of the request has the response.";

/** The submission succeeded, but there is nothing to fetch the chunks by. */
export const noChunkingId = (words: string): ServiceFailure =>
	failure(
		'The AI service returned no chunking ID',
		"Check 'AI Service URL' in the credential: another server may have answered.",
		words,
	);

/**
 * A 2xx response that the interface does not know.
 *
 * @param isDamaged it began as JSON, and may have been cut off
 */
export const notAChunkingResponse = (isDamaged: boolean): ServiceFailure =>
	isDamaged
		? failure(
				'The response of the AI service is not a valid JSON object',
				`Check whether a proxy cuts off large responses, then submit the text again. ${RESPONSE_IN_ITEM}`,
			)
		: failure(
				'The response of the AI service is not a valid chunking response',
				"Check 'AI Service URL' in the credential and the option 'Results Path'.",
			);

/**
 * There are more or fewer vectors than chunks: assigned by their position, they would become those of
 * others.
 */
export const vectorMismatch = ({ vectors, chunks }: VectorMismatch): ServiceFailure =>
	failure(
		`The AI service returned ${formatCount(vectors, 'vector')} for ${formatCount(chunks, 'chunk')}, so it is unknown which belongs to which`,
		`If submitting the text again does not help, set 'Vectors' to 'None' to get the chunks without them. ${RESPONSE_IN_ITEM}`,
	);

/** The service has given up the job: it has answered, so this is certain. */
export function jobFailed(status: string, words: string, texts: number): ServiceFailure {
	const isAlone = texts === 1;
	const where = isAlone
		? ''
		: ` for a request with ${formatCount(texts, 'text')}, any of which may be the cause`;
	const description = isAlone
		? 'Check the text, the model, the chunker and its settings, then submit the text again.'
		: "If all texts fail, check the model, the chunker and its settings. To find out which text fails, submit them with 'Texts per Request' set to 1.";
	const details = { kind: 'response', description, said: words, outcomeUnknown: false } as const;
	return new ServiceFailure(`The AI service reported ${status}${where}`, details);
}

/**
 * RETRIEVED without chunks.
 *
 * @param hasResponse whether a response arrived that could not be read
 */
export const alreadyRetrieved = (hasResponse: boolean): ServiceFailure =>
	failure(
		'The chunks were already retrieved, and the AI service does not return them again',
		hasResponse
			? `Submit the text again. ${RESPONSE_IN_ITEM}`
			: 'Use the output of the run that retrieved them, or submit the text again.',
	);

/** READY in a shape that the interface does not describe. */
export const unreadableResults = (status: string): ServiceFailure =>
	failure(
		`The AI service reported ${status}, but this node cannot read the results`,
		`Check 'AI Service URL' in the credential and the option 'Results Path'. ${RESPONSE_IN_ITEM}`,
	);

/** There are more or fewer results than texts, so that none can be assigned to a text. */
export const countMismatch = (results: number, texts: number): ServiceFailure =>
	failure(
		`The AI service returned ${formatCount(results, 'result')} for ${formatCount(texts, 'text')}, so it is unknown which belongs to which`,
		texts > 1
			? `Submit the texts with 'Texts per Request' set to 1. ${IN_FIRST_ITEM}`
			: `Submit the text again. ${RESPONSE_IN_ITEM}`,
	);

/** The entry of a text is not what the interface knows. */
export const noChunks = (words: string): ServiceFailure =>
	failure(
		'The AI service returned no readable chunks for the text',
		`Submit the text again. ${RESPONSE_IN_ITEM}`,
		words,
	);

/** The positions that the texts of a request have, for a message. */
const positions = (texts: number): string =>
	texts <= 2 ? [...Array(texts).keys()].join(' and ') || 'none' : `0 to ${texts - 1}`;

/** The item stands for a text that the request does not have. */
export const noSuchText = (position: number, results: number): InputError =>
	new InputError(
		`'Text Position' is ${position}, but the request has ${formatCount(results, 'text')} (${positions(results)})`,
		"Use the field 'textPosition' that 'Submit' returns. It can be empty if the request has one text.",
	);

/** The request has several texts, and the item does not say which of them it is. */
export const positionMissing = (results: number): InputError =>
	new InputError(
		`The request has ${formatCount(results, 'text')}, but the item does not say which one it is`,
		`Use the field 'textPosition' that 'Submit' and failed items return. ${IN_FIRST_ITEM}`,
	);

/** The item has `documents` of a request, but not that of this text. */
export const documentMissing = (): InputError =>
	new InputError(
		"The item has no document for this text in its field 'documents'",
		`Use 'documents', 'textsInRequest' and 'textPosition' as 'Submit' and failed items return them, or set 'Output' to 'One Item per Chunk'. ${IN_FIRST_ITEM}`,
	);

/** The deadline has passed; `lastError` is the error of the final poll, if it failed. */
export function outOfTime(seconds: number, status: string, lastError: unknown): ServiceFailure {
	const last = lastError instanceof Error ? `. The final poll failed: ${lastError.message}` : '';
	return failure(
		`The chunks were not ready after ${formatCount(seconds, 'second')} (status ${status})${last}`,
		"The service may still be working on them. Fetch the chunks with the operation 'Get Results' and this chunking ID, or increase 'Max Wait (Seconds)'.",
	);
}
