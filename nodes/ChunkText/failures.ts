import { count } from '../shared/n8n/hints';
import { ServiceFailure } from '../shared/service/failure';
import { InputError } from '../shared/service/input-error';

const failure = (message: string, description: string): ServiceFailure =>
	new ServiceFailure(message, { kind: 'reply', description });

/** The submission went well, but there is nothing to fetch the chunks by. */
export const noChunkingId = (said: string): ServiceFailure =>
	failure(
		`The AI service took the request but gave no chunking ID${quoted(said)}`,
		"Check 'AI Service URL' in the credential: something else than the AI service may have answered.",
	);

/** A reply of 2xx that is nothing the interface knows. */
export const unreadable = (): ServiceFailure =>
	failure(
		'the reply of the AI service is no chunking reply',
		"Check 'AI Service URL' in the credential and the option 'Results Path'.",
	);

/** The service has given the job up (spec, States: ERROR). */
export const statusError = (said: string): ServiceFailure =>
	failure(
		`the status is ERROR${quoted(said)}`,
		'Check the model, the chunker and its settings, then submit the text again.',
	);

/** RETRIEVED without chunks: they are handed out once. */
export const fetchedBefore = (): ServiceFailure =>
	failure(
		'the chunks were fetched before, and the service sends them no more',
		'Take them from the run that fetched them, or submit the text again.',
	);

/** There are more or fewer results than texts, so that none can be told to be a text's. */
export const countMismatch = (results: number, texts: number): ServiceFailure =>
	failure(
		`the service returned ${count(results, 'result')} for ${count(texts, 'text')}`,
		"It cannot be told which belongs to which. Set the option 'Texts per Request' to 1, or take the output Raw.",
	);

/** The entry of a text is not what the interface knows. */
export const noChunks = (said: string): ServiceFailure =>
	failure(
		`the service returned no chunks for it${quoted(said)}`,
		'Take the output Raw to see all of the reply, or submit the text again.',
	);

/** The item stands for a text the request does not have. */
export const noSuchText = (position: number, results: number): InputError =>
	new InputError(
		`there is no text ${position}: the request has ${count(results, 'text')}, counted from 0`,
		"Take 'Text Position' from the output of Submit, or leave it empty.",
	);

/** The deadline has passed; `lastError` is the fault of the last look, if it had one. */
export const outOfTime = (seconds: number, status: string, lastError: unknown): ServiceFailure => {
	const last = lastError instanceof Error ? ` The last look failed: ${lastError.message}.` : '';
	const advice =
		status === 'SUBMITTED'
			? "The service goes on with it. Fetch the chunks with the operation Get Results and this chunking ID, or raise the option 'Max Wait'."
			: 'Its replies hold no chunks this node can read: take the output Raw of Get Results with this chunking ID to see them.';
	return failure(
		`not finished after ${count(seconds, 'second')} (status ${status})`,
		`${advice}${last}`,
	);
};

const quoted = (said: string): string => (said === '' ? '' : `, "${said}"`);
