/**
 * Lists every Chunk Text failure message with its advice. If you change a message, run `npx jest
 * test/unit/n8n/chunk-failures -u`, and then read the diff of the snapshot.
 */
import * as failures from '../../../nodes/ChunkText/jobs/job-errors';
import { InputError } from '../../../nodes/shared/service/input-error';
import { ServiceFailure } from '../../../nodes/shared/service/failure';

const {
	alreadyRetrieved,
	countMismatch,
	documentMissing,
	jobFailed,
	jobMessage,
	noChunkingId,
	noChunks,
	noSuchText,
	notAChunkingResponse,
	outOfTime,
	positionMissing,
	unreadableResults,
	vectorMismatch,
} = failures;

const ALL: Array<ServiceFailure | InputError> = [
	noChunkingId('Hello'),
	notAChunkingResponse(true),
	notAChunkingResponse(false),
	vectorMismatch({ vectors: 2, chunks: 1 }),
	jobFailed('ERROR', 'Out of memory', 1),
	jobFailed('ERROR', '', 3),
	alreadyRetrieved(true),
	alreadyRetrieved(false),
	unreadableResults('READY'),
	countMismatch(2, 1),
	countMismatch(1, 3),
	noChunks('Overloaded'),
	noSuchText(4, 1),
	positionMissing(3),
	documentMissing(),
	outOfTime(1, 'SUBMITTED', undefined),
	outOfTime(300, 'SUBMITTED', new Error('No connection')),
];

it('each failure says what happened, and what to do', () => {
	const all = ALL.map(({ message, description }) => `${message}\n    ${description}`).join('\n');
	expect(all).toMatchInlineSnapshot(`
		"The AI service returned no chunking ID, "Hello"
		    Check 'AI Service URL' in the credential, because another server may have answered.
		The response from the AI service is not a valid JSON object
		    Check whether a proxy cuts off large responses, then submit the text again. With 'On Error' set to 'Continue', the failed item contains the response.
		The response from the AI service is not a valid chunking response
		    Check 'AI Service URL' in the credential and the option 'Results Path'.
		The AI service returned 2 vectors for 1 chunk, so it is unknown which belongs to which
		    If submitting the text again does not help, set 'Vectors' to 'None' to get the chunks without them. With 'On Error' set to 'Continue', the failed item contains the response.
		The AI service reported ERROR, "Out of memory"
		    Check the text, the model, the chunker and its settings, such as 'Regex', then submit the text again.
		The AI service reported ERROR for a request with 3 texts, any of which may be the cause
		    If all texts fail, check the model, the chunker and its settings, such as 'Regex'. To find out which text fails, submit them with 'Texts per Request' set to 1.
		The chunks were already retrieved, and the AI service does not return them again
		    Submit the text again. With 'On Error' set to 'Continue', the failed item contains the response.
		The chunks were already retrieved, and the AI service does not return them again
		    Use the output of the run that retrieved them, or submit the text again.
		The AI service reported READY, but this node cannot read the results
		    Check 'AI Service URL' in the credential and the option 'Results Path'. With 'On Error' set to 'Continue', the failed item contains the response.
		The AI service returned 2 results for 1 text, so it is unknown which belongs to which
		    Submit the text again. With 'On Error' set to 'Continue', the failed item contains the response.
		The AI service returned 1 result for 3 texts, so it is unknown which belongs to which
		    Submit the texts with 'Texts per Request' set to 1. With 'On Error' set to 'Continue', the first failed item of the request contains the response.
		The AI service returned no readable chunks for the text, "Overloaded"
		    Submit the text again. With 'On Error' set to 'Continue', the failed item contains the response.
		'Text Position' is 4, but the request has 1 text (0)
		    Use the field 'textPosition' that 'Submit' returns. It can be empty if the request has one text.
		The request has 3 texts, but the item does not say which one it is
		    Use the field 'textPosition' that 'Submit' and failed items return. With 'On Error' set to 'Continue', the first failed item of the request contains the response.
		The item has no document for this text in its field 'documents'
		    Use 'documents', 'textsInRequest' and 'textPosition' exactly as 'Submit' and failed items return them, or set 'Output' to 'One Item per Chunk'. With 'On Error' set to 'Continue', the first failed item of the request contains the response.
		The chunks were not ready after 1 second (status SUBMITTED)
		    The service may still be working on them. Fetch the chunks with the operation 'Get Results' and this chunking ID, or increase 'Max Wait (Seconds)'.
		The chunks were not ready after 300 seconds (status SUBMITTED). The final poll failed: No connection
		    The service may still be working on them. Fetch the chunks with the operation 'Get Results' and this chunking ID, or increase 'Max Wait (Seconds)'."
	`);
});

it.each([
	[
		'job-12345678',
		'Out of job-12345678',
		'"Out of …": the AI service reported ERROR (chunking ID job-12345678)',
	],
	// A job's ID is usually removed from the service's message. However, a short ID may be an ordinary word in the
	// message, so a short ID is not removed.
	['of', 'Out of memory', '"Out of memory": the AI service reported ERROR (chunking ID of)'],
])('the message of a job has its ID once, at the end: %s', (id, words, message) => {
	expect(jobMessage(jobFailed('ERROR', words, 1), id)).toBe(message);
});

it('the outcome is unknown only after failures after which the service may still be working', () => {
	const open = ALL.filter(
		(failure) => failure instanceof ServiceFailure && failure.isOutcomeUnknown,
	);
	expect(open).not.toContain(ALL[4]);
	expect(open).toContain(ALL[0]);
});
