/**
 * Tests runs in which each kind of outcome occurs. Each entry must have exactly one outcome, and the items, the summary,
 * the hints and the log must agree.
 */
import type { IDataObject, INodeExecutionData, INodeParameters, OnError } from 'n8n-workflow';

import { DeleteDocument } from '../../nodes/DeleteDocument/DeleteDocument.node';
import { PushDocuments } from '../../nodes/PushDocuments/PushDocuments.node';
import { deleteAction, pushAction } from '../../nodes/shared/service/outcome-messages';
import type { FaultRule } from '../../sandbox';
import { useFiles } from '../../support/binary-data';
import { useChunkText } from '../../support/chunking';
import { sandboxCredentials } from '../../support/credentials';
import type { RunResult } from '../../support/engine';
import { useSkippedPauses } from '../../support/fast-clock';
import { useNodeLog } from '../../support/node-log';
import { hintsOf, jsonOf, nodeRunner } from '../../support/sandbox';
import { push as pushDirectly } from '../../support/sandbox-client';
import { maybeDone, notDone } from '../../support/wording';

const captured = useNodeLog();

const { sandbox, chunk, fault, answers } = useChunkText();
const files = useFiles();
const credentials = () => sandboxCredentials(sandbox());
const push = nodeRunner(new PushDocuments(), credentials);
const remove = nodeRunner(new DeleteDocument(), credentials);
beforeEach(() => (captured.length = 0));

/** Checks that the files of a summary keep the record that cannot be read, and the records that were not done. */
async function expectKept(
	binary: INodeExecutionData['binary'],
	lines: readonly string[],
	outcomes: ReadonlyArray<string | undefined>,
): Promise<void> {
	const kept = await Promise.all(
		['failed', 'unreadable'].map(async (name) => await files.text(binary?.[name])),
	);
	const isLeft = (_line: string, at: number) => !['done', 'skipped'].includes(outcomes[at] ?? '');
	expect(kept.join('\n').split('\n').filter(Boolean).sort()).toEqual(
		['{"a":', ...lines.filter(isLeft)].sort(),
	);
}

type Kind =
	| 'done'
	| 'rejected'
	| 'failed'
	/** The service refuses the entry's request with 403, but accepts others. */
	| 'refused'
	| 'unknown'
	| 'notFound'
	| 'invalid'
	| 'blank'
	/** A later document with the same ID is sent instead. */
	| 'replaced'
	/** The run ends because of this entry. */
	| 'ending'
	/** The run ends before this entry is sent. */
	| 'skipped';
type End = 'to the end' | 'until a key is refused' | 'until five minutes of 429';

const ENDS: End[] = ['to the end', 'until a key is refused', 'until five minutes of 429'];

/** Makes a run reach its end without waiting for it. */
function useClockFor(end: End): void {
	if (end === 'until five minutes of 429') useSkippedPauses();
}

/** Returns the status that ends the run. */
const statusOf = (end: End, refused = 401) => (end === 'until a key is refused' ? refused : 429);
const CONTINUES: OnError[] = ['continueRegularOutput', 'continueErrorOutput'];

/** The kinds of entries in a run. Push requests contain two documents, so the kinds come in pairs. */
const KINDS: Kind[] = [
	...(['done', 'done', 'rejected', 'done', 'failed', 'done', 'unknown', 'unknown'] as const),
	...(['refused', 'done', 'invalid', 'blank', 'ending', 'ending', 'skipped', 'skipped'] as const),
];
const idOf = (kind: Kind, at: number) => `${kind}-${at}`;
const documentOf = (kind: Kind, at: number): IDataObject =>
	kind === 'blank'
		? { id: '', name: ' ' }
		: kind === 'invalid'
			? { name: 'no ID' }
			: { id: idOf(kind, at), name: 'N', text: 'One.\nTwo.' };

/** The records of the files before and after a file with all kinds of records. */
const NEIGHBORS = [0, 1, 2, 3].map((at) => ({ id: `other-${at}`, name: 'N', text: 'One.\nTwo.' }));

/** Returns the outcome of an entry of this kind. */
const outcomeOf = (kind: Kind, end: End): Kind =>
	end === 'to the end' && (kind === 'ending' || kind === 'skipped') ? 'done' : kind;
const STATUS: Partial<Record<Kind, number>> = {
	...{ rejected: 422, failed: 400, refused: 403, notFound: 404 },
};

const countOf = (outcomes: Kind[], ...kinds: Kind[]) =>
	outcomes.filter((kind) => kinds.includes(kind)).length;
const isFailure = (outcome: Kind) => !['done', 'notFound', 'blank', 'replaced'].includes(outcome);

/** The kinds of documents in the lists of several items. A push request may contain documents of two lists. */
const KINDS_OF_LISTS: Kind[][] = [
	['done', 'done', 'rejected', 'done', 'invalid', 'done'],
	[],
	['done', 'failed', 'done', 'unknown'],
	['unknown', 'blank', 'replaced', 'done', 'replaced'],
	['done'],
	['replaced', 'failed', 'failed', 'replaced'],
	['ending', 'ending', 'skipped'],
	['skipped', 'replaced', 'skipped', 'skipped'],
];

interface ListEntry {
	/** The input item that contains the entry's list. */
	at: number;
	document: IDataObject;
	outcomeAt: (end: End) => Kind;
}

/** All entries of the lists. A replaced document has the ID of the next entry, and shares its failure. */
const LIST_ENTRIES = KINDS_OF_LISTS.flatMap((kinds, at) =>
	kinds.map((kind, place) => ({ at, kind, document: documentOf(kind, 10 * at + place) })),
).map(({ at, kind, document }, index, all): ListEntry => {
	const next = all[index + 1];
	if (kind !== 'replaced' || !next)
		return { at, document, outcomeAt: (end) => outcomeOf(kind, end) };
	const outcomeOfNext = (end: End) => outcomeOf(next.kind, end);
	return {
		at,
		document: next.document,
		outcomeAt: (end) => (outcomeOfNext(end) === 'done' ? 'replaced' : outcomeOfNext(end)),
	};
});

/** What the items contain: lists, nothing, and something that is no list. */
const LISTS = [
	...KINDS_OF_LISTS.map((_, item) =>
		LIST_ENTRIES.flatMap(({ at, document }) => (at === item ? document : [])),
	),
	null,
	'no JSON',
];

interface ListOutcome {
	at: number;
	id?: string;
	outcome: Kind;
}

const outcomesOfLists = (end: End): ListOutcome[] => [
	...LIST_ENTRIES.map(
		({ at, document: { id }, outcomeAt }): ListOutcome =>
			// A blank entry of a list is a document without an ID.
			id ? { at, id: String(id), outcome: outcomeAt(end) } : { at, outcome: 'invalid' },
	),
	{ at: LISTS.indexOf('no JSON'), outcome: 'invalid' },
];

const idAtItem = ({ at, id }: ListOutcome) => `${id} of item ${at}`;
const idAndItem = (item: INodeExecutionData) =>
	`${String(item.json.id)} of item ${pairsOf(item).join()}`;
const byItem = (one: INodeExecutionData, other: INodeExecutionData) =>
	(pairsOf(one)[0] ?? 0) - (pairsOf(other)[0] ?? 0);

function addPushFaults(end: End): void {
	const body = JSON.stringify({ items: [{ id: idOf('rejected', 2), status: 422 }] });
	fault('push', { whenBodyContains: '"rejected-', status: 200, body });
	fault('push', { whenBodyContains: '"failed-', status: 400 });
	fault('push', { whenBodyContains: '"refused-', status: 403 });
	fault('push', { whenBodyContains: '"unknown-', html: true });
	const status = statusOf(end);
	if (end !== 'to the end') fault('push', { whenBodyContains: '"ending-', status });
}

/** Each document is deleted in a request of its own. */
const DELETE_KINDS: Kind[] = [
	...(['done', 'rejected', 'failed', 'refused', 'unknown', 'notFound', 'done'] as const),
	...(['invalid', 'blank', 'ending', 'skipped', 'skipped'] as const),
];

async function addDeleteFaults(end: End): Promise<void> {
	sandbox().settings.unknownDeleteStatus = 404;
	const isIndexed = (kind: Kind) => !['invalid', 'blank', 'notFound'].includes(kind);
	const documents = DELETE_KINDS.map(documentOf);
	await pushDirectly(sandbox(), [
		...documents.filter((_, at) => isIndexed(DELETE_KINDS[at] ?? 'blank')),
		...NEIGHBORS,
	]);
	const ruleFor = (kind: Kind, rule: Omit<FaultRule, 'route'>) =>
		fault('delete', { whenPathEndsWith: idOf(kind, DELETE_KINDS.indexOf(kind)), ...rule });
	const body = '{"success":false,"id":"rejected-1","status":422}';
	ruleFor('rejected', { status: 200, body });
	ruleFor('failed', { status: 400 });
	ruleFor('refused', { status: 403 });
	ruleFor('unknown', { html: true });
	if (end !== 'to the end') ruleFor('ending', { status: statusOf(end) });
}

const CHUNK_KINDS: Kind[] = [
	...(['done', 'failed', 'refused', 'unknown', 'done', 'invalid', 'blank'] as const),
	...(['ending', 'skipped', 'skipped'] as const),
];
const CHUNK_OPTIONS = { textsPerRequest: 1, concurrency: 1, retryForSeconds: 0 };

function textOf(kind: Kind, at: number): IDataObject {
	if (kind === 'blank') return { id: ' ', text: '' };
	if (kind === 'invalid') return { id: 'x' };
	return { id: idOf(kind, at), name: 'N', text: `${kind} one.\n${kind} two.` };
}

function addChunkFaults(end: End): void {
	fault('submit', { whenBodyContains: '"failed ', status: 400 });
	fault('submit', { whenBodyContains: '"refused ', status: 403 });
	fault('submit', { whenBodyContains: '"unknown ', html: true });
	const status = statusOf(end, 407);
	if (end !== 'to the end') fault('submit', { whenBodyContains: '"ending ', status });
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
function expectError(
	json: IDataObject,
	outcome: Kind,
	end: End,
	action: Parameters<typeof notDone>[0],
) {
	const words = outcome === 'unknown' ? maybeDone(action) : notDone(action);
	const isOfEnd = outcome === 'ending' || outcome === 'skipped';
	const status = isOfEnd ? statusOf(end) : STATUS[outcome];
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
	useClockFor(end);
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
				expectError(
					item.json,
					outcomes[at] ?? 'done',
					end,
					pushAction(String(item.json.id)),
				);
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

		it.each(['perDocument', 'perInputItem', 'summary'])(
			'from lists in several items, and the output %s',
			async (output) => {
				addPushFaults(end);
				const result = await push(
					LISTS.map((list) => ({ list })),
					{
						documentSource: 'json',
						documentJson: '={{ $json.list }}',
						options: { ...options, output },
					},
					{ onError },
				);
				const errors = expectOutputs(result, onError);
				const others = result.output.filter(({ json }) => !('error' in json));
				const expected = outcomesOfLists(end);
				const failures = expected.filter(({ outcome }) => isFailure(outcome));
				const done = expected.filter(({ outcome }) => outcome === 'done');
				const replaced = expected.filter(({ outcome }) => outcome === 'replaced');
				if (output === 'perInputItem') {
					const all = [...errors, ...others].sort(byItem);
					expect(all.map(pairsOf)).toEqual(LISTS.map((_, at) => [at]));
					for (const item of all) {
						const ofItem = ({ at }: ListOutcome) => at === pairsOf(item)[0];
						const failed = failures.filter(ofItem);
						const skipped = replaced.filter(ofItem).length;
						expect(item.json).toMatchObject({
							...{ pushed: done.filter(ofItem).length, failed: failed.length },
							...(skipped > 0 && { skipped }),
						});
						if (failed.length === 0) expect(item.json.error).toBeUndefined();
						else {
							expect(item.json.failures).toHaveLength(failed.length);
							const ids = failed.flatMap(({ id }) => id ?? []);
							expect(item.json.failedIds).toEqual(expect.arrayContaining(ids));
							expect(item.json.failedIds).toHaveLength(ids.length);
						}
					}
				} else {
					expect(errors.map(idAndItem).sort()).toEqual(failures.map(idAtItem).sort());
					for (const item of errors) {
						const { id } = item.json;
						const [entry] = failures.filter((each) => each.id === id);
						const action = pushAction(String(id));
						expectError(item.json, entry?.outcome ?? 'done', end, action);
					}
				}
				if (output === 'summary') {
					expect(jsonOf(others)).toEqual([
						{
							documents: done.length,
							failures: failures.length,
							skipped: replaced.length,
							blank: 1,
							stats: expect.any(Object),
						},
					]);
					// The summary belongs to each item with anything but failures.
					const isOnlyFailures = (at: number) =>
						expected.some((each) => each.at === at) &&
						expected.every((each) => each.at !== at || isFailure(each.outcome));
					expect(others.flatMap(pairsOf)).toEqual(
						LISTS.flatMap((_, at) => (isOnlyFailures(at) ? [] : [at])),
					);
				}
				if (output === 'perDocument') {
					const empty = others.filter(({ json }) => json.id === undefined);
					expect(empty.flatMap(pairsOf)).toEqual(
						LISTS.flatMap((list, at) => (list?.length === 0 ? [at] : [])),
					);
					const idsIf = (pushed: boolean) =>
						others.filter(({ json }) => json.id && json.pushed === pushed);
					expect(idsIf(true).map(idAndItem).sort()).toEqual(done.map(idAtItem).sort());
					expect(idsIf(false).map(idAndItem).sort()).toEqual(
						replaced.map(idAtItem).sort(),
					);
				}
				const { length: count } = failures;
				expect(hintsOf(result)).toContainEqual(
					expect.stringMatching(`^${count} of ${expected.length} documents failed\\.`),
				);
				expect(hintsOf(result)).toContain('1 blank row skipped');
				expect(logged()).toEqual({ done: done.length, failed: count });
				expect(tracedRecords(result)).toBe(done.length);
			},
		);
	});
});

describe.each(ENDS)('Delete Document %s', (end) => {
	useClockFor(end);
	const kinds = DELETE_KINDS;
	const outcomes = kinds.map((kind) => outcomeOf(kind, end));
	/** An ID that is not known fails, unless Ignore Not Found is on. */
	const failuresIf = (ignoreNotFound: boolean) =>
		outcomes.filter((kind) => isFailure(kind) || (kind === 'notFound' && !ignoreNotFound))
			.length;
	const documents = kinds.map(documentOf);

	beforeEach(async () => await addDeleteFaults(end));

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
				if ('error' in json) expectError(json, outcome, end, deleteAction(String(json.id)));
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
			const lists = [documents, documents.slice(0, 2), documents.slice(6, 7), []].map(ids);
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
	useClockFor(end);
	const kinds = CHUNK_KINDS;
	const outcomes = kinds.map((kind) => outcomeOf(kind, end));
	const items = kinds.map(textOf);
	const done = countOf(outcomes, 'done');
	const failures = outcomes.filter(isFailure).length;
	const options = CHUNK_OPTIONS;

	beforeEach(() => addChunkFaults(end));

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

describe.each(CONTINUES)('Chunk Text, whose jobs end with ERROR, with On Error %s', (onError) => {
	/** Requests contain two texts. If the job of a request ends with ERROR, each text gets a job of its own. */
	const models = ['m', 'm', 'broken-model', 'm', 'm', 'broken-model'];
	const TEXTS = models.map((model, at) => ({
		...{ id: `t${at}`, name: 'N', text: `Text ${at} one.\nText ${at} two.`, model },
	}));
	const parameters = {
		modelId: '={{ $json.model }}',
		text: '={{ $json.text }}',
		options: { textsPerRequest: 2, concurrency: 1 },
	};

	it.each(['documents', 'chunks', 'perDocument'])('and the output %s', async (output) => {
		answers({ status: 'ERROR', message: 'Out of memory' });
		const result = await chunk(TEXTS, { ...parameters, output }, { onError });
		const failed = expectOutputs(result, onError);
		const isGood = (at: number) => models[at] === 'm';
		expect(failed.flatMap(pairsOf)).toEqual([2, 5]);
		const all = [...result.output, ...result.errorOutput];
		const perText = output === 'perDocument' ? 1 : 2;
		expect(TEXTS.map((_, at) => all.filter((item) => pairsOf(item)[0] === at).length)).toEqual(
			models.map((_, at) => (isGood(at) ? perText : 1)),
		);
		expect(hintsOf(result)).toContainEqual(expect.stringMatching('^2 of 6 texts failed\\.'));
		expect(logged()).toEqual({ done: 4, failed: 2 });
		expect(tracedRecords(result)).toBe(4);
	});

	it('from a file', async () => {
		const lines = TEXTS.slice(0, 5).map((text) => JSON.stringify(text));
		const file = await files.item(lines.join('\n'), 'd.jsonl');
		// The job of the first request fails, and then the job of its first text.
		fault('results', { status: 200, body: '{"status":"ERROR"}', times: 1 });
		fault('results', { status: 200, body: '{"status":"ERROR"}', skip: 2, times: 1 });
		const result = await chunk(
			[file],
			{
				textSource: 'file',
				output: 'documents',
				options: { textsPerRequest: 2, concurrency: 1 },
			},
			{ onError },
		);
		const all = [...result.output, ...result.errorOutput];
		const chunks = all.filter(({ json }) => json.parentId !== undefined);
		const [{ json, binary }] = all.filter((item) => 'file' in item.json) as [
			INodeExecutionData,
		];
		expect(json).toMatchObject({ records: 5, chunked: 4, chunks: 8, failed: 1, skipped: 0 });
		const [failure] = json.failures as IDataObject[];
		const parents = new Set(jsonOf(chunks).map(({ parentId }) => String(parentId)));
		expect([...parents, String(failure?.id)].sort()).toEqual(['t0', 't1', 't2', 't3', 't4']);
		expect(chunks).toHaveLength(8);
		expect(await files.text(binary?.failed)).toBe(`${lines[Number(failure?.record) - 1]}\n`);
		expect(logged()).toEqual({ done: 4, failed: 1 });
		expect(tracedRecords(result)).toBe(4);
	});
});

interface FileNode {
	run: typeof push;
	parameters: INodeParameters;
	/** Name of the success count in a file's summary. */
	done: string;
	/** Whether a file without failures has no summary, because its chunks are returned as items. */
	isQuiet?: boolean;
	kinds: Kind[];
	recordOf: (kind: Kind, at: number) => IDataObject;
	addFaults: (end: End) => void | Promise<void>;
	/** Says what an error is about. The errors of texts use other words. */
	action?: typeof pushAction;
	ignoresNotFound?: boolean;
}

const deleteFiles = (ignoreNotFound: boolean): FileNode => ({
	run: remove,
	parameters: { idSource: 'file', options: { concurrency: 1, ignoreNotFound } },
	done: 'deleted',
	kinds: DELETE_KINDS,
	recordOf: documentOf,
	addFaults: addDeleteFaults,
	action: deleteAction,
	ignoresNotFound: ignoreNotFound,
});

const FILE_NODES: Record<string, FileNode> = {
	'Push Documents': {
		run: push,
		parameters: {
			documentSource: 'file',
			options: { documentsPerRequest: 2, concurrency: 1 },
		},
		done: 'pushed',
		kinds: KINDS,
		recordOf: documentOf,
		addFaults: addPushFaults,
		action: pushAction,
	},
	'Delete Document': deleteFiles(false),
	'Delete Document with Ignore Not Found': deleteFiles(true),
	'Chunk Text': {
		run: chunk,
		parameters: { textSource: 'file', output: 'documents', options: CHUNK_OPTIONS },
		done: 'chunked',
		isQuiet: true,
		kinds: CHUNK_KINDS,
		recordOf: textOf,
		addFaults: addChunkFaults,
	},
};

describe.each(Object.entries(FILE_NODES))('%s, for files in several items', (_name, node) => {
	describe.each(ENDS)('%s', (end) => {
		useClockFor(end);

		it.each(CONTINUES)('and On Error %s', async (onError) => {
			await node.addFaults(end);
			const { kinds, recordOf, done, isQuiet = false, ignoresNotFound = false } = node;
			const linesOf = (records: IDataObject[]) =>
				records.map((record) => JSON.stringify(record));
			const mixed = linesOf(kinds.map(recordOf));
			const contents = [
				linesOf(NEIGHBORS.slice(0, 2)),
				['{"a":', ...mixed],
				linesOf(NEIGHBORS.slice(2)),
			];
			const inputs = await Promise.all(
				contents.map(
					async (lines, at) => await files.item(lines.join('\n'), `${at}.jsonl`),
				),
			);
			const result = await node.run(inputs, node.parameters, { onError });
			const all = [...result.output, ...result.errorOutput].sort(byItem);
			const isEnded = end !== 'to the end';
			const summaries = all.filter(({ json }) => 'file' in json);
			const isShown = [!isQuiet, true, !isQuiet || isEnded];
			expect(summaries.map(pairsOf)).toEqual(
				isShown.flatMap((isIt, at) => (isIt ? [[at]] : [])),
			);
			const summaryOf = (at: number) => summaries.find((item) => pairsOf(item)[0] === at);

			const outcomes = kinds.map((kind) => outcomeOf(kind, end));
			const isFailed = (kind: Kind) =>
				(kind === 'notFound' && !ignoresNotFound) || kind === 'blank' || isFailure(kind);
			const unsent = countOf(outcomes, 'skipped');
			// The first line is not JSON.
			const failed = outcomes.filter(isFailed).length - unsent + 1;
			const succeeded = countOf(outcomes, 'done');
			const { json = {}, binary } = summaryOf(1) ?? {};
			const { records, skipped } = json as Record<string, number>;
			const notFound = ignoresNotFound ? countOf(outcomes, 'notFound') : 0;
			expect(json).toMatchObject({
				...{ file: '1.jsonl', [done]: succeeded, failed },
				...(ignoresNotFound && { notFound }),
			});
			expect(records).toBe(succeeded + failed + notFound + skipped);
			// After an early end, the records that nobody read need no outcome.
			expect(skipped).toBeLessThanOrEqual(unsent);
			if (!isEnded) expect(records).toBe(kinds.length + 1);
			expect(json.failures).toHaveLength(failed);
			const numbers = (json.failures as IDataObject[]).map(({ record }) => record);
			expect(new Set(numbers).size).toBe(failed);
			for (const failure of json.failures as IDataObject[]) {
				const kind = String(failure.id ?? 'invalid').split('-')[0] as Kind;
				if (node.action) expectError(failure, kind, end, node.action(String(failure.id)));
			}
			const [, skip] =
				/To continue, set 'Skip Records' to (\d+)$/.exec(String(json.error)) ?? [];
			const lasts = isQuiet ? (['refused', 'ending'] as const) : (['ending'] as const);
			// Only a success that is known before the end shows that 403 was the fault of one record. Chunks may
			// arrive after the end.
			if (isEnded)
				expect(lasts.map((kind) => kinds.indexOf(kind) + 1)).toContain(Number(skip));
			else expect(json.error).toBeUndefined();
			await expectKept(
				binary,
				mixed,
				outcomes.map((kind) => (isFailed(kind) ? kind : 'done')),
			);

			const hint = isEnded
				? "The run ended before it had processed the file '1.jsonl'"
				: `${failed} records of '1.jsonl' failed`;
			expect(hintsOf(result)).toContainEqual(expect.stringContaining(hint));

			/** What is done of the last file, which the run may not reach. */
			const afterwards = isEnded ? 0 : 2;
			for (const [at, count] of [
				[0, 2],
				[2, afterwards],
			] as const) {
				const item = summaryOf(at);
				if (!item) continue;
				const { [done]: found = 0, failed: failures = 0, error } = item.json;
				expect([at, found, failures]).toEqual([at, count, 0]);
				expect([at, error]).toEqual([
					at,
					count > 0 ? undefined : expect.stringContaining("file '2.jsonl' was not read"),
				]);
			}
			const total = 2 + succeeded + afterwards;
			if (isQuiet) {
				const parents = all.flatMap(({ json: { parentId } }) => parentId ?? []);
				const ofMixed = kinds.flatMap((kind, at) =>
					outcomes[at] === 'done' ? idOf(kind, at) : [],
				);
				const ids = NEIGHBORS.map(({ id }) => id);
				const expected = [...ids.slice(0, 2), ...ofMixed, ...ids.slice(4 - afterwards)];
				expect(parents).toEqual(expected.flatMap((id) => [id, id]));
				expect(json.chunks).toBe(2 * succeeded);
			} else expect(summaries).toHaveLength(all.length);
			if (onError === 'continueErrorOutput')
				expect(result.errorOutput.flatMap(pairsOf)).toEqual(isEnded ? [1, 2] : [1]);
			expect(logged()).toEqual({ done: total, failed });
			const progress = `${succeeded} records of the file '1.jsonl' had been ${done}`;
			if (isEnded) expect(captured).toContainEqual(expect.stringContaining(progress));
			expect(tracedRecords(result)).toBe(total);
		});
	});
});
