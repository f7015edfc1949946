/**
 * Tests ranges of records. Also tests runs that end while a file is being read.
 */
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';

import type { IDataObject, INodeExecutionData, INodeParameters, INodeType } from 'n8n-workflow';

import { ChunkText } from '../../nodes/ChunkText/ChunkText.node';
import { DeleteDocument } from '../../nodes/DeleteDocument/DeleteDocument.node';
import { PushDocuments } from '../../nodes/PushDocuments/PushDocuments.node';
import type { FaultRule } from '../../sandbox';
import { useFiles } from '../../support/binary-data';
import { eventually } from '../../support/eventually';
import { speedUp } from '../../support/fast-clock';
import type { RunOptions, RunResult } from '../../support/engine';
import { useNodeLog } from '../../support/node-log';
import { isRequesting } from '../../support/process-state';
import { CONTINUE, HANGS, hintsOf, indexes, shown, stopped, useNodes } from '../../support/sandbox';

const captured = useNodeLog();

const { sandbox, runnerOf } = useNodes();
const files = useFiles();

const lines = (count: number): string =>
	indexes(count)
		.map((at) => `${JSON.stringify({ id: `d${at}`, name: 'N', text: `Text ${at}` })}\n`)
		.join('');

/**
 * Columns: node, route, summary field that counts successful records, parameters for reading a file, and options for
 * one record per request.
 */
const NODES: Array<
	[string, FaultRule['route'], string, () => INodeType, INodeParameters, IDataObject]
> = [
	[
		'Push Documents',
		'push',
		'pushed',
		() => new PushDocuments(),
		{ documentSource: 'file' },
		{ documentsPerRequest: 1 },
	],
	['Delete Document', 'delete', 'deleted', () => new DeleteDocument(), { idSource: 'file' }, {}],
	[
		'Chunk Text',
		'submit',
		'chunked',
		() => new ChunkText(),
		{ textSource: 'file', modelId: { __rl: true, mode: 'id', value: 'gte-small' } },
		{ textsPerRequest: 1, outputTo: 'files' },
	],
];

const run = async (
	[, , , node, parameters, options]: (typeof NODES)[number],
	items: INodeExecutionData[],
	more: IDataObject = {},
	settings: Partial<RunOptions> = {},
): Promise<RunResult> =>
	await runnerOf(node(), parameters)(
		items,
		{ options: { ...options, ...more } as INodeParameters },
		settings,
	);
const [PUSH] = NODES;

/**
 * Returns a storage stream that stalls after these bytes. `waits` resolves once all of the bytes have been read.
 */
function stalled(bytes: string | Buffer): { stream: Readable; waits: Promise<void> } {
	let waiting: () => void = () => undefined;
	const waits = new Promise<void>((resolve) => (waiting = resolve));
	let isFirst = true;
	const stream = new Readable({
		read() {
			if (isFirst) this.push(bytes);
			else waiting();
			isFirst = false;
		},
	});
	return { stream, waits };
}

/** Waits until this many records have been sent, one per request, and their responses and results have arrived. */
async function allRecordsSent(route: FaultRule['route'], count: number): Promise<void> {
	const { requests } = sandbox();
	await eventually(
		() =>
			requests.filter((request) => request.route === route).length === count &&
			!isRequesting() &&
			sandbox()
				.jobs()
				.every(({ status }) => status === 'RETRIEVED'),
		() => shown(sandbox()),
	);
}

/** Returns a storage stream that fails after these bytes. */
const failing = (bytes: string | Buffer, error = new Error('EIO: i/o error')): Readable =>
	Readable.from(
		(async function* () {
			yield await Promise.resolve(Buffer.from(bytes as string));
			throw error;
		})(),
	);

const RECORDS = indexes(10).map((at) => ({ id: `d${at}`, name: 'N', text: `Text ${at}` }));
const RANGES = {
	'd.jsonl': lines(10),
	'd.json': JSON.stringify(RECORDS),
	'd.csv': `id,name,text\n${RECORDS.map((record) => `${Object.values(record).join()}\n`).join('')}`,
};

/** Files that cannot be read after their third record, and why. */
const BROKEN_AFTER_THREE: Record<string, [content: string | Buffer, name: string, rest?: string]> =
	{
		'a quote that is not closed': [
			`${RANGES['d.csv'].slice(0, RANGES['d.csv'].indexOf('d3,'))}d3,"N`,
			'd.csv',
		],
		'a list that is not closed': [
			RANGES['d.json'].slice(0, RANGES['d.json'].indexOf('"d3"')),
			'd.json',
		],
		'a gzip file that is cut off': [gzipSync(lines(3)).subarray(0, -8), 'd.jsonl.gz'],
		'a gzip file that is cut off within a record': [
			gzipSync(`${lines(3)}{"id":"d3","na`).subarray(0, -8),
			'd.jsonl.gz',
		],
		'JSON Lines in a .json file that are cut off within a record': [
			gzipSync(`${lines(3)}{"id":"d3","na`).subarray(0, -8),
			'd.json.gz',
		],
		'a gzip file of CSV that is cut off within a row': [
			gzipSync(RANGES['d.csv'].slice(0, RANGES['d.csv'].indexOf('d3,') + 4)).subarray(0, -8),
			'd.csv.gz',
		],
		'storage that fails': ['storage', 'd.jsonl'],
		'storage that fails within a record': ['storage', 'd.json', '{"id":"d3","na'],
	};

describe.each(NODES)('%s', (...node) => {
	const [, route, done] = node;

	it.each([
		['d.jsonl', 3, 4, { records: 7, [done]: 4, skipped: 3, failed: 0, atEnd: false }],
		['d.csv', 0, 4, { records: 4, [done]: 4, skipped: 0, failed: 0, atEnd: false }],
		['d.json', 7, 3, { records: 10, [done]: 3, skipped: 7, failed: 0, atEnd: true }],
		['d.jsonl', 8, 5, { records: 10, [done]: 2, skipped: 8, failed: 0, atEnd: true }],
		['d.csv', 8, 0, { records: 10, [done]: 2, skipped: 8, failed: 0, atEnd: true }],
		['d.jsonl', 12, 4, { records: 10, [done]: 0, skipped: 10, failed: 0, atEnd: true }],
	] as const)('reads of %s, after %d records, at most %d', async (name, skip, max, summary) => {
		const range = { skipRecords: skip, maxRecords: max };
		const { error, output } = await run(node, [await files.item(RANGES[name], name)], range);
		expect(error).toBeUndefined();
		expect(output.at(-1)?.json).toMatchObject(summary);
	});

	it.each(
		indexes(6).flatMap((skip) =>
			Object.entries(BROKEN_AFTER_THREE).map(([how, broken]) => [how, skip, broken] as const),
		),
	)(
		'accounts for the records of a file that breaks: %s, after %d skipped',
		async (_how, skip, broken) => {
			const [content, name, rest = ''] = broken;
			if (content === 'storage') files.opens(failing(lines(3) + rest));
			const item = await files.item(content, name);
			const result = await run(node, [item], { skipRecords: skip }, CONTINUE);
			const passedOver = Math.min(skip, 3);
			const { json, binary } = result.output.at(-1) ?? { json: {} };
			expect(json).toMatchObject({
				...{ records: 4, [done]: 3 - passedOver, skipped: passedOver, failed: 1 },
				...{ atEnd: false, readError: expect.any(String) as string },
				failures: [{ record: 4 }],
			});
			// The break itself is no record that a file of failed records could contain.
			expect(Object.values(binary ?? {}).map(({ fileName }) => fileName)).not.toContainEqual(
				expect.stringContaining('failed'),
			);
			expect(hintsOf(result).filter((hint) => hint.includes("'d."))).toHaveLength(1);
		},
	);

	it('does not report damage that follows the requested records', async () => {
		const truncated = RANGES['d.json'].slice(0, RANGES['d.json'].indexOf('"d4"'));
		const items = [await files.item(truncated, 'd.json')];
		const result = await run(node, items, { maxRecords: 4 });
		expect(result.error).toBeUndefined();
		const summary = { records: 4, [done]: 4, failed: 0, atEnd: false };
		expect(result.output.at(-1)?.json).toMatchObject(summary);
		expect(result.output.at(-1)?.json).not.toHaveProperty('readError');
	});

	it.each([
		['as it is', lines(3)],
		['compressed', gzipSync(lines(3)).subarray(0, -8)],
	])('ends with a cancel although its storage stalls: a file %s', async (_how, bytes) => {
		const { stream, waits } = stalled(bytes);
		files.opens(stream);
		// The run is canceled while no request is in flight, so the cancellation must interrupt the wait for the
		// stalled file.
		const cancelWhen = waits.then(async () => await allRecordsSent(route, 3));
		const { status } = await run(node, [await files.item('')], {}, { cancelWhen });
		await cancelWhen;
		expect(status).toBe('canceled');
		expect(stream.destroyed).toBe(true);
	});

	it('ends if the service rejects everything, even while the storage stalls', async () => {
		sandbox().faults.add({ route: route, status: 403 });
		files.opens(stalled(lines(20)).stream);
		const { output } = await run(node, [await files.item('')], {}, CONTINUE);
		expect(output.at(-1)?.json.error).toContain('403');
		expect(output.at(-1)?.json).not.toHaveProperty('readError');
	});

	it('says where to continue in an unfinished file, and does not call the file processed', async () => {
		sandbox().faults.add({ route: route, status: 307 });
		const items = [
			await files.item(lines(3), 'a.jsonl'),
			await files.item(lines(3), 'b.jsonl'),
		];
		const { output } = await run(node, items, {}, CONTINUE);
		const { progress, error } = output.at(-1)?.json ?? {};
		expect(error).toContain('307');
		// Chunk Text can process several files at the same time. The run then returns an item with an error for each
		// unfinished file, so no item has `progress`.
		expect(error).toContain("'b.jsonl'");
		expect(progress).toBeUndefined();
	});

	it.each([
		['a lost connection', { reset: 'beforeResponse' as const }],
		['a status', { status: 403 }],
	])('continues after an outage before the records that failed: %s', async (_what, fault) => {
		// Chunk Text receives the chunks of earlier records only after later records have been rejected. The run must
		// still continue at the first rejected record.
		const isChunking = route === 'submit';
		if (isChunking) sandbox().settings.chunkDelayMs = 300;
		const undo = speedUp(isChunking ? 10 : 100);
		sandbox().faults.add({ route, skip: 4, ...(isChunking && { latencyMs: 400 }), ...fault });
		const more = { retryForSeconds: 1, concurrency: 1, ignoreNotFound: true };
		const { output } = await run(node, [await files.item(lines(40))], more, CONTINUE);
		undo();
		expect(output.at(-1)?.json.error).toMatch(/ To continue, set 'Skip Records' to 4$/);
	});

	it('closes a file that it cannot use', async () => {
		const { stream } = stalled(lines(3));
		files.opens(stream);
		const { error } = await run(node, [await files.item('')], { skipRecords: -1 });
		expect(error?.message).toContain("'Skip Records'");
		expect(stream.destroyed).toBe(true);
	});

	it('does not count records as failed if a cancellation interrupted them', async () => {
		sandbox().faults.add({ route: route, ...HANGS });
		const before = captured.length;
		const item = await files.item(lines(5));
		const { error } = await stopped(
			sandbox(),
			[3],
			async (stop) => await run(node, [item], {}, stop),
		);
		expect(error?.message).toMatch(/canceled.* 0 records of the file 'documents\.jsonl'/);
		expect(error?.message).not.toMatch(/'Skip Records' to \d+ /);
		const written = captured.slice(before);
		expect(written).not.toEqual([]);
		expect(written.join('\n')).not.toContain('had failed');
	});
});

it('a success after the end of the run does not move the advice past a failed record', async () => {
	const rejected = { whenBodyContains: '"d1"', status: 401, latencyMs: 100 };
	sandbox().faults.add({ route: 'push', ...rejected });
	sandbox().faults.add({ route: 'push', latencyMs: 300 });
	const { output } = await run(PUSH, [await files.item(lines(3))], { concurrency: 3 }, CONTINUE);
	expect(output.at(-1)?.json).toMatchObject({ pushed: 2, failed: 1 });
	expect(output.at(-1)?.json.error).toMatch(/ To continue, set 'Skip Records' to 1$/);
});

it.each([
	['a quote that is not closed', 'id,name\na,A\nb,"B', 'd.csv'],
	['a list that is not closed', '[{"id":"a","name":"A"},{"id"', 'd.json'],
])('%s: says how to continue, without a file of failed records', async (_what, text, name) => {
	const result = await run(PUSH, [await files.item(text, name)], {}, CONTINUE);
	expect(hintsOf(result)).toEqual([
		expect.stringMatching(/^The file 'd\..* 'Skip Records' to 1$/),
	]);
	const { error } = await run(PUSH, [await files.item(text, name)]);
	expect(error?.description).toMatch(/^Correct the file[^.]*\. \d+ records? of the file 'd\./);
});

it('says after an outage that records from before the outage are in a file of failed records', async () => {
	sandbox().faults.add({ route: 'push', status: 401, skip: 3 });
	const bad = `{"id":"bad"}\n${lines(9)}`;
	const result = await run(PUSH, [await files.item(bad)], { concurrency: 1 }, CONTINUE);
	expect(result.output[0].json.error).toMatch(/ To continue, set 'Skip Records' to 4$/);
	expect(hintsOf(result)).toContainEqual(
		expect.stringMatching(
			/^\d records of 'documents.jsonl' failed\. .* run this node on them\.$/,
		),
	);
});

describe('storage that fails', () => {
	it.each(
		['d.jsonl', 'd.csv', 'd.json', 'd.txt'].flatMap((name) =>
			[false, true].flatMap((isCompressed) =>
				['EIO', 'ECONNRESET', 'ENOENT', undefined].map(
					(code) => [name, isCompressed ? 'compressed' : 'as it is', code] as const,
				),
			),
		),
	)('is the reason, whatever the file is: %s, %s, code %s', async (name, how, code) => {
		const text =
			name === 'd.csv' ? RANGES['d.csv'] : name === 'd.json' ? RANGES[name] : lines(9);
		const bytes = how === 'compressed' ? gzipSync(text).subarray(0, -8) : Buffer.from(text);
		const broken = Object.assign(new Error('the disk is broken'), { code });
		files.opens(failing(bytes, broken));
		const item = await files.item('', how === 'compressed' ? `${name}.gz` : name, 'a/b');
		const source = name === 'd.txt' ? 'textFile' : 'file';
		const parameters = { documentSource: source, fileDocumentId: 'd', fileDocumentName: 'D' };
		const { error } = await runnerOf(new PushDocuments(), parameters)([item], {});
		expect(error?.message).toContain('the disk is broken');
		expect(error?.message).not.toMatch(/damaged|truncated|ends early/);
	});

	it('leads to an error that names the record but no line', async () => {
		files.opens(failing(lines(2)));
		const { output } = await run(PUSH, [await files.item('')], {}, CONTINUE);
		expect(output[0].json).toMatchObject({
			records: 3,
			pushed: 2,
			readError: 'EIO: i/o error',
			failures: [{ record: 3, error: 'EIO: i/o error' }],
		});
		expect((output[0].json.failures as IDataObject[])[0]).not.toHaveProperty('line');
		files.opens(failing(lines(2)));
		const { error } = await run(PUSH, [await files.item('')]);
		expect(error?.message).toBe("'documents.jsonl', record 3: EIO: i/o error");
		expect(error?.description).toMatch(
			/^Fetch the file again\. If that does not help, check the storage .* To continue, set 'Skip Records' to \d$/,
		);
	});
});
