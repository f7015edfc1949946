import type { INodeExecutionData } from 'n8n-workflow';

import type { RecordedRequest, Sandbox } from '../sandbox';
import type { TestFiles } from './binary-data';
import type { RunResult } from './engine';
import { hintsOf } from './sandbox';

const UUID = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

/** Long explanations. Their beginnings say which one it is. */
const ADVICE = /(?<="(?:advice|description)":"[^"]{30})[^"]*/g;

/** n8n's own report of an error. It only arrives if no earlier test file has set up the reporter. */
const ERROR_REPORTER = '"file":"error-reporter.js"';

/** A long word of one letter. */
const LONG_WORD = /(.)\1{30,}/g;

/** Figures that depend on the machine. */
const FIGURES = /(?<="(seconds|recordsPerSecond)":)[\d.]+|[\d.,]+ s, (?=\d)|[\d,]+ per second/g;
const TRIED_FOR = / \(tried for [\d.]+ s\)/g;

/**
 * Returns everything that users and the service can see of a run, as lines: what was sent, items with their files,
 * hints, log and error. Equal runs have equal lines.
 *
 * @param log - lines that the node wrote to n8n's log. Only the last one counts, because a slow run writes more lines
 * @param isInOrder - whether requests and items of equal runs have the same order
 */
export async function observed(
	result: RunResult,
	sandbox: Sandbox,
	files: TestFiles,
	log: readonly string[],
	isInOrder: boolean,
): Promise<string[]> {
	const { output, errorOutput, error, status } = result;
	const requests = sandbox.requests.filter(({ route }) => route !== 'results').map(requestLine);
	const items = await Promise.all([
		...output.map(async (item) => await itemLine('item', item, files, isInOrder)),
		...errorOutput.map(async (item) => await itemLine('failed', item, files, isInOrder)),
	]);
	const others = [
		...hintsOf(result).map((hint) => `hint: ${hint}`),
		...log
			.filter((line) => !line.includes(ERROR_REPORTER))
			.slice(-1)
			.map(logLine),
		`${status}${error ? `: ${error.message} | ${error.description ?? ''}` : ''}`,
	];
	const { host } = new URL(sandbox.urls.aiUrl);
	const [sent = [], returned = [], words = []] = [requests, items, others].map((lines) =>
		lines.map((line) => withoutChance(line.replaceAll(host, 'service'))),
	);
	return isInOrder
		? [...sent, ...returned, ...words]
		: [...sent.sort(), ...returned.sort(), ...words];
}

function withoutChance(text: string): string {
	return text
		.replace(UUID, 'job')
		.replace(LONG_WORD, '$1…')
		.replace(TRIED_FOR, '')
		.replace(FIGURES, '…')
		.replace(ADVICE, '…');
}

function logLine(line: string): string {
	const { level, message } = JSON.parse(line) as Record<string, string>;
	return `${level}: ${message}`;
}

function requestLine({ method, path, query, body, status }: RecordedRequest): string {
	const parameters = new URLSearchParams(query).toString();
	const sent = body === undefined ? '' : ` ${JSON.stringify(body)}`;
	return `${method} ${path}${parameters && `?${parameters}`}${sent} -> ${status}`;
}

async function itemLine(
	kind: string,
	{ json, binary = {}, pairedItem }: INodeExecutionData,
	files: TestFiles,
	isInOrder: boolean,
): Promise<string> {
	const content = await Promise.all(
		Object.entries(binary).map(async ([name, file]) => {
			const text = withoutChance(await files.text(file));
			const lines = isInOrder ? text : text.split('\n').sort().join('\n');
			return [name, `${file.fileName} ${file.mimeType} ${lines}`];
		}),
	);
	const sorted = (list: unknown) =>
		Array.isArray(list) ? list.map((one) => withoutChance(JSON.stringify(one))).sort() : list;
	const { failures, failureCounts, ...others } = json;
	const whole = isInOrder
		? json
		: { ...others, failures: sorted(failures), failureCounts: sorted(failureCounts) };
	const pairs = [pairedItem].flat().map((pair) => (typeof pair === 'object' ? pair.item : pair));
	if (!isInOrder) pairs.sort();
	const all = content.length > 0 ? ` ${JSON.stringify(Object.fromEntries(content))}` : '';
	return `${kind} of ${pairs.join()}: ${JSON.stringify(whole)}${all}`;
}
