/** Runs the real node with what a prediction is given, and says in the model's words what is seen of the run. */
import { parse } from 'csv-parse/sync';
import type { IDataObject, INodeExecutionData, INodeParameters } from 'n8n-workflow';

import type { FaultRule } from '../../sandbox';
import { useFiles, type TestFiles } from '../../support/binary-data';
import { useChunkText } from '../../support/chunking';
import type { RunResult } from '../../support/engine';
import { useNodeLog } from '../../support/node-log';
import { hintsOf } from '../../support/sandbox';
import { write, type SourceFile } from './files';
import type { Expected, Failure, Fault, FileSummary, Given, Sent, Shown } from './model';

/** Provides n8n's files, the sandbox and n8n's log to the driver of a node. */
export function useWorld() {
	const log = useNodeLog();
	const files = useFiles();
	const service = useChunkText();
	beforeEach(() => (log.length = 0));
	return { log, files, ...service };
}

export type World = ReturnType<typeof useWorld>;

/** Returns the input items of a run. */
export async function inputOf(
	{ items }: Pick<Given, 'items'>,
	files: TestFiles,
): Promise<INodeExecutionData[]> {
	const input: INodeExecutionData[] = [];
	for (const { json, file } of items)
		input.push(file ? { ...(await files.item(write(file), file.name)), json } : { json });
	return input;
}

/** Returns the options that several nodes have. */
export const optionsOf = ({
	output,
	keep,
	dryRun,
	concurrency,
	skipRecords,
	maxRecords,
	items,
}: Given): INodeParameters => ({
	...{ output, dryRun, concurrency, skipRecords, maxRecords },
	...(items[0]?.file?.jsonColumns && { jsonColumns: items[0].file.jsonColumns.join() }),
	...(keep.length > 0 && { keepSourceFields: 'listed', sourceFieldsToKeep: keep.join(', ') }),
	// A fault that lasts would otherwise be repeated for a minute.
	retryForSeconds: 1,
});

/** Returns the rule of the sandbox that makes a fault. */
export function ruleOf(fault: Fault): Omit<FaultRule, 'route'> | undefined {
	if (fault === 'nothing') return undefined;
	if (fault === 302) return { redirectTo: 'http://127.0.0.1:9/' };
	if (typeof fault === 'number') return { status: fault };
	const rules: Record<string, Omit<FaultRule, 'route'>> = {
		'once 429': { retryAfter: '0', times: 1 },
		'once 500': { status: 500, times: 1 },
		'once lost': { reset: 'afterWork', times: 1 },
		page: { html: true },
		rejects: {
			status: 200,
			body: JSON.stringify({ items: [{ id: 'hit', status: 422, message: 'Too odd' }] }),
		},
		complains: { status: 200, body: JSON.stringify({ errors: 'Out of order' }) },
	};
	return rules[fault];
}

// What is seen of a run

const VERBS = '(?:pushed|deleted|submitted|chunked)';

/** Returns what a message claims. */
export const claimOf = (message: string): Failure['claim'] =>
	/unknown whether/.test(message)
		? 'unknown'
		: new RegExp(`was not ${VERBS}|more than the .* allows`).test(message)
			? 'not'
			: 'invalid';

const failureOf = ({ error, id, httpStatus }: IDataObject): Failure => ({
	claim: claimOf(String(error)),
	// n8n adds the ID of the input item in the error output, even if it is empty.
	...(typeof id === 'string' && id.trim() !== '' && { id }),
	...(httpStatus !== undefined && { httpStatus: httpStatus as number }),
});

const TIMES = ['seconds', 'recordsPerSecond'];
const without = (json: IDataObject, ...names: string[]): IDataObject =>
	Object.fromEntries(Object.entries(json).filter(([name]) => !names.includes(name)));
const numberIn = (text: string, pattern: RegExp): number =>
	Number((pattern.exec(text)?.[1] ?? '0').replaceAll(',', ''));
const linked = ({ pairedItem }: INodeExecutionData): number[] =>
	[pairedItem].flat().map((pair) => (typeof pair === 'object' ? pair.item : -1));

export type Seen = Omit<Expected, 'untimed'>;

/** Says what is seen of a run of Push Documents or Delete Document. */
export async function seen(
	given: Given,
	isFile: boolean,
	result: RunResult,
	{ files }: World,
	sent: Sent[],
): Promise<Seen> {
	const { error, taskData } = result;
	const toErrorOutput = given.onError === 'continueErrorOutput';
	const inError = toErrorOutput
		? result.errorOutput
		: result.output.filter(({ json }) => 'error' in json);
	const outputs = toErrorOutput
		? result.output
		: result.output.filter((item) => !inError.includes(item));
	const tracing = (taskData?.metadata?.tracing ?? {}) as Record<string, number>;
	const { requests = 0, retries = 0, splits = 0, throttled = 0, bytes = 0 } = tracing;
	const items = [...outputs, ...inError];
	return {
		sent,
		figures: { requests, retries, splits, throttled, bytes },
		output: isFile || error ? [] : outputs.map(shownOf),
		failed: isFile || error ? [] : inError.map((item) => failedOf(given, item)),
		files:
			isFile && !error
				? await Promise.all(items.map(async (item) => await summaryOf(given, item, files)))
				: [],
		facts: error
			? {}
			: factsOf(
					isFile,
					given.skipRecords + given.maxRecords > 0,
					hintsOf(result).join('\n'),
					items,
				),
		...(error && {
			error: errorOf(isFile, error, (error as { description?: string }).description ?? ''),
		}),
	};
}

function shownOf(item: INodeExecutionData): Shown {
	const { stats, reason, skipped, ...json } = item.json;
	return {
		of: linked(item),
		json: {
			...json,
			// Open: `skipped: 0` in a summary.
			...(skipped !== undefined && skipped !== 0 && { skipped }),
			...(stats !== undefined && { stats: without(stats as IDataObject, ...TIMES) }),
			...(reason !== undefined && { reason: true }),
		},
	};
}

function failedOf(
	{ onError, items, keep, output, dryRun }: Given,
	item: INodeExecutionData,
): Shown {
	const of = linked(item);
	// In the error output, n8n adds the fields of the input item.
	const added =
		onError === 'continueErrorOutput' ? Object.keys(items[of[0] ?? 0]?.json ?? {}) : [];
	const { failures, failedIds, ...json } = item.json;
	if (output !== 'perInputItem') {
		return {
			of,
			json: without(json, ...added, 'id', 'error', 'advice', 'httpStatus'),
			failure: failureOf(json),
		};
	}
	const kept = added.filter(
		(name) => !keep.includes(name) || ['error', 'pushed', 'deleted'].includes(name),
	);
	return {
		of,
		json: {
			...without(
				json,
				...kept.filter(
					(name) =>
						![...(dryRun ? [] : ['pushed', 'deleted']), 'skipped', 'failed'].includes(
							name,
						),
				),
				'error',
				'advice',
				'httpStatus',
			),
			// Open: a blank ID is listed.
			failedIds: (failedIds as string[]).filter((id) => id.trim() !== ''),
			failures: (failures as IDataObject[]).map(failureOf) as never,
		},
	};
}

function factsOf(
	isFile: boolean,
	isRange: boolean,
	hints: string,
	items: INodeExecutionData[],
): Record<string, number> {
	if (!isFile)
		return {
			failed: numberIn(hints, /([\d,]+) of [\d,]+ documents? failed/),
			sameIds: numberIn(hints, /([\d,]+) documents? ha(?:s|ve) the same ID as an earlier/),
			blank: numberIn(hints, /([\d,]+) blank rows? skipped/),
		};
	const warnings = items.flatMap(({ json }) => (json.warnings as string[] | undefined) ?? []);
	const sum = (texts: string[], pattern: RegExp) =>
		texts.reduce((all, text) => all + numberIn(text, pattern), 0);
	return {
		sameIds: sum(warnings, /([\d,]+) documents? of .* ha(?:s|ve) the same ID/),
		blank: sum(hints.split('\n'), /([\d,]+) blank rows? of .* skipped/),
		...(!isRange && { short: sum(warnings, /([\d,]+) rows? of .* fewer cells/) }),
	};
}

async function summaryOf(
	given: Given,
	item: INodeExecutionData,
	files: TestFiles,
): Promise<FileSummary> {
	const { json, binary = {} } = item;
	const [of = 0] = linked(item);
	const stored = async (field: string) =>
		(
			await Promise.all(
				Object.entries(binary)
					.filter(([name]) => name.replace(/\d+$/, '') === field)
					.map(async ([, file]) =>
						recordsOf(await files.text(file), given.items[of]?.file),
					),
			)
		).flat();
	const numbers = (...fields: string[]) =>
		fields.reduce((sum, field) => sum + Number(json[field] ?? 0), 0);
	if ('error' in json && !('records' in json))
		throw new Error(`The file was not read: ${String(json.error)}`);
	if ('error' in json) {
		const unaccounted =
			Number(json.records) - numbers('pushed', 'deleted', 'notFound', 'failed', 'skipped');
		const done = 'pushed' in json ? { pushed: json.pushed } : { deleted: json.deleted };
		return {
			of,
			json: { ...done, hasEnded: true, unaccounted },
			failed: [],
			unreadable: [],
			failures: [],
		};
	}
	const names = [
		'records',
		'pushed',
		'deleted',
		'checked',
		'notFound',
		'failed',
		'skipped',
		'atEnd',
		'committed',
		'dryRun',
	];
	return {
		of,
		json: {
			...Object.fromEntries(
				names.filter((name) => name in json).map((name) => [name, json[name]]),
			),
			...('readError' in json && { readError: true }),
		},
		failed: await stored('failed'),
		unreadable: await stored('unreadable'),
		failures: ((json.failures as IDataObject[] | undefined) ?? []).map((one) => ({
			record: Number(one.record),
			...failureOf(one),
		})),
	};
}

/** Returns the records of a file that the node returns, in the same form for each format. */
export function recordsOf(text: string, file: SourceFile | undefined): string[] {
	if (file?.format === 'csv')
		return (parse(text, { relax_column_count: true, relax_quotes: true }) as string[][])
			.slice(1)
			.map((row) => JSON.stringify(row));
	if (file?.format !== 'jsonArray') return text.split('\n').filter((line) => line !== '');
	let list = JSON.parse(text) as unknown;
	for (const name of (file.listPath ?? '').split('.').filter(Boolean))
		list = (list as IDataObject)[name];
	return (list as unknown[]).map((one) => JSON.stringify(one));
}

function errorOf(
	isFile: boolean,
	error: NonNullable<RunResult['error']>,
	description: string,
): Expected['error'] {
	const { message } = error;
	const { itemIndex } = (error as { context?: { itemIndex?: number } }).context ?? {};
	const confirmed = /confirmed ([\d,]+) of ([\d,]+)/.exec(description);
	return {
		claim: claimOf(message),
		...(isFile
			? /record (\d+) \(/i.test(message) && { record: numberIn(message, /record (\d+) \(/i) }
			: { item: itemIndex ?? -1 }),
		...(!isFile && confirmed && { confirmed: Number(confirmed[1]), of: Number(confirmed[2]) }),
	};
}

// Comparing

const ordered = (value: unknown): unknown =>
	Array.isArray(value)
		? value.map(ordered)
		: typeof value === 'object' && value !== null
			? Object.fromEntries(
					Object.entries(value)
						.sort(([a], [b]) => (a < b ? -1 : 1))
						.map(([name, one]) => [name, ordered(one)]),
				)
			: value;

/** Returns a list in an order that does not depend on the run. */
const sorted = <T>(list: T[] = []): T[] =>
	list
		.map((one) => ordered(JSON.parse(JSON.stringify(one))) as T)
		.sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));

function comparable({
	sent,
	output,
	failed,
	files,
	error,
	...others
}: Seen): Record<string, unknown> {
	const { id: _id, httpStatus: _status, ...stop } = error ?? {};
	return {
		...others,
		sent: sorted(sent),
		output: sorted(output),
		failed: sorted(failed),
		files: files.map((file) => ({
			...file,
			...{
				failed: sorted(file.failed),
				unreadable: sorted(file.unreadable),
				failures: sorted(file.failures),
			},
		})),
		...(error && { error: stop }),
	};
}

/** Fails if a run differs from its prediction, and lists what was only expected or only seen. */
export function compare(real: Seen, { untimed, ...expected }: Expected): void {
	const hidden = untimed.includes('request') ? ['request', 'attempts', 'stats'] : [];
	const shown = ({ of, json }: Shown): Shown => ({ of, json: without(json, ...hidden) });
	// Failures are listed in the order in which they are known.
	const listed = (one: Shown): Shown =>
		one.json.failures
			? {
					...one,
					json: {
						...one.json,
						failures: sorted(one.json.failures as never),
						failedIds: sorted(one.json.failedIds as never),
					},
				}
			: one;
	const [seenIn, expectedIn] = [real, expected].map((one) =>
		comparable({
			...one,
			output: one.output.map(shown),
			failed: one.failed.map(listed),
			figures: untimed.includes('retries') ? { ...one.figures, retries: 0 } : one.figures,
		}),
	) as [Record<string, unknown>, Record<string, unknown>];
	const names = [...new Set([...Object.keys(seenIn), ...Object.keys(expectedIn)])].filter(
		(name) => !untimed.includes(name as 'sent'),
	);
	const partsOf = (all: Record<string, unknown>, name: string): string[] =>
		[all[name] ?? []].flat().map((one) => `${name} ${JSON.stringify(ordered(one))}`);
	const differences = names.flatMap((name) => {
		const [is, should] = [partsOf(seenIn, name), partsOf(expectedIn, name)];
		return [
			...missingIn(should, is).map((one) => `only expected: ${one}`),
			...missingIn(is, should).map((one) => `only seen:     ${one}`),
		];
	});
	expect(differences).toEqual([]);
}

/** Returns a list without the elements of another list. */
function missingIn(list: string[], others: string[]): string[] {
	const left = [...others];
	return list.filter((one) => {
		const at = left.indexOf(one);
		if (at >= 0) left.splice(at, 1);
		return at < 0;
	});
}
