import { count } from '../shared/n8n/run/hints';
import { hasFinished, type VectorMismatch } from '../shared/service/chunking/chunking';
import { ServiceFailure } from '../shared/service/failure';
import { InputError } from '../shared/service/input-error';
import { saidFirst } from '../shared/service/wording';
import { causeIn } from './cause';

/** @param said the service's own words, if it sent any */
const failure = (message: string, description: string, said = ''): ServiceFailure =>
	new ServiceFailure(message, { kind: 'response', description, said });

/** The service has answered, so what it says is certain. */
const refusal = (message: string, description: string, said = ''): ServiceFailure =>
	new ServiceFailure(message, { kind: 'response', description, said, outcomeUnknown: false });

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

const RESPONSE_IS_KEPT = "What it returned is in the field 'response'.";
const IN_FIRST_ITEM = "What it returned is in the field 'response' of the first item.";

/** The submission succeeded, but there is nothing to fetch the chunks by. */
export const noChunkingId = (words: string): ServiceFailure =>
	failure(
		'The AI service accepted the request but returned no chunking ID',
		"Check 'AI Service URL' in the credential: another server may have answered.",
		words,
	);

/** A 2xx response that says that the request did not succeed, e.g. by `success: false`. */
export const denied = (by: string, words: string): ServiceFailure =>
	failure(
		`The AI service answered with '${by}'`,
		'Check what the service says, the model, the chunker and its settings, then submit the text again.',
		words,
	);

/** Two requests with different texts got the same chunking ID: their results cannot be told apart. */
export const idOfAnother = (): ServiceFailure =>
	failure(
		'The AI service returned the same chunking ID for another request, so it is unknown whose the chunks are',
		'Submit the text again. If it happens repeatedly, check whether a proxy caches the responses.',
	);

/** A 2xx response that the interface does not know. */
export const notAChunkingResponse = (): ServiceFailure =>
	failure(
		'What the AI service returned is not a valid chunking response',
		"Check 'AI Service URL' in the credential and the option 'Results Path'.",
	);

/** JSON that was cut or damaged. */
export const damagedResponse = (): ServiceFailure =>
	failure(
		'What the AI service returned is not a valid JSON object',
		`Check whether a proxy cuts off large responses, then submit the text again. ${RESPONSE_IS_KEPT}`,
	);

/** Chunks of a request are not in its texts: its entries may come in another order. */
export const otherOrder = (): ServiceFailure =>
	refusal(
		'The service returned chunks that are not in the texts of the request in this order, so they may be those of other texts',
		`Set the option 'Texts per Request' to 1. ${RESPONSE_IS_KEPT}`,
	);

/**
 * There are more or fewer vectors than chunks: assigned by their position, they would become those of
 * others.
 */
export const vectorMismatch = ({ vectors, chunks }: VectorMismatch): ServiceFailure =>
	refusal(
		`The service returned ${count(vectors, 'vector')} for ${count(chunks, 'chunk')}, so it is unknown which belongs to which`,
		`If submitting the text again does not help, set 'Include Vectors' to 'No' to get the chunks without them. ${RESPONSE_IS_KEPT}`,
	);

/** The service has computed a vector with NaN or Infinity. */
export const unusableVector = (chunkIndex: number): ServiceFailure =>
	refusal(
		`The vector of chunk ${chunkIndex} has values that are not numbers, such as NaN`,
		`Check the model, or set 'Include Vectors' to 'No'. ${RESPONSE_IS_KEPT}`,
	);

/** The response belongs to another request: giving its chunks to these texts would mix documents. */
export const anotherRequest = (chunkingId: string): ServiceFailure =>
	failure(
		`The AI service returned the results of another request, ${chunkingId}`,
		"Check the option 'Results Path'. If it is correct, report this to the operator of the service.",
	);

/** The service has given up the job. */
export function jobFailed(status: string, words: string, texts: number): ServiceFailure {
	const { settings, mayBeText } = causeIn(words);
	const isShared = texts > 1 && mayBeText;
	const shared = isShared
		? ` for a request with ${count(texts, 'text')}, any of which may be the cause`
		: '';
	const alone =
		settings === ''
			? 'Check the text, the model, the chunker and its settings, then submit the text again.'
			: `Check ${settings}, then submit the text again.`;
	return refusal(
		`The AI service reported ${status}${about(settings)}${shared}`,
		isShared
			? "Set the option 'Texts per Request' to 1 to find out which text fails. Check the model, the chunker and its settings if all do."
			: alone,
		words,
	);
}

const about = (settings: string): string => (settings === '' ? '' : ` about ${settings}`);

/** The service refuses a submission for what it has: its words may say which setting is wrong. */
export function refusedContent(refused: ServiceFailure): ServiceFailure {
	const { settings } = causeIn(refused.said);
	if (settings === '') return refused;
	return refused.withAdvice(`Check ${settings}.`, refused.what + about(settings));
}

/**
 * RETRIEVED without chunks.
 *
 * @param lost why a response to this run may have been lost, if one may
 * @param isOwn whether this run has submitted the job, so that no other run can have the chunks
 * @param isKept whether a response arrived that could not be read
 */
export function alreadyRetrieved(
	lost: string | undefined,
	isOwn: boolean,
	isKept: boolean,
): ServiceFailure {
	if (lost !== undefined && isKept) {
		return failure(
			`The service counts the chunks as retrieved, but they could not be read: ${lost}`,
			`Submit the text again. ${RESPONSE_IS_KEPT}`,
		);
	}
	if (lost === undefined) {
		return failure(
			'The chunks were already retrieved, and the service does not return them again',
			'Use the output of the run that retrieved them, or submit the text again.',
		);
	}
	return failure(
		`The service counts the chunks as retrieved, and a response to this run may have been lost (${lost})`,
		isOwn
			? 'Submit the text again.'
			: 'If another run retrieved them, use its output. Otherwise submit the text again.',
	);
}

/** READY in a shape that the interface does not describe. */
export const unreadableResults = (status: string): ServiceFailure =>
	failure(
		`The AI service reported ${status}, but this node cannot read the results`,
		`Set 'Output' to 'Raw' to get such responses as they are. ${RESPONSE_IS_KEPT}`,
	);

/** There are more or fewer results than texts, so that none can be assigned to a text. */
export const countMismatch = (results: number, texts: number): ServiceFailure =>
	failure(
		`The service returned ${count(results, 'result')} for ${count(texts, 'text')}, so it is unknown which belongs to which`,
		texts > 1
			? `Set the option 'Texts per Request' to 1, or 'Output' to 'Raw'. ${IN_FIRST_ITEM}`
			: `To get such responses as they are, set 'Output' to 'Raw'. ${RESPONSE_IS_KEPT}`,
	);

/** The entry of a text is not what the interface knows. */
export const noChunks = (words: string): ServiceFailure =>
	failure(
		'The service returned no readable chunks for the text',
		`Submit the text again, or set 'Output' to 'Raw'. ${RESPONSE_IS_KEPT}`,
		words,
	);

/** The item stands for a text that the request does not have. */
export const noSuchText = (position: number, results: number): InputError =>
	new InputError(
		`There is no text ${position}, counted from 0: the request has ${count(results, 'text')}`,
		"Use the field 'textPosition' that 'Submit' returns, or leave 'Text Position' empty.",
	);

/** The request has several texts, and the item does not say which of them it is. */
export const positionMissing = (results: number): InputError =>
	new InputError(
		`The request has ${count(results, 'text')}, and the item does not say which of them it stands for`,
		`Use the field 'textPosition' that 'Submit' and failed items return. ${IN_FIRST_ITEM}`,
	);

/** The item has `documents` of a request, but not that of this text. */
export const documentMissing = (): InputError =>
	new InputError(
		"The item has no document for this text in its field 'documents'",
		`Use 'documents', 'textsInRequest' and 'textPosition' as 'Submit' and failed items return them, or choose another 'Output'. ${IN_FIRST_ITEM}`,
	);

/** The deadline has passed; `lastError` is the error of the final poll, if it failed. */
export function outOfTime(seconds: number, status: string, lastError: unknown): ServiceFailure {
	const last = lastError instanceof Error ? `. The final poll failed: ${lastError.message}` : '';
	const advice = hasFinished(status)
		? "The responses contain no chunks that this node can read. To see them, run 'Get Results' with this chunking ID and set 'Output' to 'Raw'."
		: "The service may still be working on it. Fetch the chunks with the operation 'Get Results' and this chunking ID, or raise 'Max Wait (Seconds)'.";
	return failure(
		`Not finished after ${count(seconds, 'second')} (status ${status})${last}`,
		advice,
	);
}
