import fc from 'fast-check';

import { ServiceFailure, type FailureDetails } from '../../../nodes/shared/service/failure';
import { InputError } from '../../../nodes/shared/service/input-error';
import {
	deleteAction,
	MIGRATE_ACTION,
	outcomeMessage,
	pushAction,
	submitAction,
	type Action,
} from '../../../nodes/shared/service/outcome-messages';
import { quoted } from '../../../nodes/shared/service/strings';
import { anyText } from '../support/text';

const failure = (message: string, details: FailureDetails) => new ServiceFailure(message, details);
const refused = failure('The push service could not be reached: the connection was refused', {
	kind: 'transport',
	code: 'ECONNREFUSED',
	wasNeverSent: true,
});
const lost = failure('the connection was closed before the service answered', {
	kind: 'transport',
	code: 'ECONNRESET',
});

describe('outcomeMessage', () => {
	test.each<[string, Action, unknown, string]>([
		[
			'a document that never left',
			pushAction('a1'),
			refused,
			"The push service could not be reached: the connection was refused, so document 'a1' was not pushed",
		],
		[
			'a document that may have arrived',
			pushAction('a1'),
			lost,
			"The connection was closed before the service answered, so it is unknown whether document 'a1' was pushed. Pushing it again is safe.",
		],
		[
			'a document the service refused',
			pushAction('a1'),
			failure('The push service answered with status 400, "No name."', {
				kind: 'status',
				status: 400,
			}),
			`The push service answered with status 400, "No name.". Document 'a1' was not pushed`,
		],
		[
			'a document that may be deleted',
			deleteAction('a1'),
			failure('The push service answered with status 503', { kind: 'status', status: 503 }),
			"The push service answered with status 503, so it is unknown whether document 'a1' was deleted. Deleting it again is safe. If it no longer exists, the service may answer with status 404.",
		],
		[
			'a text that may be submitted',
			submitAction(),
			failure('The response is not a valid chunking response', { kind: 'response' }),
			'The response is not a valid chunking response, so it is unknown whether the text was submitted. Submitting it again is safe. At worst, it is chunked twice.',
		],
		[
			'a text of a document that was not submitted',
			submitAction('a1'),
			refused,
			"The push service could not be reached: the connection was refused, so the text of document 'a1' was not submitted",
		],
		[
			'manifests that may be migrated',
			MIGRATE_ACTION,
			lost,
			'The connection was closed before the service answered, so it is unknown whether the blob manifests were migrated. The migration may still be running, so check the service before you start it again.',
		],
		[
			'manifests that are not migrated',
			MIGRATE_ACTION,
			refused,
			'The push service could not be reached: the connection was refused, so the blob manifests were not migrated',
		],
		[
			'input that is bad',
			pushAction('a1'),
			new InputError('The document has 7 bytes, more than 5', 'Shorten it.'),
			"The document has 7 bytes, more than 5, so document 'a1' was not pushed",
		],
		[
			'several sentences',
			pushAction('a1'),
			new Error('Domain not allowed. Ask your administrator.'),
			"Domain not allowed. Ask your administrator. Document 'a1' was not pushed",
		],
		['no words at all', pushAction('a1'), new Error(''), "Document 'a1' was not pushed"],
		['what is no error', pushAction('a1'), 'gone', "Gone, so document 'a1' was not pushed"],
	])('%s', (_, action, error, message) => {
		expect(outcomeMessage(action, error)).toBe(message);
	});

	test('an entry that was never attempted is known not to have taken effect', () => {
		const message = outcomeMessage(pushAction('a1'), lost, true);
		expect(message).toBe(
			"The connection was closed before the service answered, so document 'a1' was not pushed",
		);
	});

	test('an earlier attempt that may have taken effect leaves the outcome unknown', () => {
		const later = refused.with({ isOutcomeUnknown: true });
		const message = outcomeMessage(pushAction('a1'), later);
		expect(message).toContain("it is unknown whether document 'a1' was pushed");
	});

	test('never says "not" if the action may have happened, and always contains the ID', () => {
		const details = fc.record<FailureDetails>({
			kind: fc.constantFrom('status', 'transport', 'token', 'response', 'rejected'),
			status: fc.integer({ min: 100, max: 599 }),
			code: fc.constantFrom('ECONNREFUSED', 'ECONNRESET'),
			wasNeverSent: fc.boolean(),
		});
		fc.assert(
			fc.property(details, fc.string(), (any, id) => {
				const error = failure('Reason', any);
				const message = outcomeMessage(pushAction(id), error);
				expect(message.includes('was not pushed')).toBe(!error.isOutcomeUnknown);
				expect(message.includes('it is unknown whether')).toBe(error.isOutcomeUnknown);
				expect(message).toContain(quoted(id));
			}),
		);
	});
});

describe('quoted', () => {
	test.each([
		['a1', "'a1'"],
		['a\nb', "'a�b'"],
		['\ud83d', "'�'"],
		['x'.repeat(201), `'${'x'.repeat(200)}…'`],
		['x'.repeat(200), `'${'x'.repeat(200)}'`],
	])('%j', (id, shown) => {
		expect(quoted(id)).toBe(shown);
	});

	test('is one line of valid Unicode, whatever the ID', () => {
		fc.assert(
			fc.property(anyText, (id) => {
				expect(quoted(id)).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}\p{Cs}]/u);
			}),
		);
	});
});
