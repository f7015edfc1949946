import fc from 'fast-check';
import type {
	IBinaryKeyData,
	IDataObject,
	INodeExecutionData,
	INodeParameters,
} from 'n8n-workflow';

import { useFiles } from '../../support/binary-data';
import { useChunkText } from '../../support/chunking';
import type { RunOptions, RunResult } from '../../support/engine';
import { runs } from '../../support/runs';
import { TO_ERROR_OUTPUT, CONTINUE, hintsOf, indexes, jsonOf } from '../../support/sandbox';
import { naming } from '../../support/wording';

const files = useFiles();
const { sandbox, chunk, getResults, submits, batches, fault, answers, jobsEnded, slowAfter } =
	useChunkText({ vectorSize: 3 });

const TO_FILES: INodeParameters = { output: 'documents', outputTo: 'files', vectors: 'compact' };
const article = (number: number, lines = 2): IDataObject => ({
	id: `a${number}`,
	name: `Article ${number}`,
	text: indexes(lines)
		.map((line) => `Line ${line} of ${number}`)
		.join('\n'),
});
const articles = (count: number) => indexes(count).map((number) => article(number));

const linesOf = async (item: INodeExecutionData, field = 'data'): Promise<IDataObject[]> =>
	(await files.text(item.binary?.[field]))
		.split('\n')
		.filter(Boolean)
		.map((line) => JSON.parse(line) as IDataObject);
const allLinesOf = async (items: INodeExecutionData[]): Promise<IDataObject[]> =>
	(await Promise.all(items.map(async (item) => await linesOf(item)))).flat();
const ids = (records: IDataObject[]) => records.map(({ id }) => id);

describe('an item with a file of plain text', () => {
	const item = async (json: IDataObject = {}, mimeType = 'text/plain') => ({
		...(await files.item('Pears.\n\nPlums.\n', 'bicycles.txt', mimeType)),
		json,
	});
	const run = async (
		given: INodeExecutionData,
		parameters: INodeParameters = {},
		settings: Partial<RunOptions> = {},
	) => await chunk([given], parameters, settings);

	const ALL = ["'Document ID'", "'Document Name'", "'Text'"];
	it.each<[string, INodeParameters, string[]]>([
		['One Item per Chunk', { output: 'chunks' }, ["'Text'"]],
		['Documents Ready to Push', { output: 'documents' }, ALL],
		['One Item per Document', { output: 'perDocument' }, ALL],
		['Submit', { operation: 'submit' }, ["'Text'"]],
	])('without a text gets advice about files: %s', async (_case, parameters, labels) => {
		const { error } = await run(await item(), parameters);
		expect(error?.message).toEqual(naming(...labels));
		expect(error?.description).toEqual(naming("'Text File' in 'Texts From'", "'File'"));
		expect(submits()).toEqual([]);
	});
});

describe('Output To: Files', () => {
	it.each([
		['on disk', 'filesystem'],
		['in memory', 'default'],
	] as const)('writes documents into parts linked to their items: %s', async (_where, mode) => {
		await files.use(mode);
		const { output } = await chunk(articles(12), {
			...TO_FILES,
			options: { bytesPerFile: 1000, textsPerRequest: 4 },
		});
		expect(output.length).toBeGreaterThan(2);
		for (const [index, item] of output.entries()) {
			const lines = await linesOf(item);
			const bytes = Buffer.from(await files.text(item.binary?.data));
			expect(item.json).toEqual({
				part: index + 1,
				records: lines.length,
				bytes: bytes.length,
			});
			expect(bytes.length).toBeLessThanOrEqual(1000);
			expect(item.binary?.data).toMatchObject({
				fileName: `chunks-${index + 1}.jsonl`,
				mimeType: 'application/x-ndjson',
			});
			const numbers = lines.map(({ parentId }) => Number(String(parentId).slice(1)));
			expect(item.pairedItem).toEqual([...new Set(numbers)].map((at) => ({ item: at })));
		}
		const all = await allLinesOf(output);
		expect(ids(all).sort()).toEqual(
			indexes(12)
				.flatMap((number) => [`a${number}#0`, `a${number}#1`])
				.sort(),
		);
		expect(all[0]).toMatchObject({
			vector: [expect.any(Number), expect.any(Number), expect.any(Number)],
		});
		expect(JSON.stringify(jsonOf(output))).not.toContain('vector');
	});

	describe.each(['documents', 'chunks'])('with the output %s', (output) => {
		it.each([
			['compact', 'items', 3],
			['list', 'items', 3],
			['none', 'items', undefined],
			['compact', 'file', 3],
			['list', 'file', 3],
			['none', 'file', undefined],
		])('the option Vectors is %s, from %s', async (vectors, source, length) => {
			const options = { vectors, outputTo: 'files' };
			const input = [
				source === 'items'
					? articles(2)
					: [await files.item(jsonLines(articles(2)), 'a.jsonl')],
				{ output, options, ...(source === 'file' && { textSource: 'file' }) },
			] as const;
			const [file] = (await chunk(...input)).output;
			const lines = await linesOf(file);
			expect(lines.map(({ vector }) => (vector as number[] | undefined)?.length)).toEqual(
				Array(4).fill(length),
			);
			if (length === undefined) expect(JSON.stringify(lines)).not.toContain('vector');
		});
	});

	it('returns failed and removed texts as items', async () => {
		fault('submit', { status: 403, times: 1 });
		const failed = await chunk(articles(1), TO_FILES, CONTINUE);
		expect(jsonOf(failed.output)).toEqual([
			expect.objectContaining({ error: expect.stringContaining('403') }),
		]);
		const { output } = await chunk(articles(1), {
			...TO_FILES,
			options: { previousChunkCount: 3 },
		});
		expect(jsonOf(output)).toEqual([
			{ id: 'a0#2', parentId: 'a0', removed: true },
			expect.objectContaining({ part: 1, records: 2 }),
		]);
	});
});

const jsonLines = (records: unknown[]): string =>
	records
		.map((record) => `${typeof record === 'string' ? record : JSON.stringify(record)}\n`)
		.join('');
const summaryOf = ({ output }: RunResult): IDataObject => output.at(-1)?.json ?? {};
const partsOf = ({ output }: RunResult): INodeExecutionData[] =>
	output.filter(({ json }) => json.part !== undefined);
const chunkFile = async (
	content: string,
	parameters: INodeParameters = {},
	settings: Partial<RunOptions> = CONTINUE,
	fileName = 'articles.jsonl',
): Promise<RunResult> =>
	await chunk(
		[await files.item(content, fileName)],
		{
			...TO_FILES,
			textSource: 'file',
			...parameters,
			options: { ...(parameters.options as object) },
		},
		settings,
	);

describe('Texts From: File', () => {
	it('reads and writes files inside the JSON', async () => {
		const { binary } = await files.item(jsonLines([...articles(4), 'oops']), 'articles.jsonl');
		const { output } = await chunk(
			[{ json: { _files: binary } }],
			{ ...TO_FILES, textSource: 'file' },
			{ ...CONTINUE, binaryMode: 'combined' },
		);
		expect(output.at(-1)?.json).toMatchObject({ records: 5, chunked: 4, failed: 1 });
		const kept = output.map(({ json }) => json._files as unknown as IBinaryKeyData);
		expect(await files.text(kept[0].data)).toContain('"parentId":"a0"');
		expect(await files.text(kept.at(-1)?.unreadable)).toBe('oops\n');
	});

	it('chunks each record and returns a summary', async () => {
		const result = await chunkFile(jsonLines(articles(25)), {
			options: { bytesPerFile: 3000 },
		});
		expect(result.error).toBeUndefined();
		expect(summaryOf(result)).toMatchObject({
			file: 'articles.jsonl',
			records: 25,
			chunked: 25,
			chunks: 50,
			failed: 0,
			skipped: 0,
			stats: { requests: 3 },
		});
		expect(sandbox().stats().chunks).toBe(50);
		const parts = partsOf(result);
		expect(parts.length).toBeGreaterThan(1);
		expect(parts[0].binary?.data.fileName).toBe('articles.chunks-1.jsonl');
		expect(parts.map(({ pairedItem }) => pairedItem)).toEqual(parts.map(() => [{ item: 0 }]));
		const chunks = await allLinesOf(parts);
		const expected = indexes(25).flatMap((at) => [`a${at}#0`, `a${at}#1`]);
		expect(ids(chunks).sort()).toEqual(expected.sort());
		expect(chunks[0]).toMatchObject({
			name: expect.stringMatching(/^Article \d+$/) as string,
			vector: [expect.any(Number), expect.any(Number), expect.any(Number)],
		});
	});

	it('reads the text and the document from other fields, and returns items', async () => {
		// The node does not trim these titles, and does not convert '4E+12' to a number.
		const meta = { title: ' T ', about: 'D', link: '' };
		const list = [
			{ nr: 7, meta, body: 'one\ntwo' },
			{ nr: 8, meta: { title: '4E+12' }, body: 'x' },
		];
		const result = await chunkFile(JSON.stringify({ list }), {
			outputTo: 'items',
			fileFormat: 'jsonArray',
			listPath: 'list',
			textField: 'body',
			idField: 'nr',
			nameField: 'meta.title',
			options: {
				descriptionField: 'meta.about',
				urlField: 'meta.link',
				keepSourceFields: 'listed',
				sourceFieldsToKeep: 'nr',
			},
		});
		const { output } = result;
		expect(output.map(({ json }) => json.name)).toEqual([' T ', ' T ', '4E+12']);
		expect(output[1]).toMatchObject({
			json: { id: '7#1', name: ' T ', description: 'D', parentId: '7', nr: 7, text: 'two' },
			pairedItem: { item: 0 },
		});
		expect(output[1].json).not.toHaveProperty('url');
		expect(hintsOf(result)).toEqual([naming('2 of 2 records', '3 chunks', '0 failed')]);
	});

	it.each<[string, INodeParameters, unknown[], boolean]>([
		['all were chunked', {}, articles(2), true],
		['Max Records ended them', { maxRecords: 1 }, articles(2), false],
		['a record of each failed', {}, [...articles(2), '{'], false],
	])('sums up files in a hint or in items: %s', async (_case, options, records, isHint) => {
		const items = ['a', 'b'].map(
			async (name) =>
				// The records of the two files have different IDs.
				await files.item(jsonLines(records).replaceAll('"a', `"${name}`), `${name}.jsonl`),
		);
		const result = await chunk(
			await Promise.all(items),
			{ output: 'documents', textSource: 'file', options },
			CONTINUE,
		);
		const summaries = jsonOf(result.output).flatMap(({ file }) => file ?? []);
		expect(summaries).toEqual(isHint ? [] : ['a.jsonl', 'b.jsonl']);
		expect(hintsOf(result).filter((one) => one.includes(' chunks, 0 failed'))).toEqual(
			isHint ? [naming('2 files', '4 of 4 records', '8 chunks')] : [],
		);
	});

	it('a record whose chunks are missing is a warning in the summary', async () => {
		sandbox().settings.maxChunks = 1;
		const texts = ['one\n two', 'The first line\nThe second line, which is longer', '\n\n'];
		const records = texts.map((text, at) => ({ id: `a${at}`, name: 'N', text }));
		const item = await files.item(jsonLines(records), 'a.jsonl');
		const options = { textsPerRequest: 1 };
		const result = await chunk([item], { output: 'documents', textSource: 'file', options });
		const { warnings, failed } = jsonOf(result.output).at(-1) ?? {};
		expect(failed).toBe(0);
		expect((warnings as string[]).sort()).toEqual([
			naming("1 record of 'a.jsonl'", 'only a part of the text', 'line 2', "'a1'"),
			naming("1 record of 'a.jsonl' has no chunks", 'line 3', "'a2'"),
		]);
		expect(hintsOf(result).join()).toContain('has no chunks');
	});

	it('reads CSV, and says which column is missing', async () => {
		const csv = 'id;name;body\r\na;A;"one; still one"\r\n';
		const result = await chunkFile(csv, { textField: 'body' }, CONTINUE, 'a.csv');
		expect(await allLinesOf(partsOf(result))).toMatchObject([{ text: 'one; still one' }]);
		const { output } = await chunkFile(csv, {}, CONTINUE, 'a.csv');
		expect(jsonOf(output)).toMatchObject([
			{
				error: naming("'a.csv'", "'text'"),
				advice: naming("'id', 'name', 'body'", "'Text Field'"),
			},
		]);
	});

	it('reports each failed record and returns it unchanged', async () => {
		const bad = ['{"id": "x", ', '{"id":"no text", "name":"n"}', '{"text":"no id"}', '[1]'];
		const records = [...articles(3), ...bad, article(9)];
		const result = await chunkFile(jsonLines(records));
		const summary = summaryOf(result);
		expect(summary).toMatchObject({ records: 8, chunked: 4, failed: 4, skipped: 0 });
		expect(summary.failures).toEqual([
			expect.objectContaining({ record: 4, line: 4, error: expect.any(String) }),
			expect.objectContaining({ record: 5, id: 'no text', error: expect.any(String) }),
			expect.objectContaining({
				record: 6,
				error: naming("'id'", "'name'"),
			}),
			expect.objectContaining({ record: 7, error: expect.any(String) }),
		]);
		const { binary } = result.output.at(-1) as INodeExecutionData;
		expect(await files.text(binary?.failed)).toBe(`${bad.slice(1).join('\n')}\n`);
		expect(await files.text(binary?.unreadable)).toBe(`${bad[0]}\n`);
		expect(summary).not.toHaveProperty('error');
	});

	it('submits the texts of a failed request again one by one', async () => {
		fault('results', { status: 200, body: '{"status":"ERROR"}', times: 1 });
		const result = await chunkFile(jsonLines(articles(12)), {
			options: { textsPerRequest: 4 },
		});
		expect(summaryOf(result)).toMatchObject({ records: 12, chunked: 12, failed: 0 });
		// The first job can fail before the last batch is submitted.
		expect(
			batches()
				.map(({ length }) => length)
				.sort(),
		).toEqual([1, 1, 1, 1, 4, 4, 4]);
	});

	it('lists the chunking IDs of jobs that do not finish', async () => {
		sandbox().settings.chunkDelayMs = 60_000;
		const result = await chunkFile(jsonLines(articles(4)), {
			options: { textsPerRequest: 2, maxWaitSeconds: 1, whenTimeRunsOut: 'output' },
		});
		const summary = summaryOf(result);
		expect(summary).toMatchObject({ records: 4, chunked: 0, chunks: 0, failed: 4 });
		const errors = JSON.stringify(summary.failures);
		expect(sandbox().jobs()).toHaveLength(2);
		for (const { chunkingId } of sandbox().jobs()) expect(errors).toContain(chunkingId);
		const failed = await linesOf(result.output.at(-1) as INodeExecutionData, 'failed');
		expect(failed).toHaveLength(4);
		expect(failed).toEqual(expect.arrayContaining(articles(4)));
	});

	it('returns responses that belong to no text in files', async () => {
		const answer = { passages: [{ body: 'Line 0 of 0, which came only once' }] };
		answers({ status: 'READY', answer });
		const result = await chunkFile(jsonLines(articles(2)), {
			options: { textsPerRequest: 1, concurrency: 1 },
		});
		const item = result.output.at(-1) as INodeExecutionData;
		expect(item.json).toMatchObject({
			records: 2,
			chunked: 1,
			failed: 1,
			responses: [{ field: 'responses', fileName: 'articles.responses.jsonl', records: 1 }],
		});
		const [{ chunkingId }] = sandbox().jobs();
		expect(await linesOf(item, 'responses')).toEqual([
			{
				record: 1,
				id: 'a0',
				chunkingId,
				textPosition: 0,
				textsInRequest: 1,
				response: { status: 'READY', answer },
			},
		]);
	});

	it.each([0, 1])(
		'stops and says what can still be fetched, after %i chunked texts',
		async (count) => {
			slowAfter(count);
			fault('submit', { status: 400, whenBodyContains: 'Line 0 of 5' });
			const { error, status } = await chunkFile(
				jsonLines(articles(6)),
				{ options: { textsPerRequest: 1, concurrency: 1 } },
				{},
			);
			expect(status).toBe('error');
			expect(error?.message).toContain("'articles.jsonl', record 6 (line 6)");
			expect(error?.description?.includes('The chunks were not returned')).toBe(count > 0);
			for (const [at, { chunkingId }] of sandbox().jobs().entries())
				expect(error?.description?.includes(chunkingId)).toBe(at >= count);
		},
	);

	it('says how to continue if the service refuses everything after a record', async () => {
		fault('submit', { status: 403, skip: 2 });
		const result = await chunkFile(jsonLines(articles(8)), {
			options: { textsPerRequest: 2, concurrency: 1 },
		});
		const { json } = result.output.at(-1) as INodeExecutionData;
		expect(json.error).toContain("To continue, set 'Skip Records' to 4");
		expect(ids(await allLinesOf(partsOf(result)))).toHaveLength(8);
		const rest = await chunkFile(jsonLines(articles(8)), { options: { skipRecords: 4 } });
		expect(summaryOf(rest)).toMatchObject({ records: 8, skipped: 4 });
	});

	const deep = '['.repeat(20_000) + ']'.repeat(20_000);
	it.each<[string, string, IDataObject, number]>([
		['is read further after these have their chunks', '', { chunked: 1200 }, 12],
		[
			'waits, and ends with a response that cannot be reported, since it is too deep',
			`{"status":"READY","passages":[${deep}]}`,
			{ error: expect.stringContaining('call stack') as string },
			7,
		],
	])('with more texts than the budget allows %s', async (_case, body, summary, most) => {
		if (body !== '') {
			sandbox().settings.chunkDelayMs = 60_000;
			fault('results', { status: 200, body, skip: 20 });
		}
		const options = { textsPerRequest: 100, concurrency: 1 };
		// The node limits how many bytes of text it keeps in memory. If it never released these bytes, the run would
		// hang and this test would time out.
		const result = await chunkFile(jsonLines(articles(1200)), { options });
		expect(summaryOf(result)).toMatchObject(summary);
		expect(submits().length).toBeLessThanOrEqual(most);
	});

	it('handles several files one after the other', async () => {
		const items = [
			await files.item(jsonLines(articles(2)), 'a.jsonl'),
			{ json: {} },
			await files.item('', 'b.jsonl'),
			await files.item(jsonLines(articles(1)), 'c.jsonl'),
		];
		const { output } = await chunk(items, { ...TO_FILES, textSource: 'file' }, CONTINUE);
		expect(
			output.map(({ json, pairedItem }) => [
				json.file ?? json.part ?? json.error,
				pairedItem,
			]),
		).toEqual([
			[1, [{ item: 0 }]],
			['a.jsonl', { item: 0 }],
			[expect.stringContaining('no file in the field'), { item: 1 }],
			[expect.stringContaining('empty'), { item: 2 }],
			[1, [{ item: 3 }]],
			['c.jsonl', { item: 3 }],
		]);
	});

	it('says of each unfinished file how far it is if the run ends', async () => {
		sandbox().settings.chunkDelayMs = 60_000;
		fault('submit', { status: 401, whenBodyContains: 'Line 0 of 2' });
		const items = [
			await files.item(jsonLines(articles(1)), 'a.jsonl'),
			await files.item(jsonLines(articles(2).slice(0, 1)), 'b.jsonl'),
			await files.item(jsonLines(articles(3)), 'c.jsonl'),
		];
		const { error } = await chunk(items, { ...TO_FILES, textSource: 'file' });
		for (const name of ['a.jsonl', 'b.jsonl', 'c.jsonl'])
			expect(error?.description).toContain(`'${name}'`);
	});

	it('ends if n8n cannot store a file, and returns what was fetched', async () => {
		const item = await files.item(jsonLines(articles(60)), 'articles.jsonl');
		files.fail(new Error('No space left on device'));
		const result = await chunk(
			[item],
			{
				...TO_FILES,
				textSource: 'file',
				options: { bytesPerFile: 1000, textsPerRequest: 2 },
			},
			CONTINUE,
		);
		const all = jsonOf(result.output);
		expect(all.at(-1)).toMatchObject({
			error: expect.stringContaining('No space left') as string,
		});
		// The items contain the chunks that were fetched before the failure, because the service might not return them
		// again.
		const kept = ids(await allLinesOf(result.output.slice(0, -1)));
		expect(kept).toHaveLength(all.at(-1)?.chunks as number);
		expect(new Set(kept).size).toBe(kept.length);
	});

	it('accounts for every record', async () => {
		const anyRecord = fc.oneof(
			{ weight: 6, arbitrary: fc.integer({ min: 1, max: 3 }) },
			fc.constantFrom('refused', 'no text', 'not JSON', 'large'),
		);
		const anyRun = fc.record({
			kinds: fc.array(anyRecord, { minLength: 1, maxLength: 30 }),
			textsPerRequest: fc.integer({ min: 1, max: 12 }),
			bytesPerFile: fc.constantFrom(1000, 100_000),
			chunkDelayMs: fc.constantFrom(0, 20),
		});
		await fc.assert(
			fc.asyncProperty(anyRun, async ({ kinds, chunkDelayMs, ...options }) => {
				sandbox().reset();
				sandbox().settings.chunkDelayMs = chunkDelayMs;
				fault('submit', { status: 400, whenBodyContains: 'refused' });
				const records = kinds.map((kind, at) =>
					typeof kind === 'number'
						? { ...article(at, kind) }
						: kind === 'not JSON'
							? '{"id":'
							: {
									id: `x${at}`,
									name: 'X',
									...(kind !== 'no text' && {
										text: kind === 'large' ? 'l'.repeat(2000) : kind,
									}),
								},
				);
				const result = await chunkFile(jsonLines(records), {
					options: { ...options, bytesPerRequest: 1500 },
				});
				const good = kinds.flatMap((kind, at) =>
					typeof kind === 'number' ? indexes(kind).map((n) => `a${at}#${n}`) : [],
				);
				const failed = kinds.filter((kind) => typeof kind === 'string').length;
				expect(summaryOf(result)).toMatchObject({
					records: kinds.length,
					chunked: kinds.length - failed,
					failed,
					skipped: 0,
					chunks: good.length,
				});
				const written = ids(await allLinesOf(partsOf(result)));
				expect(written.sort()).toEqual(good.sort());
				expect(sandbox().stats().chunks).toBe(good.length);
				expect(JSON.stringify(jsonOf(result.output))).not.toContain('vector');
			}),
			{ numRuns: runs(10) },
		);
	}, 120_000);
});

describe('Submit with Texts From: File', () => {
	it('returns one item per job, from which Get Results makes documents in files', async () => {
		const records = articles(5).map((record, at) => ({ ...record, url: `u${at}` }));
		const submitted = await chunkFile(jsonLines([...records, '{']), {
			operation: 'submit',
			options: { textsPerRequest: 2, concurrency: 1 },
		});
		const [first] = jsonOf(submitted.output);
		expect(first).toEqual({
			chunkingId: expect.any(String),
			status: 'SUBMITTED',
			firstRecord: 1,
			lastRecord: 2,
			textsInRequest: 2,
			documents: [
				{ id: 'a0', name: 'Article 0', url: 'u0' },
				{ id: 'a1', name: 'Article 1', url: 'u1' },
			],
		});
		expect(submitted.output).toHaveLength(4);
		expect(summaryOf(submitted)).toMatchObject({ records: 6, submitted: 5, failed: 1 });
		expect(summaryOf(submitted)).not.toHaveProperty('chunks');
		await jobsEnded();
		const { output } = await getResults(jsonOf(submitted.output.slice(0, 3)), {
			...TO_FILES,
			options: {},
		});
		const chunks = await allLinesOf(output);
		expect(ids(chunks).sort()).toEqual(indexes(5).flatMap((at) => [`a${at}#0`, `a${at}#1`]));
		expect(chunks.find(({ id }) => id === 'a4#0')).toMatchObject({
			name: 'Article 4',
			url: 'u4',
			parentId: 'a4',
		});
		const plain = await getResults([first], { output: 'chunks' });
		expect(jsonOf(plain.output)[0]).toEqual({
			chunkIndex: 0,
			text: 'Line 0 of 0',
			vector: expect.any(Array) as number[],
		});
	});

	it.each<[string, () => Promise<INodeExecutionData>]>([
		['fails', async () => await files.item('7', 'b.jsonl')],
		['has none', async () => await Promise.resolve({ json: {} })],
	])('names the jobs of a file if a later one %s', async (_what, second) => {
		const items = [await files.item(jsonLines(articles(2)), 'a.jsonl'), await second()];
		const { error } = await chunk(items, {
			...TO_FILES,
			textSource: 'file',
			operation: 'submit',
			options: { textsPerRequest: 1 },
		});
		const jobs = sandbox().jobs();
		expect(jobs).toHaveLength(2);
		for (const { chunkingId } of jobs) expect(error?.description).toContain(chunkingId);
	});

	it('returns unfinished texts one by one, for another Get Results', async () => {
		const submitted = await chunkFile(jsonLines(articles(2)), { operation: 'submit' });
		answers({ status: 'SUBMITTED' });
		const pending = await getResults(jsonOf(submitted.output.slice(0, 1)), TO_FILES);
		expect(jsonOf(pending.output)).toMatchObject([
			{ id: 'a0', textPosition: 0, textsInRequest: 2, status: 'SUBMITTED' },
			{ id: 'a1', textPosition: 1, textsInRequest: 2, status: 'SUBMITTED' },
		]);
		await jobsEnded();
		const { output } = await getResults(jsonOf(pending.output), { output: 'documents' });
		expect(ids(jsonOf(output))).toEqual(['a0#0', 'a0#1', 'a1#0', 'a1#1']);
	});

	it.each(['documents', 'perDocument'])(
		'has the texts that succeed and one error for each other text: %s',
		async (output) => {
			const submitted = await chunkFile(jsonLines(articles(3)), { operation: 'submit' });
			const chunks = (text: string) => ({ chunks: [text] });
			const chunkedData = [chunks('A'), 'unreadable', chunks('C')];
			answers({ status: 'READY', chunkedData });
			const result = await getResults(
				jsonOf(submitted.output.slice(0, 1)),
				{ output, options: { vectors: 'none' } },
				TO_ERROR_OUTPUT,
			);
			const documents =
				output === 'documents'
					? [{ id: 'a0#0' }, { id: 'a2#0' }]
					: [
							{ chunkCount: 1, documents: [{ id: 'a0#0' }] },
							{ chunkCount: 1, documents: [{ id: 'a2#0' }] },
						];
			expect(jsonOf(result.output)).toMatchObject(documents);
			expect(result.output).toHaveLength(2);
			expect(jsonOf(result.errorOutput)).toMatchObject([
				{ textPosition: 1, textsInRequest: 3, response: { chunkedData } },
			]);
		},
	);

	it('can fetch texts again that have failed in Get Results', async () => {
		const submitted = await chunkFile(jsonLines(articles(2)), { operation: 'submit' });
		await jobsEnded();
		answers({ status: 'ERROR', message: 'Busy' });
		const { errorOutput } = await getResults(
			jsonOf(submitted.output.slice(0, 1)),
			{ output: 'documents' },
			TO_ERROR_OUTPUT,
		);
		const items = jsonOf(errorOutput);
		expect(items).toMatchObject([
			{ textPosition: 0, textsInRequest: 2, documents: [{}, {}] },
			{ textPosition: 1, textsInRequest: 2, documents: [{}, {}] },
		]);
		const again = await getResults(items, { output: 'documents' });
		expect(ids(jsonOf(again.output))).toEqual(['a0#0', 'a0#1', 'a1#0', 'a1#1']);
		expect(jsonOf(again.output)[2]).toMatchObject({ name: 'Article 1', parentId: 'a1' });
	});
});
