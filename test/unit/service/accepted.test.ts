import fc from 'fast-check';

import { documentOutcomes, type DocumentOutcome } from '../../../nodes/shared/service/accepted';

type Fields = Record<string, unknown>;
const document = (id: string, fields: Fields = {}): Fields => ({
	id,
	name: `Name ${id}`,
	...fields,
});
const documents = [document('a'), document('b')];

const answers = (body: unknown, all = documents): Array<Partial<DocumentOutcome>> => {
	const sent = all.map((each) => ({ id: String(each.id), text: JSON.stringify(each) }));
	const found = documentOutcomes(body, sent, 'push');
	return sent.map(({ id }) => found.get(id) ?? {});
};

/** Returns each document's outcome: `ok`, `failed`, or `?` if the outcome is unknown. */
const outcomes = (body: unknown, all = documents): string =>
	answers(body, all)
		.map(({ failure }) => (failure ? (failure.isOutcomeUnknown ? '?' : 'failed') : 'ok'))
		.join(' ');

function failureOf(id: string, body: unknown) {
	const { failure } = answers(body)[documents.findIndex((each) => each.id === id)] ?? {};
	if (failure === undefined) throw new Error('It was accepted');
	const { serviceWords, httpStatus, isOutcomeUnknown } = failure;
	const status = httpStatus === undefined ? {} : { status: httpStatus };
	return { isUnknown: isOutcomeUnknown, words: serviceWords, ...status };
}

/** Documents with fields that a failure response could also contain. */
const telling = [
	document('a', { status: 422, error: 'E42', success: false }),
	document('b', { failed: 3, errors: ['x'], statusCode: 500, errorMessage: { code: 1 } }),
];

describe('a 2xx response', () => {
	it.each<[unknown, Fields[]] | [unknown]>([
		[undefined],
		[null],
		[''],
		['OK'],
		[[]],
		[{}],
		[{ responseHeader: { status: 0, QTime: 12 } }],
		[{ success: true, count: 500, failed: 0, errors: [] }],
		[{ error: null }],
		[{ error: '', code: 0 }],
		[{ error: {} }],
		[{ errors: false }],
		[{ errors: { count: 0, items: [] } }],
		[{ message: '0 errors, 500 documents indexed' }],
		['Indexed 2 previously failed documents'],
		[{ message: 'Document not updated: unchanged' }],
		[{ message: 'not indexed yet, queued' }],
		[{ status: 'accepted', warnings: ['1 field refused by schema'] }],
		[{ errorPolicy: { detail: 'none' } }],
		[{ droppedFields: ['x'] }],
		[{ id: 'request-1', status: 200 }],
		[{ results: [{ id: 'a', status: '404' }] }],
		[{ errors: false, items: [{ index: { _id: 'a', status: 200 } }] }],
		[['a', null, 7]],
		// The response repeats the documents.
		[telling, telling],
		[{ documents: telling }, telling],
		[{ results: telling.map((each) => ({ ...each, status: 201 })) }, telling],
		[telling[1], [telling[1]]],
	])('%j accepts all documents', (...[body, all]: [unknown, Fields[]?]) => {
		expect(outcomes(body, all)).toMatch(/^ok( ok)?$/);
	});

	it.each<[unknown, { words: string; status?: number }]>([
		[
			{
				errors: true,
				items: [
					{ index: { _id: 'a', status: 201 } },
					{ index: { _id: 'b', status: 400, error: { reason: 'too long' } } },
				],
			},
			{ words: 'too long', status: 400 },
		],
		[
			{ results: [{ id: 'b', status: 422, error: 'too long' }] },
			{ words: 'too long', status: 422 },
		],
		[[{ id: 'a' }, { id: 'b', error: 'too long' }], { words: 'too long' }],
		[{ errors: [{ id: 'b', message: 'too long' }] }, { words: 'too long' }],
		[{ failed: ['b'] }, { words: 'b' }],
		[{ rejected: [{ id: 'b' }], documents: [{ id: 'b', status: 201 }] }, { words: '' }],
		[{ value: [{ key: 'b', status: false, errorMessage: 'too long' }] }, { words: 'too long' }],
		[[{ documentId: 'b', ok: false }], { words: '' }],
		[[{ id: 'request', _id: 'b', acknowledged: false }], { words: '' }],
		[
			{ failed: 1, items: [{ id: 'b', statusCode: 500 }] },
			{ words: '', status: 500 },
		],
	])('%j fails the document that it names', (body, expected) => {
		expect(outcomes(body)).toBe('ok failed');
		expect(failureOf('b', body)).toEqual({ isUnknown: false, ...expected });
	});

	it.each<[unknown, string]>([
		[{ success: false, message: 'disk full' }, 'disk full'],
		[{ error: 'index is read-only' }, 'index is read-only'],
		[{ failed: 3 }, 'failed: 3'],
		[
			{ failed: 2, results: [{ id: 'c', status: 400, message: 'too long' }] },
			'too long; failed: 2',
		],
		[{ errors: true }, 'errors: true'],
		[{ errors: 'not all' }, 'errors: not all'],
		[{ errors: { message: 'not all' } }, 'not all'],
		[{ errors: ['too long'] }, 'too long'],
		[{ responseHeader: { status: 400 }, error: { msg: 'no such field' } }, 'no such field'],
		[{ documents: [{ id: 'a' }, { id: 'b' }], rejected: ['c'] }, 'c'],
		[{ results: [{ error: { message: 'too long' } }] }, 'too long'],
		[{ success: false }, ''],
		[{ acknowledged: false }, ''],
		[[{ ok: false }], ''],
		[{ success: true, errors: [{ message: 'too long' }] }, 'too long'],
		[{ status: 200, failed: 1 }, 'failed: 1'],
	])('%j leaves the outcome of the documents unknown', (body, words) => {
		expect(outcomes(body)).toBe('? ?');
		expect(failureOf('a', body)).toEqual({ isUnknown: true, words });
	});

	it('that reports failures accepts the document that its body names', () => {
		const body = { id: 'a', status: 201, errors: [{ message: 'too long' }] };
		expect(outcomes(body)).toBe('ok ?');
	});

	it('counts as an echo regardless of the order of its members, but not if a list differs', () => {
		const error = { code: 1, details: [{ at: 'x', n: [1, 2] }] };
		const all = [document('a', { error })];
		const echo = { details: [{ n: [1, 2], at: 'x' }], code: 1 };
		expect(outcomes([{ id: 'a', error: echo }], all)).toBe('ok');
		expect(outcomes({ name: 'Name a', error: echo, id: 'a' }, all)).toBe('ok');
		const other = { details: [{ n: [2, 1], at: 'x' }], code: 1 };
		expect(outcomes([{ id: 'a', error: other }], all)).toBe('failed');
	});

	it('fails a document with a field of the same name, which has another value there', () => {
		const all = [document('a'), document('b', { status: 'draft', title: 'Mine' })];
		const body = { results: [{ id: 'b', title: 'Mine', status: 422, error: 'too long' }] };
		expect(outcomes(body, all)).toBe('ok failed');
		const { failure } = answers(body, all)[1] ?? {};
		expect(failure?.message).toBe(
			'The push service rejected the document with status 422, "too long"',
		);
	});

	it('compares IDs as text', () => {
		const all = ['7', '07'].map((id) => document(id));
		expect(outcomes({ failed: [7] }, all)).toBe('failed ok');
		expect(outcomes([{ id: 7, ok: false }], all)).toBe('failed ok');
		expect(outcomes({ failed: [null] }, [document('null')])).toBe('ok');
	});

	it('always contains an answer for each document, except without a body', () => {
		fc.assert(
			fc.property(fc.jsonValue(), (body) => {
				const hasBody = body !== null && body !== '';
				const found = documentOutcomes(body, [{ id: 'a' }, { id: 'b' }], 'push');
				expect([...found.keys()]).toEqual(hasBody ? ['a', 'b'] : []);
			}),
		);
	});
});
