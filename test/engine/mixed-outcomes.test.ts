/**
 * Tests runs in which each kind of outcome occurs. Each entry must have exactly one outcome, and the items, the summary,
 * the hints and the log must agree.
 *
 * @jest-environment node
 */
import { captured } from '../../support/log-capture';
import type { IDataObject, INodeExecutionData, OnError } from 'n8n-workflow';

import { DeleteDocument } from '../../nodes/DeleteDocument/DeleteDocument.node';
import { PushDocuments } from '../../nodes/PushDocuments/PushDocuments.node';
import { deleteAction, pushAction } from '../../nodes/shared/service/outcome-messages';
import type { FaultRule } from '../../sandbox';
import { useFiles } from '../../support/binary-data';
import { useChunkText } from '../../support/chunking';
import { sandboxCredentials } from '../../support/credentials';
import type { RunResult } from '../../support/engine';
import { hintsOf, jsonOf, nodeRunner } from '../../support/sandbox';
import { push as pushDirectly } from '../../support/sandbox-client';
import { maybeDone, notDone } from '../../support/wording';

const { sandbox, chunk, fault } = useChunkText();
const files = useFiles();
const credentials = () => sandboxCredentials(sandbox());
const push = nodeRunner(new PushDocuments(), credentials);
const remove = nodeRunner(new DeleteDocument(), credentials);
beforeEach(() => (captured.length = 0));

type Kind =
	| 'done'
	| 'rejected'
	| 'failed'
	| 'unknown'
	| 'notFound'
	| 'invalid'
	| 'blank'
	/** The run ends because of this entry. */
	| 'ending'
	/** The run ends before this entry is sent. */
	| 'skipped';
type End = 'to the end' | 'until a key is refused';

const ENDS: End[] = ['to the end', 'until a key is refused'];
const CONTINUES: OnError[] = ['continueRegularOutput', 'continueErrorOutput'];

/** The kinds of entries in a run. Push requests contain two documents, so the kinds come in pairs. */
const KINDS: Kind[] = [
	...(['done', 'done', 'rejected', 'done', 'failed', 'done', 'unknown', 'unknown'] as const),
	...(['invalid', 'blank', 'ending', 'ending', 'skipped', 'skipped'] as const),
];
const idOf = (kind: Kind, at: number) => `${kind}-${at}`;
const documentOf = (kind: Kind, at: number): IDataObject =>
	kind === 'blank'
		? { id: '', name: ' ' }
		: kind === 'invalid'
			? { name: 'no ID' }
			: { id: idOf(kind, at), name: 'N', text: 'One.\nTwo.' };

/** Returns the outcome of an entry of this kind. */
const outcomeOf = (kind: Kind, end: End): Kind =>
	end === 'to the end' && (kind === 'ending' || kind === 'skipped') ? 'done' : kind;
const STATUS: Partial<Record<Kind, number>> = {
	...{ rejected: 422, failed: 400, notFound: 404, ending: 401, skipped: 401 },
};

const countOf = (outcomes: Kind[], ...kinds: Kind[]) =>
	outcomes.filter((kind) => kinds.includes(kind)).length;
const isFailure = (outcome: Kind) => !['done', 'notFound', 'blank'].includes(outcome);

function addPushFaults(end: End): void {
	const body = JSON.stringify({ items: [{ id: idOf('rejected', 2), status: 422 }] });
	fault('push', { whenBodyContains: '"rejected-', status: 200, body });
	fault('push', { whenBodyContains: '"failed-', status: 400 });
	fault('push', { whenBodyContains: '"unknown-', html: true });
	if (end !== 'to the end') fault('push', { whenBodyContains: '"ending-', status: 401 });
}

/** Returns the figures in the last line that the node wrote to n8n's log. */
function logged(): { done: number; failed: number } {
	const lines = captured.filter((line) => /\d+ succeeded, \d+ failed/.test(line));
	const [, done, failed] = /(\d+) succeeded, (\d+) failed/.exec(lines.at(-1) ?? '') ?? [];
	return { done: Number(done), failed: Number(failed) };
}
const tracedRecords = ({ taskData }: RunResult) => taskData?.metadata?.tracing?.records;

const pairsOf = ({ pairedItem }: INodeExecutionData): number[] =>
	[pairedItem as { item: number } | Array<{ item: number }>].flat().map(({ item }) => item);

/** Checks that an error item says what is known about an entry with this outcome. */
function expectError(json: IDataObject, outcome: Kind, action: Parameters<typeof notDone>[0]) {
	const words = outcome === 'unknown' ? maybeDone(action) : notDone(action);
	const status = STATUS[outcome] ?? (outcome === 'unknown' ? undefined : json.httpStatus);
	expect([outcome, json.httpStatus, json.error]).toEqual([
		outcome,
		status,
		outcome === 'invalid' ? expect.any(String) : expect.stringContaining(words),
	]);
}

function expectOutputs(result: RunResult, onError: OnError): INodeExecutionData[] {
	const { output, errorOutput, status } = result;
	expect(status).toBe('success');
	const failed = [...output, ...errorOutput].filter(({ json }) => 'error' in json);
	const expected = onError === 'continueErrorOutput' ? failed : [];
	expect(errorOutput).toEqual(expected);
	return failed;
}

describe.each(ENDS)('Push Documents %s', (end) => {
	const outcomes = KINDS.map((kind) => outcomeOf(kind, end));
	const done = countOf(outcomes, 'done');
	const failures = outcomes.filter(isFailure).length;
	const options = { documentsPerRequest: 2, concurrency: 1 };
	const documents = KINDS.map(documentOf);

	describe.each(CONTINUES)('with On Error %s', (onError) => {
		it.each(['perDocument', 'summary'])('and the output %s', async (output) => {
			addPushFaults(end);
			const result = await push(documents, { options: { ...options, output } }, { onError });
			const failed = expectOutputs(result, onError);
			const others = result.output.filter(({ json }) => !('error' in json));
			const seen = [...failed, ...others].flatMap(pairsOf).sort((a, b) => a - b);
			const isSummary = output === 'summary';
			const shown = outcomes.flatMap((kind, at) =>
				kind === 'blank' && !isSummary ? [] : [at],
			);
			expect(seen).toEqual(shown);
			for (const item of failed) {
				const [at = 0] = pairsOf(item);
				expectError(item.json, outcomes[at] ?? 'done', pushAction(String(item.json.id)));
			}
			if (isSummary)
				expect(jsonOf(others)).toEqual([
					expect.objectContaining({ documents: done, failures, blank: 1 }),
				]);
			else
				for (const item of others) {
					expect(pairsOf(item).map((at) => outcomes[at])).toEqual(['done']);
					expect(item.json).toMatchObject({ pushed: true });
				}
			expect(failed).toHaveLength(failures);
			expect(hintsOf(result)).toContainEqual(
				expect.stringMatching(`^${failures} of ${done + failures} documents failed\\.`),
			);
			expect(hintsOf(result)).toContain('1 blank row skipped');
			expect(logged()).toEqual({ done, failed: failures });
			expect(tracedRecords(result)).toBe(done);
		});

		it('from a file', async () => {
			addPushFaults(end);
			const lines = documents.map((document) => JSON.stringify(document));
			const file = await files.item(['{"a":', ...lines].join('\n'), 'd.jsonl');
			const result = await push(
				[file],
				{ documentSource: 'file', options: { ...options, skipRecords: 0 } },
				{ onError },
			);
			const [item, ...others] = [...result.output, ...result.errorOutput];
			expect(others).toEqual([]);
			const json = item?.json ?? {};
			const unreadable = 1;
			const isEnded = end !== 'to the end';
			// A blank record is a record without an ID.
			const unsent = countOf(outcomes, 'skipped');
			const failed = failures + unreadable + countOf(outcomes, 'blank') - unsent;
			const { records, skipped } = json as Record<string, number>;
			expect(json).toMatchObject({ pushed: done, failed, skipped: records - done - failed });
			// After an early end, the records that nobody read need no outcome.
			expect(skipped).toBeLessThanOrEqual(unsent);
			if (!isEnded) expect(records).toBe(KINDS.length + unreadable);
			expect(json.error).toEqual(
				isEnded ? expect.stringContaining("'Skip Records' to 11") : undefined,
			);
			expect(json.failures).toHaveLength(failed);
			const numbers = (json.failures as IDataObject[]).map(({ record }) => record);
			expect(new Set(numbers).size).toBe(failed);
			for (const failure of json.failures as IDataObject[]) {
				const kind = String(failure.id ?? 'invalid').split('-')[0] as Kind;
				expectError(failure, kind, pushAction(String(failure.id)));
			}
			const kept = await Promise.all(
				['failed', 'unreadable'].map(
					async (name) => await files.text(item?.binary?.[name]),
				),
			);
			expect(kept.join('\n').split('\n').filter(Boolean).sort()).toEqual(
				[
					'{"a":',
					...lines.filter((_, at) => !['done', 'skipped'].includes(outcomes[at] ?? '')),
				].sort(),
			);
			expect(logged()).toEqual({ done, failed });
			expect(tracedRecords(result)).toBe(done);
		});
	});
});

describe.each(ENDS)('Delete Document %s', (end) => {
	const kinds: Kind[] = [
		...(['done', 'rejected', 'failed', 'unknown', 'notFound', 'done', 'invalid'] as const),
		...(['blank', 'ending', 'skipped', 'skipped'] as const),
	];
	const outcomes = kinds.map((kind) => outcomeOf(kind, end));
	/** An ID that is not known fails, unless Ignore Not Found is on. */
	const failuresIf = (ignoreNotFound: boolean) =>
		outcomes.filter((kind) => isFailure(kind) || (kind === 'notFound' && !ignoreNotFound))
			.length;
	const documents = kinds.map(documentOf);
	const sent: Kind[] = kinds.filter((kind) => kind !== 'invalid' && kind !== 'blank');

	beforeEach(async () => {
		sandbox().settings.unknownDeleteStatus = 404;
		await pushDirectly(
			sandbox(),
			kinds.flatMap((kind, at) =>
				['invalid', 'blank', 'notFound'].includes(kind) ? [] : [documentOf(kind, at)],
			),
		);
		/** A rule with `skip` counts only the requests that no earlier rule has answered. */
		const rules: Array<[Kind, Omit<FaultRule, 'route'>]> = [
			['rejected', { status: 200, body: '{"success":false,"id":"rejected-1","status":422}' }],
			['failed', { status: 400 }],
			['unknown', { html: true }],
		];
		if (end !== 'to the end') rules.push(['ending', { status: 401 }]);
		for (const [earlier, [kind, rule]] of rules.entries())
			fault('delete', { ...rule, skip: sent.indexOf(kind) - earlier, times: 1 });
	});

	describe.each(CONTINUES)('with On Error %s', (onError) => {
		it.each([true, false])('and Ignore Not Found %s', async (ignoreNotFound) => {
			const options = { concurrency: 1, ignoreNotFound };
			const result = await remove(documents, { options }, { onError });
			const failed = expectOutputs(result, onError);
			const all = [...result.output, ...result.errorOutput];
			expect(all.flatMap(pairsOf).sort((a, b) => a - b)).toEqual(
				kinds.flatMap((kind, at) => (kind === 'blank' ? [] : [at])),
			);
			const count = failuresIf(ignoreNotFound);
			expect(failed).toHaveLength(count);
			for (const { json, pairedItem } of all) {
				const { item: at } = pairedItem as { item: number };
				const outcome = outcomes[at] ?? 'done';
				if ('error' in json) expectError(json, outcome, deleteAction(String(json.id)));
				else if (outcome === 'done') expect(json).toMatchObject({ deleted: true });
				else expect([outcome, json.notFound]).toEqual(['notFound', true]);
			}
			const done = countOf(outcomes, 'done');
			const total = done + count + (ignoreNotFound ? 1 : 0);
			expect(hintsOf(result)).toContainEqual(
				expect.stringMatching(`^${count} of ${total} documents failed\\.`),
			);
			expect(hintsOf(result)).toContain('1 blank row skipped');
			expect(logged()).toEqual({ done, failed: count });
			expect(tracedRecords(result)).toBe(done);
		});

		it('with lists, and one item per input item', async () => {
			const ids = (all: IDataObject[]) => all.map(({ id }) => id ?? '');
			// The second list repeats IDs of the first list. Each ID is deleted only once.
			const lists = [documents, documents.slice(0, 2), documents.slice(5, 6), []].map(ids);
			const result = await remove(
				lists.map((list) => ({ list })),
				{
					idSource: 'list',
					listField: 'list',
					options: { concurrency: 1, ignoreNotFound: true, output: 'perInputItem' },
				},
				{ onError },
			);
			expectOutputs(result, onError);
			const all = [...result.output, ...result.errorOutput].sort(
				(one, other) => (pairsOf(one)[0] ?? 0) - (pairsOf(other)[0] ?? 0),
			);
			expect(all.map(pairsOf)).toEqual([[0], [1], [2], [3]]);
			const done = countOf(outcomes, 'done');
			// A blank entry of a list is an entry without an ID.
			const failures = failuresIf(true) + 1;
			expect(jsonOf(all)).toMatchObject([
				{ deleted: done, notFound: 1, failed: failures },
				{ deleted: 1, notFound: 0, failed: 1 },
				{ deleted: 1, notFound: 0, failed: 0 },
				{ deleted: 0, notFound: 0, failed: 0 },
			]);
			expect(all[0]?.json.failures).toHaveLength(failures);
			expect(all[0]?.json.error).toEqual(
				expect.stringContaining(`(${failures} of ${kinds.length} documents failed)`),
			);
			expect(hintsOf(result)).toContainEqual(
				expect.stringMatching(`^${failures} of ${kinds.length} documents failed\\.`),
			);
			expect(logged()).toEqual({ done, failed: failures });
		});
	});
});

describe.each(ENDS)('Chunk Text %s', (end) => {
	const kinds: Kind[] = [
		...(['done', 'failed', 'unknown', 'done', 'invalid', 'blank'] as const),
		...(['ending', 'skipped', 'skipped'] as const),
	];
	const outcomes = kinds.map((kind) => outcomeOf(kind, end));
	const items = kinds.map((kind, at) =>
		kind === 'blank'
			? { id: ' ', text: '' }
			: kind === 'invalid'
				? { id: 'x' }
				: { id: idOf(kind, at), name: 'N', text: `${kind} one.\n${kind} two.` },
	);
	const done = countOf(outcomes, 'done');
	const failures = outcomes.filter(isFailure).length;
	const options = { textsPerRequest: 1, concurrency: 1, retryForSeconds: 0 };

	beforeEach(() => {
		fault('submit', { whenBodyContains: '"failed ', status: 400 });
		fault('submit', { whenBodyContains: '"unknown ', html: true });
		if (end !== 'to the end') fault('submit', { whenBodyContains: '"ending ', status: 407 });
	});

	describe.each(CONTINUES)('with On Error %s', (onError) => {
		it.each(['documents', 'chunks', 'perDocument'])('and the output %s', async (output) => {
			const result = await chunk(
				items,
				{ output, text: '={{ $json.text }}', options },
				{ onError },
			);
			const failed = expectOutputs(result, onError);
			const all = [...result.output, ...result.errorOutput];
			const times = items.map(
				(_, at) => all.filter((item) => pairsOf(item)[0] === at).length,
			);
			const perText = output === 'perDocument' ? 1 : 2;
			expect(times).toEqual(
				outcomes.map((kind) => (kind === 'done' ? perText : kind === 'blank' ? 0 : 1)),
			);
			expect(failed.flatMap(pairsOf).sort((a, b) => a - b)).toEqual(
				outcomes.flatMap((kind, at) => (isFailure(kind) ? [at] : [])),
			);
			for (const item of failed) {
				const outcome = outcomes[pairsOf(item)[0] ?? 0];
				expect([outcome, String(item.json.error).includes('unknown whether')]).toEqual([
					outcome,
					outcome === 'unknown',
				]);
			}
			expect(hintsOf(result)).toContainEqual(
				expect.stringMatching(`^${failures} of ${done + failures} texts failed\\.`),
			);
			expect(logged()).toEqual({ done, failed: failures });
			expect(tracedRecords(result)).toBe(done);
		});
	});
});
