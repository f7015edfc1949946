/**
 * Tests each rule of docs/service-interface.md, Responses, through the nodes: from the response to what is said about
 * each document.
 */
import type { IDataObject } from 'n8n-workflow';

import { DeleteDocument } from '../../nodes/DeleteDocument/DeleteDocument.node';
import { MigrateBlobs } from '../../nodes/MigrateBlobs/MigrateBlobs.node';
import { PushDocuments } from '../../nodes/PushDocuments/PushDocuments.node';
import {
	type Action,
	deleteAction,
	MIGRATE_ACTION,
	pushAction,
} from '../../nodes/shared/service/outcome-messages';
import type { FaultRule } from '../../sandbox';
import { CONTINUE, jsonOf, useNodes } from '../../support/sandbox';
import { maybeDone, notDone } from '../../support/wording';

const { sandbox, runnerOf } = useNodes();
const push = runnerOf(new PushDocuments());
const remove = runnerOf(new DeleteDocument(), { documentId: '={{ $json.id }}' });
const migrate = runnerOf(new MigrateBlobs(), { confirm: true });

const named = (id: string, fields: IDataObject = {}): IDataObject => ({ id, name: id, ...fields });
const DOCUMENTS = ['a', 'b', '3'].map((id) => named(id));

const answer = (route: FaultRule['route'], body: unknown) =>
	sandbox().faults.add({
		route,
		status: 200,
		body: typeof body === 'string' ? body : JSON.stringify(body),
		times: 1,
	});

/** Returns `ok`, `failed`, or `?` if the item says that the outcome is unknown. */
function outcomeIn({ error, pushed, deleted }: IDataObject, action: Action): string {
	if (error === undefined) return pushed === true || deleted === true ? 'ok' : 'nothing';
	const message = String(error);
	if (message.endsWith(maybeDone(action))) return '?';
	return message.endsWith(notDone(action)) ? 'failed' : message;
}

const pushOutcomes = async (body: unknown, documents = DOCUMENTS) => {
	answer('push', body);
	const { output } = await push(documents, {}, CONTINUE);
	expect(sandbox().requests).toHaveLength(1);
	return jsonOf(output)
		.map((json, at) => outcomeIn(json, pushAction(String(documents[at]?.id))))
		.join(' ');
};

type Row = [body: unknown, outcomes: string, documents?: IDataObject[]];
const B_FAILED = 'ok failed ok';
const ALL_UNKNOWN = '? ? ?';
const ALL_OK = 'ok ok ok';

const ECHOED = { status: 422, statusCode: 500, success: false, ok: false, error: { code: 1 } };
const WITH_ECHO = [named('a'), named('b', ECHOED), named('3')];
const WITH_SUCCESS = [named('a'), named('b', { status: 200, ok: true }), named('3')];

const RULES: Record<string, Row[]> = {
	'1: a body that is not an object or a list is a success': [
		['', ALL_OK],
		['OK', ALL_OK],
		['error: true', ALL_OK],
		['"failed"', ALL_OK],
		['500', ALL_OK],
		['false', ALL_OK],
		['null', ALL_OK],
	],
	'2: empty values report nothing': [
		[{}, ALL_OK],
		[[], ALL_OK],
		[{ error: null, errorMessage: '', errors: false, failed: 0, rejected: '' }, ALL_OK],
		[{ errors: { count: 0, items: [[], {}] }, error: [null, { x: '' }] }, ALL_OK],
		[{ failed: [null, {}, { id: '' }] }, ALL_OK],
		[{ errors: [0, false, []] }, ALL_OK],
	],
	'3: entries are in a list, in the body, or in a list of the body': [
		[[{ id: 'b', ok: false }], B_FAILED],
		[{ id: 'b', ok: false }, '? failed ?'],
		...['results', 'items', 'documents', 'value', 'errors', 'failed', 'rejected'].map(
			(list): Row => [{ [list]: [{ id: 'b', ok: false }] }, B_FAILED],
		),
		[{ others: [{ id: 'b', ok: false }] }, ALL_OK],
		[{ body: { results: [{ id: 'b', ok: false }] } }, ALL_OK],
		[{ items: [{ index: { _id: 'b', status: 400 } }] }, B_FAILED],
		[{ items: [{ index: { _id: 'b', status: 400 }, took: 1 }] }, ALL_OK],
		[{ items: [{ error: { id: 'b', message: 'too long' } }] }, ALL_UNKNOWN],
	],
	'4: an entry names a document': [
		...['id', '_id', 'documentId', 'key'].map(
			(name): Row => [[{ [name]: 'b', ok: false }], B_FAILED],
		),
		[[{ name: 'b', ok: false }], ALL_UNKNOWN],
		[[{ id: 3, ok: false }], 'ok ok failed'],
		[[{ id: 'B', ok: false }], ALL_UNKNOWN],
		[[{ id: 'other', key: 'b', ok: false }], B_FAILED],
		...['errors', 'failed', 'rejected'].flatMap((list): Row[] => [
			[{ [list]: ['b'] }, B_FAILED],
			[{ [list]: [3] }, 'ok ok failed'],
		]),
		...['results', 'items', 'documents', 'value'].map(
			(list): Row => [{ [list]: ['b', 3] }, ALL_OK],
		),
	],
	'5: an echo is ignored': [
		[[WITH_ECHO[1]], ALL_OK, WITH_ECHO],
		[{ results: WITH_ECHO }, ALL_OK, WITH_ECHO],
		[WITH_ECHO[1], ALL_OK, WITH_ECHO],
		[{ items: [{ index: WITH_ECHO[1] }] }, ALL_OK, WITH_ECHO],
		[[{ ...WITH_ECHO[1], status: 400 }], B_FAILED, WITH_ECHO],
		[[{ ...WITH_ECHO[1], error: { code: 2 } }], B_FAILED, WITH_ECHO],
		[[{ ...WITH_ECHO[1], errorMessage: 'x' }], B_FAILED, WITH_ECHO],
		// The fields are only an echo in the entry of the same document.
		[[{ ...ECHOED, id: 'a' }], 'failed ok ok', WITH_ECHO],
		[ECHOED, ALL_UNKNOWN, WITH_ECHO],
		[{ rejected: [WITH_ECHO[1]] }, B_FAILED, WITH_ECHO],
	],
	'6: signs of a failure': [
		...['success', 'ok', 'acknowledged', 'status'].map(
			(name): Row => [[{ id: 'b', [name]: false }], B_FAILED],
		),
		...['status', 'statusCode'].flatMap((name): Row[] => [
			[[{ id: 'b', [name]: 400 }], B_FAILED],
			[[{ id: 'b', [name]: 503 }], B_FAILED],
			[[{ id: 'b', [name]: 399 }], ALL_OK],
			[[{ id: 'b', [name]: '400' }], ALL_OK],
		]),
		...['error', 'errorMessage'].flatMap((name): Row[] => [
			[[{ id: 'b', [name]: 'x' }], B_FAILED],
			[[{ id: 'b', [name]: { code: 1 } }], B_FAILED],
		]),
		[[{ id: 'b', message: 'failed', code: 500, created: false }], ALL_OK],
	],
	'7: a failed document stays failed': [
		[{ errors: [{ id: 'b' }], results: [{ id: 'b', status: 201 }] }, B_FAILED],
		[{ results: [{ id: 'b', ok: false }], documents: [{ id: 'b', ok: true }] }, B_FAILED],
		[{ results: [{ id: 'b', ok: true }], documents: [{ id: 'b', ok: false }] }, B_FAILED],
		[{ success: true, rejected: ['b'] }, B_FAILED],
	],
	'8: complaints': [
		[[{ ok: false }], ALL_UNKNOWN],
		[{ results: [{ id: 'c', status: 400 }] }, ALL_UNKNOWN],
		[{ errors: ['too long'] }, ALL_UNKNOWN],
		[{ success: false }, ALL_UNKNOWN],
		[{ status: 500 }, ALL_UNKNOWN],
		[{ error: 'read-only' }, ALL_UNKNOWN],
		...['errors', 'failed', 'rejected'].flatMap((name): Row[] => [
			[{ [name]: true }, ALL_UNKNOWN],
			[{ [name]: 1 }, ALL_UNKNOWN],
			[{ [name]: 'some' }, ALL_UNKNOWN],
			[{ [name]: { reason: 'some' } }, ALL_UNKNOWN],
			[{ [name]: true, items: [{ id: 'b', ok: false }] }, B_FAILED],
			[{ [name]: 1, items: [{ id: 'b', ok: false }] }, B_FAILED],
			[{ [name]: 2, items: [{ id: 'b', ok: false }] }, '? failed ?'],
			[{ [name]: 'some', items: [{ id: 'b', ok: false }] }, '? failed ?'],
		]),
		// A flag is not matched by a rejection that is only an echo.
		[{ errors: true, results: [WITH_ECHO[1]] }, ALL_UNKNOWN, WITH_ECHO],
	],
	'9: after a complaint, only named successes are successes': [
		[{ success: false, results: [{ id: 'b', status: 200 }] }, '? ok ?'],
		[{ success: false, results: [{ id: 'b', statusCode: 299 }] }, '? ok ?'],
		[{ success: false, results: [{ id: 'b', status: 199 }] }, ALL_UNKNOWN],
		[{ success: false, results: [{ id: 'b', status: 300 }] }, ALL_UNKNOWN],
		[{ success: false, results: [{ id: 'b', status: '200' }] }, ALL_UNKNOWN],
		[{ success: false, results: [{ id: 'b' }] }, ALL_UNKNOWN],
		...['success', 'ok', 'acknowledged', 'status'].map(
			(name): Row => [{ error: 'x', results: [{ id: 'b', [name]: true }] }, '? ok ?'],
		),
		[
			{
				failed: 2,
				items: [
					{ id: 'a', ok: true },
					{ id: 'b', ok: false },
				],
			},
			'ok failed ?',
		],
		// A success that is only an echo says nothing.
		[{ success: false, results: [WITH_SUCCESS[1]] }, ALL_UNKNOWN, WITH_SUCCESS],
		[
			{ success: false, results: [{ ...WITH_SUCCESS[1], status: 201 }] },
			'? ok ?',
			WITH_SUCCESS,
		],
		[{ errors: [{ ok: false }, WITH_SUCCESS[0]] }, 'failed ? ?', WITH_SUCCESS],
		// A failure that is only an echo does not reject the document.
		[{ success: false, results: [WITH_ECHO[1]] }, ALL_UNKNOWN, WITH_ECHO],
		[{ success: false, results: [{ ...WITH_ECHO[1], ok: true }] }, '? ok ?', WITH_ECHO],
		[{ success: false, results: [{ ...WITH_ECHO[1], status: 400 }] }, '? failed ?', WITH_ECHO],
	],
	'10: everything else is a success': [
		[{ message: '3 documents failed' }, ALL_OK],
		[{ responseHeader: { status: 500 } }, ALL_OK],
		[{ b: { ok: false } }, ALL_OK],
		[{ status: 'accepted', warnings: ['b'] }, ALL_OK],
	],
};

describe.each(Object.entries(RULES))('rule %s', (_rule, rows) => {
	const complete = rows.map(
		([body, outcomes, documents = DOCUMENTS]) => [body, outcomes, documents] as const,
	);
	it.each(complete)('a push with the response %j: %s', async (body, outcomes, documents) => {
		expect(await pushOutcomes(body, documents)).toBe(outcomes);
	});
});

it('each document has its own entry of the response, or the whole response', async () => {
	const body = { took: 3, items: [{ id: 'b', version: 2 }] };
	answer('push', body);
	const { output } = await push(DOCUMENTS);
	expect(jsonOf(output).map(({ response }) => response)).toEqual([
		body,
		{ id: 'b', version: 2 },
		body,
	]);
});

const EACH_ROAD: Array<[body: unknown, ofDelete: string, ofMigration: string]> = [
	['failed', 'ok', 'ok'],
	[{ errors: { count: 0 } }, 'ok', 'ok'],
	[{ items: [{ delete: { _id: 'a', status: 400 } }] }, 'failed', '?'],
	[{ failed: ['a'] }, 'failed', '?'],
	[{ failed: [1], id: 'a' }, '?', '?'],
	[{ results: [{ id: 'a', ok: true }], errors: [{ id: 'a' }] }, 'failed', '?'],
	[{ acknowledged: false }, '?', '?'],
	[{ id: 'a', errorMessage: 'locked' }, 'failed', '?'],
	[{ failed: 1, items: [{ id: 'a', ok: false }] }, 'failed', '?'],
	[{ failed: 1, items: [{ id: 'a', ok: true }] }, 'ok', '?'],
	[{ message: 'failed' }, 'ok', 'ok'],
];

it.each(EACH_ROAD)('a delete with the response %j: %s', async (body, outcome) => {
	answer('delete', body);
	const { output } = await remove([{ id: 'a' }], {}, CONTINUE);
	expect(sandbox().requests).toHaveLength(1);
	expect(outcomeIn(output[0]?.json ?? {}, deleteAction('a'))).toBe(outcome);
});

it.each(EACH_ROAD)('a migration with the response %j', async (body, _ofDelete, outcome) => {
	answer('convert', body);
	const { output } = await migrate([{}], {}, CONTINUE);
	expect(sandbox().requests).toHaveLength(1);
	const error = String(output[0]?.json.error ?? '');
	expect(error === '' ? 'ok' : error.includes(maybeDone(MIGRATE_ACTION)) ? '?' : error).toBe(
		outcome,
	);
});
