import fc from 'fast-check';

import { growth, LINEAR } from '../support/timing';
import { rejection, type DocumentFailure } from '../../../nodes/shared/service/push/push-response';
import { documentAnswers } from './document-answers';

const document = (id: string, fields: object = {}) => ({ id, name: `Name ${id}`, ...fields });
const documents = [document('a'), document('b')];

const answersOf = (body: unknown, all = documents) =>
	documentAnswers(
		body,
		all.map((each) => ({ id: each.id, text: JSON.stringify(each) })),
	);
/** The IDs that count as pushed. */
const pushed = (body: unknown, all = documents) =>
	answersOf(body, all).flatMap(({ failure }, index) => (failure ? [] : [all[index]?.id]));
const failuresOf = (body: unknown, all = documents) =>
	answersOf(body, all).map(({ failure }) => failure);

describe('a rejection inside a 2xx response', () => {
	const accepted = [{ id: 'a', status: 201 }];
	const said = { words: 'too long' };

	test.each<[string, unknown, unknown]>([
		[
			'a list of errors beside the documents',
			{ documents: [{ id: 'a' }, { id: 'b' }], errors: [{ id: 'b', message: 'too long' }] },
			said,
		],
		[
			'a list of errors before the documents',
			{ errors: [{ id: 'b', message: 'too long' }], documents: [{ id: 'b' }] },
			said,
		],
		['errors alone', { accepted, errors: [{ id: 'b', reason: 'too long' }] }, said],
		[
			'failed documents',
			{ accepted, failedDocuments: [{ id: 'b', detail: 'too long' }] },
			said,
		],
		['rejected IDs', { accepted, rejected: ['b'] }, { words: '' }],
		['one rejected ID', { accepted, failed: 'b' }, { words: '' }],
		['a word under each ID', { a: 'ok', b: 'rejected' }, { words: 'rejected' }],
		['a status under each ID', { results: { a: 200, b: 500 } }, { words: '' }],
		['a flag under each ID', { results: { a: true, b: false } }, { words: '' }],
		['a code', [...accepted, { id: 'b', code: 409 }], { words: '', status: 409 }],
		['an HTTP status', [...accepted, { id: 'b', httpStatus: 409 }], { words: '', status: 409 }],
		['a state', [...accepted, { id: 'b', state: 'FAILED' }], { words: '' }],
		['a flag', [...accepted, { id: 'b', indexed: false }], { words: '' }],
		['documents that were not indexed', { accepted, notIndexed: ['b'] }, { words: '' }],
		['errors under the IDs', { accepted, errors: { b: 'too long' } }, said],
		[
			'errors under the IDs, as objects',
			{ accepted, errors: { b: { message: 'too long' } } },
			said,
		],
		[
			'results under the IDs',
			{ a: { status: 'ok' }, b: { status: 'error', message: 'too long' } },
			said,
		],
		[
			'errors deeper in the response',
			{ data: { response: { errors: [{ id: 'b', message: 'too long' }] } }, accepted },
			said,
		],
		[
			'an error around the document',
			{ accepted, errors: [{ document: { id: 'b', error: 'too long' } }] },
			said,
		],
		[
			'an ID listed twice, rejected first',
			[{ id: 'a' }, { id: 'b', error: 'too long' }, { id: 'b', status: 'ok' }],
			said,
		],
		[
			'an ID listed twice, rejected last',
			[{ id: 'a' }, { id: 'b', status: 201 }, { id: 'b', error: 'too long' }],
			said,
		],
		[
			'an entry for each action',
			{
				errors: true,
				items: [
					{ index: { _id: 'a', status: 201 } },
					{ index: { _id: 'b', status: 400, error: { reason: 'too long' } } },
				],
			},
			{ ...said, status: 400 },
		],
		[
			'a status as a number in text',
			[{ id: 'a' }, { id: 'b', status: '400', message: 'too long' }],
			{ ...said, status: 400 },
		],
		[
			'statusCode',
			[{ id: 'a' }, { id: 'b', statusCode: 422, message: 'too long' }],
			{ ...said, status: 422 },
		],
		['success: false', [{ id: 'a' }, { id: 'b', success: false, message: 'too long' }], said],
		['ok: false', [{ id: 'a' }, { id: 'b', ok: false, message: 'too long' }], said],
		['a list of errors of its own', [{ id: 'a' }, { id: 'b', errors: ['too long'] }], said],
		['the result', [{ id: 'a' }, { id: 'b', result: 'rejected', message: 'too long' }], said],
		['a documentId', [{ documentId: 'a' }, { documentId: 'b', error: 'too long' }], said],
		['a document_id', [{ document_id: 'a' }, { document_id: 'b', error: 'too long' }], said],
		['a docId', [{ docId: 'a' }, { docId: 'b', error: 'too long' }], said],
		['accepted: false', [{ id: 'a' }, { id: 'b', accepted: false }], { words: '' }],
		['pushed: false', [{ id: 'a' }, { id: 'b', pushed: false }], { words: '' }],
		['IDs beside documents', { documents: [{ id: 'a' }], rejected: ['b'] }, { words: '' }],
		['an error under the ID', { documents: [{ id: 'a' }], error: { b: 'too long' } }, said],
		[
			'an error object under the ID',
			{ documents: [{ id: 'a' }], error: { b: { message: 'too long' } } },
			said,
		],
		[
			'a list of documents within an object of errors with words of its own',
			{
				documents: [{ id: 'a' }],
				errors: { message: 'not all', list: [{ id: 'b', message: 'too long' }, null] },
			},
			said,
		],
		[
			'a code beside numbers that are no status',
			[{ id: 'a' }, { id: 'b', status: 0, httpStatus: 1000, code: 404, message: 'too long' }],
			{ ...said, status: 404 },
		],
		['the first of the failing statuses', { a: 399, b: 400 }, { words: '' }],
		['the last of the failing statuses', { a: 600, b: 599 }, { words: '' }],
	])('%s', (_, body, failure) => {
		expect(failuresOf(body)).toEqual([undefined, failure]);
	});

	test.each([
		'error',
		'ERROR',
		'errored',
		'failed',
		'Failure',
		'rejected',
		'invalid',
		' refused ',
		'denied',
	])('the status %j', (status) => {
		expect(
			pushed([
				{ id: 'a', status: 'created' },
				{ id: 'b', status },
			]),
		).toEqual(['a']);
	});

	test.each([
		'created',
		'updated',
		'ok',
		'indexed',
		'noop',
		'skipped',
		'200',
		'terror',
		'no error',
		'failed over',
		'1404',
		'4040',
	])('not the status %j', (status) => {
		expect(pushed([{ id: 'a' }, { id: 'b', status }])).toEqual(['a', 'b']);
	});

	test('a number as ID means the document with that text', () => {
		const numbered = [document('7'), document('8'), document('07')];
		const body = {
			errors: [{ id: 7, message: 'too long' }],
			documents: [
				{ id: 8, status: 201 },
				{ id: '07', status: 201 },
			],
		};
		expect(failuresOf(body, numbered)).toEqual([said, undefined, undefined]);
	});

	test('a list is read also if its name is the ID of a document', () => {
		const all = [document('errors'), document('b')];
		const body = { errors: [{ id: 'b', message: 'too long' }] };
		expect(failuresOf(body, all)).toEqual([undefined, said]);
	});

	test('of two rejections the one with words is kept', () => {
		expect(
			failuresOf([
				{ id: 'b', error: true },
				{ id: 'b', error: 'too long' },
			])[1],
		).toEqual(said);
		expect(
			failuresOf([
				{ id: 'b', error: 'too long' },
				{ id: 'b', error: true },
			])[1],
		).toEqual(said);
	});
});

describe('an error that names no document', () => {
	const unattributed = { words: 'too long', isUnattributed: true };

	test.each<[string, unknown]>([
		['an error of the whole response', { error: 'too long' }],
		['an error object', { error: { code: 7, message: 'too long' } }],
		['a status of the whole response', { status: 'error', message: 'too long' }],
		['success: false', { success: false, message: 'too long' }],
		[
			'a list of errors without IDs',
			{ documents: [{ id: 'a' }, { id: 'b' }], errors: [{ message: 'too long' }] },
		],
		['a list of texts', { errors: ['too long'] }],
		[
			'entries without IDs',
			{ results: [{ status: 201 }, { status: 400, message: 'too long' }] },
		],
		[
			'an ID of another notation',
			{ documents: [{ id: 'a' }], errors: [{ id: 'B', message: 'too long' }] },
		],
	])('leaves all documents open that are not called successful: %s', (_, body) => {
		expect(failuresOf(body)).toEqual([unattributed, unattributed]);
	});

	test('leaves those alone that are called successful', () => {
		const body = (status: object) => ({
			documents: [{ id: 'a', ...status }],
			errors: ['too long'],
		});
		for (const status of [
			{ status: 201 },
			{ status: 'created' },
			{ success: true },
			{ result: 'indexed' },
			{ status: 200 },
			{ status: 299 },
		]) {
			expect(failuresOf(body(status))).toEqual([undefined, unattributed]);
		}
		for (const status of [{ status: 199 }, { status: 300 }, { status: 'unknown' }]) {
			expect(failuresOf(body(status))).toEqual([unattributed, unattributed]);
		}
	});

	test.each(['failed', 'failures', 'rejected', 'errorCount', 'error_count', 'failureCount'])(
		'may be a count, as %s',
		(name) => {
			const words = `${name}: 7`;
			// Also where a document has the ID 7.
			expect(failuresOf({ [name]: 7 }, [document('7'), document('b')])).toEqual([
				{ words, isUnattributed: true },
				{ words, isUnattributed: true },
			]);
		},
	);

	test('is that of the document if there is only one', () => {
		expect(failuresOf({ error: 'too long' }, [document('a')])).toEqual([{ words: 'too long' }]);
	});

	test('an object of errors without words is one if its name says so', () => {
		expect(pushed({ error: { code: 7 } })).toEqual([]);
		expect(pushed({ errors: { count: 0, items: [] } })).toEqual(['a', 'b']);
	});

	test.each([
		[{ errors: [] }],
		[{ errors: {} }],
		[{ errors: null }],
		[{ error: '' }],
		[{ errors: 0, failed: 0, errorCount: 0 }],
		[{ errors: false, items: [{ index: { _id: 'a', status: 200 } }] }],
		[{ _shards: { total: 2, failed: 0, failures: [] } }],
		[{ status: 'ok', received: 2 }],
		[{ id: 'request-1', status: 200 }],
		[{ failedOverNodes: 2, failuresBefore: 1 }],
		[{ lastError: { at: 5 } }],
		[{ first: 'a', errorsBelow: {} }],
	])('%j is not one', (body) => {
		expect(pushed(body)).toEqual(['a', 'b']);
	});
});

describe('documents that a response repeats', () => {
	test.each<[string, object, object]>([
		['a status in another notation', { status: 404 }, { status: '404' }],
		['a status in another letter case', { status: 'Failed' }, { status: 'failed' }],
		['a list of errors', { errors: ['E1'] }, { errors: ['E1'] }],
		['success', { success: false }, { success: false }],
		['nothing', { error: null }, { error: null }],
	])('are not rejections: %s', (_, fields, echoed) => {
		const all = [document('a', fields), document('b')];
		expect(pushed([{ ...all[0], ...echoed }, all[1]], all)).toEqual(['a', 'b']);
	});

	test('below another of their members, if they are the same', () => {
		const all = [document('a', { related: [{ id: 'b', status: 'failed' }] }), document('b')];
		const results = all.map((each) => ({ id: each.id, status: 200, source: each }));
		expect(pushed({ results }, all)).toEqual(['a', 'b']);
	});

	test('with the members of what they contain in another order', () => {
		const error = { code: 7, at: [{ line: 1, column: 2 }, null] };
		const all = [document('a', { error, errors: [{ x: 1, y: 'Z' }] }), document('b')];
		const repeated = { errors: [{ y: 'Z', x: 1 }], error: { at: error.at, code: 7 } };
		expect(pushed([{ id: 'a', ...repeated }], all)).toEqual(['a', 'b']);
		for (const other of [
			{ errors: [{ y: 'Z', x: 2 }] },
			{ errors: [{ y: 'Z' }] },
			{ errors: [{ y: 'Z', x: 1, z: 0 }] },
			{ errors: { 0: { y: 'Z', x: 1 } } },
			{ error: 'toString' },
		]) {
			expect(pushed([{ id: 'a', ...other }], all)).toEqual(['b']);
		}
	});

	test.each([
		{ id: 'a', related: { id: 'b', status: 'rejected' } },
		{ id: 'a', results: [{ id: 'b', status: 500 }] },
		{ a: { status: 'ok', errors: { b: 'too long' } } },
		{ id: 'a', data: { id: 'a', inner: { b: 1, of: { id: 'b', error: 'too long' } } } },
	])('say nothing about others: %j', (body) => {
		expect(pushed(body)).toContain('b');
	});

	test('also if a document speaks of errors of another one', () => {
		const all = [document('a', { errors: [{ id: 'b', message: 'old' }] }), document('b')];
		expect(pushed({ documents: all }, all)).toEqual(['a', 'b']);
	});

	test('are rejections in a list of errors', () => {
		expect(pushed({ errors: documents })).toEqual([]);
	});

	test('are not rejections, whatever they contain', () => {
		const fields = fc.dictionary(
			fc.constantFrom('status', 'error', 'errors', 'result', 'success', 'ok', 'message'),
			fc.jsonValue(),
		);
		fc.assert(
			fc.property(fc.array(fields, { minLength: 1 }), (list) => {
				const all = list.map((each, index) => ({ ...each, id: `d${index}`, name: 'x' }));
				const body = JSON.parse(JSON.stringify({ took: 3, documents: all })) as unknown;
				expect(pushed(body, all)).toHaveLength(all.length);
			}),
			{ numRuns: 500 },
		);
	});
});

test('a rejection is found anywhere in a response, whatever else it says', () => {
	const rejection = fc.constantFrom<object>(
		{ id: 'b', error: 'no' },
		{ id: 'b', status: 400 },
		{ id: 'b', status: 'FAILED' },
	);
	const wrap = fc.constantFrom<(inner: unknown) => unknown>(
		(inner) => [inner],
		(inner) => ({ results: inner }),
		(inner) => ({ data: [inner], took: 3 }),
		(inner) => ({ documents: [{ id: 'a' }, { id: 'b' }], more: inner }),
	);
	fc.assert(
		fc.property(rejection, fc.array(wrap, { maxLength: 4 }), (entry, wraps) => {
			const body = wraps.reduce<unknown>((inner, outer) => outer(inner), entry);
			expect(pushed(body)).toEqual(['a']);
		}),
	);
});

/** A value below so many lists. */
const below = (levels: number, value: unknown): unknown =>
	Array.from({ length: levels }).reduce((inner) => [inner], value);

describe('what is deeper than 12 levels', () => {
	const rejected = { id: 'b', status: 400, message: 'too long' };

	test('is read up to there', () => {
		expect(failuresOf(below(11, rejected))).toEqual([
			undefined,
			{ words: 'too long', status: 400 },
		]);
	});

	test.each([
		['a list', below(12, rejected)],
		['a list of errors', { errors: below(11, rejected) }],
		['a list beside the documents', [{ id: 'a' }, { id: 'b' }, below(12, rejected)]],
	])('may reject any document: %s', (_case, body) => {
		expect(pushed(body)).toEqual([]);
		const [failure] = failuresOf(body);
		expect(rejection(failure as DocumentFailure, 'push').outcomeUnknown).toBe(true);
	});

	test('leaves those alone that the response calls successful', () => {
		const body = [{ id: 'a', status: 201 }, { id: 'b' }, below(12, rejected)];
		expect(failuresOf(body)).toEqual([undefined, { words: '', isUnread: true }]);
	});

	test('says nothing if there is nothing in it', () => {
		expect(pushed([below(11, {}), below(11, []), below(11, 'deep'), below(11, null)])).toEqual([
			'a',
			'b',
		]);
	});
});

test('a response nested 100,000 levels deep overflows nothing and accepts nothing it rejects', () => {
	let deep: unknown = 'deep';
	for (let level = 0; level < 100_000; level++)
		deep = level % 2 === 0 ? [deep] : { errors: deep };
	expect(pushed([deep, { id: 'a', status: 400, error: deep }, { id: 'b', status: 201 }])).toEqual(
		['b'],
	);
	const all = [document('a', { error: ['x'] }), document('b')];
	expect(
		pushed(
			[
				{ id: 'a', error: deep },
				{ id: 'b', status: 201 },
			],
			all,
		),
	).toEqual(['b']);
});

test.each([
	[
		'documents that come back whole',
		(index: number) => document(`d${index}`, { status: 404, text: 'x'.repeat(140) }),
		(all: Array<ReturnType<typeof document>>) => structuredClone(all),
	],
	[
		'answers',
		(index: number) => document(`d${index}`),
		(all: Array<ReturnType<typeof document>>) => all.map(({ id }) => ({ id, status: 201 })),
	],
])('the time to match %s grows with their number', (_case, documentOf, bodyOf) => {
	const input = (size: number) => {
		const all = Array.from({ length: size }, (_, index) => documentOf(index));
		return { all, body: bodyOf(all) };
	};
	const { all, body } = input(25_000);
	expect(pushed(body, all)).toHaveLength(25_000);
	const matched = growth(input, 50_000, (each) => answersOf(each.body, each.all));
	expect(matched).toBeLessThan(LINEAR);
});
