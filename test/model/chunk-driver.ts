/** Runs Chunk Text as a prediction assumes it. */
import type { IDataObject, INodeExecutionData, INodeParameters } from 'n8n-workflow';

import { ChunkText } from '../../nodes/ChunkText/ChunkText.node';
import type { FaultRule } from '../../sandbox';
import type { RunResult } from '../../support/engine';
import { skipPauses } from '../../support/fast-clock';
import { hintsOf, nodeRunner } from '../../support/sandbox';
import { predictChunk } from './chunk';
import { namesOf, type ChunkGiven, type JobFault } from './texts';
import { claimOf, compare, inputOf, recordsOf, ruleOf, type Seen, type World } from './driver';
import type { Failure, FileSummary, Shown } from './model';

/** Runs the node and compares the run with the prediction. */
export async function runChunk(world: World, given: ChunkGiven): Promise<void> {
	const { sandbox, credentials, fault } = world;
	const run = nodeRunner(new ChunkText(), credentials);
	const { onError, operation, jobFault } = given;
	Object.assign(sandbox().settings, {
		maxChunks: given.maxChunks === Infinity ? undefined : given.maxChunks,
	});
	let input: INodeExecutionData[] = await inputOf(given, world.files);
	// The clock stands still while the node waits for a token.
	const undo = [given.fault, jobFault].includes(401) ? () => undefined : skipPauses();
	try {
		if (operation === 'getResults') {
			const submit = { ...given, operation: 'submit' as const, keep: 'unset' as const };
			const { output } = await run(input, parametersOf(submit), {
				onError: 'continueRegularOutput',
			});
			// The results of requests are in the order in which they ended.
			input = output
				.filter(({ json }) => json.chunkingId !== undefined)
				.sort((a, b) => Number(a.json.firstRecord ?? 0) - Number(b.json.firstRecord ?? 0));
		}
		const rule = ruleOf(given.fault);
		if (rule) fault('submit', { whenBodyContains: 'hit', ...rule });
		const jobRule = ruleOfJob(jobFault);
		if (jobRule) fault('results', { whenTextContains: 'hit', ...jobRule });
		const result = await run(input, parametersOf(given), { onError });
		const real = await seenOf(world, given, result, input);
		compare(real, predictChunk(structuredClone(given)));
	} finally {
		undo();
		sandbox().reset();
	}
}

/** Returns the rule of the sandbox that makes a fault of a job. */
function ruleOfJob(fault: JobFault): Omit<FaultRule, 'route'> | undefined {
	if (fault === 'nothing') return undefined;
	if (fault === 302) return { redirectTo: 'http://127.0.0.1:9/' };
	if (typeof fault === 'number') return { status: fault };
	const answer = (body: IDataObject) => ({ status: 200, body: JSON.stringify(body) });
	const error = answer({ status: 'ERROR', message: 'Out of order' });
	const rules: Record<Exclude<JobFault, number | 'nothing'>, Omit<FaultRule, 'route'>> = {
		ERROR: error,
		'ERROR once': { ...error, jobs: 1 },
		never: answer({ status: 'SUBMITTED' }),
		lost: { status: 404 },
		'lost once': { status: 404, jobs: 1 },
		delivered: answer({ status: 'RETRIEVED' }),
		mismatch: answer({ status: 'READY', chunkedData: Array(99).fill({ chunks: ['x'] }) }),
		cut: { truncate: true },
		page: { html: true },
		'no vectors': { damage: 'otherVectorShape' },
		'once 429': { retryAfter: '0', times: 1 },
		'once 500': { status: 500, times: 1 },
	};
	return rules[fault];
}

function parametersOf(given: ChunkGiven): INodeParameters {
	const { operation, source, fields, chunker, keep, quantization, previousChunkCount } = given;
	const lines = { chunker: 'dynamic-newline', chunkerSettings: { maxChunkSize: 1 } };
	const isSubmit = operation !== 'getResults';
	const isResult = operation !== 'submit';
	return {
		operation,
		...(isSubmit && {
			textSource: source,
			modelId: { __rl: true, mode: 'id', value: 'gte-small' },
			...(chunker === 'lines' ? lines : { chunker: 'regex-splitter', regex: 'nothing.*' }),
		}),
		...(isSubmit &&
			source === 'file' && {
				textField: fields.text,
				idField: fields.id,
				nameField: fields.name,
				...(given.items[0]?.file?.listPath && { listPath: given.items[0].file.listPath }),
			}),
		...(isResult && { output: given.output }),
		...(operation === 'getResults' && { wait: given.wait }),
		options: {
			concurrency: given.concurrency,
			// A fault that lasts would otherwise be repeated for a minute.
			retryForSeconds: 1,
			...(isSubmit && {
				textsPerRequest: given.textsPerRequest,
				bytesPerRequest: given.bytesPerRequest,
				...(quantization !== 'none' && { vectorQuantizationMethod: quantization }),
			}),
			...(isSubmit &&
				source === 'file' && {
					skipRecords: given.skipRecords,
					maxRecords: given.maxRecords,
					descriptionField: fields.description,
					urlField: fields.url,
					...(given.items[0]?.file?.jsonColumns && {
						jsonColumns: given.items[0].file.jsonColumns.join(),
					}),
				}),
			...(isResult && {
				vectors: given.vectors,
				chunkDetails: given.details,
				...(given.toFiles && { outputTo: 'files' }),
				...(Object.keys(given.documentFields).length > 0 && {
					documentFields: JSON.stringify(given.documentFields),
				}),
				...(previousChunkCount > 0 && { previousChunkCount }),
				whenTimeRunsOut: given.whenTimeRunsOut,
				// A job counts as lost only after 30 seconds.
				maxWaitSeconds: String(given.jobFault).startsWith('lost') ? 300 : 5,
			}),
			...(keep !== 'unset' && {
				keepSourceFields: Array.isArray(keep) ? 'listed' : keep,
				...(Array.isArray(keep) && { sourceFieldsToKeep: keep.join() }),
			}),
		},
	};
}

/** Says what is seen of a run of Chunk Text. */
async function seenOf(
	{ sandbox, files }: World,
	given: ChunkGiven,
	result: RunResult,
	input: INodeExecutionData[],
): Promise<Seen> {
	const { error, taskData } = result;
	const isFile = given.source === 'file' && given.operation !== 'getResults';
	const submits = sandbox().requests.filter(({ route }) => route === 'submit');
	// The sandbox lists its jobs in the order of the requests that it has accepted.
	const accepted = submits.filter(({ status, body }) => body !== undefined && status <= 200);
	const jobs = new Map(
		sandbox()
			.jobs()
			.map(({ chunkingId }, at) => [
				chunkingId,
				namesOf(
					(accepted[at]?.body as { batch: Array<{ text: string }> }).batch.map(
						({ text }) => text,
					),
				),
			]),
	);
	const jobOf = (json: IDataObject): IDataObject => {
		const { chunkingId, ...others } = json;
		if (Array.isArray(json.documents))
			others.documents = (json.documents as IDataObject[]).map(jobOf) as never;
		return chunkingId === undefined
			? (others as IDataObject)
			: { ...others, job: (jobs.get(chunkingId as string) ?? null) as never };
	};
	const toErrorOutput = given.onError === 'continueErrorOutput';
	const all = [...result.output, ...result.errorOutput];
	const isSummary = ({ json }: INodeExecutionData) => 'records' in json && 'file' in json;
	const isFailed = (item: INodeExecutionData) =>
		(toErrorOutput ? result.errorOutput.includes(item) : 'advice' in item.json) &&
		!isSummary(item);
	const outputs = all.filter((item) => !isFailed(item) && !isSummary(item));
	const parts = outputs.filter(({ json }) => 'part' in json);
	const written = await Promise.all(
		parts.map(async ({ binary }) =>
			(await files.text(binary?.data))
				.trim()
				.split('\n')
				.map((line) => jobOf(JSON.parse(line) as IDataObject)),
		),
	);
	const tracing = (taskData?.metadata?.tracing ?? {}) as Record<string, number>;
	const { requests = 0, retries = 0, splits = 0, throttled = 0, bytes = 0 } = tracing;
	const failureOf = (json: IDataObject): Failure => {
		const { error: message, id, httpStatus, textPosition, response } = json;
		const { job } = jobOf(json);
		return {
			claim: job === undefined ? claimOf(String(message)) : 'job',
			...(typeof id === 'string' && id.trim() !== '' && { id }),
			...(httpStatus !== undefined && { httpStatus: httpStatus as number }),
			...(job !== undefined && { job: job as never, textPosition: textPosition as never }),
			...(response !== undefined && { hasResponse: true as const }),
		};
	};
	const failedOf = (item: INodeExecutionData): Shown => {
		const of = linked(item);
		const added = toErrorOutput ? Object.keys(input[of[0] ?? 0]?.json ?? {}) : [];
		return {
			of,
			json: without(item.json, ...added, ...FAILED),
			failure: failureOf(
				// n8n adds the ID of the input item in the error output.
				given.output === 'chunks' || given.operation === 'submit'
					? without(item.json, 'id')
					: item.json,
			),
		};
	};
	const summary = async (item: INodeExecutionData): Promise<FileSummary> => {
		const { json, binary = {} } = item;
		const stored = async (field: string) =>
			(
				await Promise.all(
					Object.entries(binary)
						.filter(([name]) => name.replace(/\d+$/, '') === field)
						.map(async ([, file]) =>
							recordsOf(await files.text(file), given.items[0]?.file),
						),
				)
			).flat();
		const numbers = (...fields: string[]) =>
			fields.reduce((sum, field) => sum + Number(json[field] ?? 0), 0);
		if ('error' in json) {
			const unaccounted =
				numbers('records') - numbers('submitted', 'chunked', 'failed', 'skipped');
			const done =
				'chunked' in json ? { chunked: json.chunked } : { submitted: json.submitted };
			return {
				of: linked(item)[0] ?? -1,
				json: { ...done, hasEnded: true, unaccounted },
				...{ failed: [], unreadable: [], failures: [] },
			};
		}
		return {
			of: linked(item)[0] ?? -1,
			json: Object.fromEntries(
				SUMMARY.filter((name) => name in json).map((name) => [
					name,
					name === 'readError' || json[name],
				]),
			) as IDataObject,
			failed: await stored('failed'),
			unreadable: await stored('unreadable'),
			failures: ((json.failures as IDataObject[] | undefined) ?? []).map((one) => ({
				record: Number(one.record),
				...failureOf(given.output === 'chunks' ? without(one, 'id') : one),
			})),
		};
	};
	const hints = hintsOf(result).join('\n');
	return {
		sent: submits
			.slice(given.operation === 'getResults' ? Infinity : 0)
			.map(({ status, bodyBytes, body }) => ({
				status,
				bytes: bodyBytes,
				...(body !== undefined && { content: body }),
			})),
		figures: { requests, retries, splits, throttled, bytes },
		output: error
			? []
			: outputs.map((item) => ({
					of: linked(item),
					json: without(jobOf(item.json), ...('part' in item.json ? ['bytes'] : [])),
				})),
		failed: error ? [] : all.filter(isFailed).map(failedOf),
		files: error ? [] : await Promise.all(all.filter(isSummary).map(summary)),
		...(written.length > 0 && { written: written.flat() }),
		facts: error ? {} : factsOf(isFile, hints),
		...(error && { error: errorOf(isFile, error) }),
	};
}

const FAILED = [
	...['id', 'error', 'advice', 'httpStatus'],
	...['chunkingId', 'textPosition', 'textsInRequest', 'response'],
];
const SUMMARY = [
	'records',
	'submitted',
	'chunked',
	'chunks',
	'failed',
	'skipped',
	'atEnd',
	'readError',
];

const without = (json: IDataObject, ...names: string[]): IDataObject =>
	Object.fromEntries(Object.entries(json).filter(([name]) => !names.includes(name)));
const linked = ({ pairedItem }: INodeExecutionData): number[] =>
	[pairedItem]
		.flat()
		.map((pair) => (typeof pair === 'object' ? pair.item : -1))
		.sort((a, b) => a - b);

function errorOf(isFile: boolean, error: NonNullable<RunResult['error']>): Seen['error'] {
	const { message } = error;
	const { itemIndex } = (error as { context?: { itemIndex?: number } }).context ?? {};
	const record = /record (\d+) \(/i.exec(message);
	return {
		claim: claimOf(message),
		...(isFile ? record && { record: Number(record[1]) } : { item: itemIndex ?? -1 }),
	};
}

const numberIn = (text: string, pattern: RegExp): number =>
	Number((pattern.exec(text)?.[1] ?? '0').replaceAll(',', ''));

function factsOf(isFile: boolean, hints: string): Record<string, number> {
	const count = (pattern: RegExp) =>
		hints.split('\n').reduce((sum, hint) => sum + numberIn(hint, pattern), 0);
	return {
		...(!isFile && {
			failed: count(/([\d,]+) of [\d,]+ texts? failed/),
			unfinished: count(/([\d,]+) texts? (?:is|are) not finished/),
		}),
		sameIds: count(/([\d,]+) documents? (?:of .* )?ha(?:s|ve) the same ID as an earlier/),
		blank: count(/([\d,]+) blank rows? .*skipped/),
		noChunks: count(/no chunks for ([\d,]+) text/) + count(/([\d,]+) records? of .* no chunks/),
		cutOff: count(/([\d,]+) (?:texts?|records?) .*\bend/),
		noVectors:
			count(/no readable vectors for ([\d,]+) text/) +
			count(/([\d,]+) records? of .* without readable vectors/),
	};
}
