/** Chunk Text and files: chunks written to files. */
import type { IDataObject, INodeExecutionData, INodeParameters } from 'n8n-workflow';

import { OFTEN, useChunkText } from '../../support/chunking';
import { indexes, jsonOf, useSandbox, useShortBackoff } from '../../support/sandbox';

useShortBackoff();
const sandbox = useSandbox({ settings: { vectorSize: 3 } });
const { chunk, getResults, fault, jobsEnded, batches } = useChunkText(sandbox);

const TO_FILES: INodeParameters = { output: 'documents', outputTo: 'files', vectors: 'compact' };
const article = (number: number, lines = 2): IDataObject => ({
	id: `a${number}`,
	name: `Article ${number}`,
	text: indexes(lines)
		.map((line) => `Line ${line} of ${number}`)
		.join('\n'),
});
const articles = (count: number) => indexes(count).map((number) => article(number));

const bytesOf = ({ binary }: INodeExecutionData, field = 'data'): Buffer =>
	Buffer.from(binary?.[field]?.data ?? '', 'base64');
const linesOf = (item: INodeExecutionData, field = 'data'): IDataObject[] =>
	bytesOf(item, field)
		.toString()
		.split('\n')
		.filter(Boolean)
		.map((line) => JSON.parse(line) as IDataObject);
const ids = (records: IDataObject[]) => records.map(({ id }) => id);

describe('Output To: Files', () => {
	it('writes documents with vectors as numbers into parts linked to their items', async () => {
		const { output } = await chunk(articles(12), {
			...TO_FILES,
			options: { ...OFTEN, bytesPerFile: 1000, textsPerRequest: 4 },
		});
		expect(output.length).toBeGreaterThan(2);
		for (const [index, item] of output.entries()) {
			const lines = linesOf(item);
			const bytes = bytesOf(item);
			expect(item.json).toEqual({
				part: index + 1,
				records: lines.length,
				bytes: bytes.length,
				firstId: lines[0].id,
				lastId: lines.at(-1)?.id,
			});
			expect(bytes.length).toBeLessThanOrEqual(1000);
			expect(item.binary?.data).toMatchObject({
				fileName: `chunks-${index + 1}.jsonl`,
				mimeType: 'application/x-ndjson',
			});
			const numbers = lines.map(({ parentId }) => Number(String(parentId).slice(1)));
			expect(item.pairedItem).toEqual([...new Set(numbers)].map((at) => ({ item: at })));
		}
		const all = output.flatMap((item) => linesOf(item));
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

	it.each<[string, INodeParameters, number]>([
		['chunks', { output: 'chunks' }, 6],
		['texts', { output: 'texts' }, 3],
		['raw responses', { output: 'raw' }, 1],
	])('writes %s', async (_what, parameters, records) => {
		const { output } = await chunk(articles(3), { ...TO_FILES, ...parameters });
		expect(jsonOf(output)).toEqual([expect.objectContaining({ part: 1, records })]);
		const [file] = output.map((item) => linesOf(item));
		expect(file).toHaveLength(records);
		expect(JSON.stringify(file).match(/"Line \d of \d"/g)).toHaveLength(
			sandbox().stats().chunks,
		);
	});

	it('omits vectors if they are not wanted', async () => {
		const { output } = await chunk(articles(1), { ...TO_FILES, vectors: 'none' });
		expect(linesOf(output[0])[0]).not.toHaveProperty('vector');
	});

	it('returns failed and removed texts as items', async () => {
		fault('submit', { status: 403, times: 1 });
		const failed = await chunk(articles(1), TO_FILES, { onError: 'continueRegularOutput' });
		expect(jsonOf(failed.output)).toEqual([
			expect.objectContaining({ error: expect.stringContaining('403') }),
		]);
		const { output } = await chunk(articles(1), {
			...TO_FILES,
			options: { previousChunkCount: 3 },
		});
		expect(jsonOf(output)).toEqual([
			expect.objectContaining({ part: 1, records: 2 }),
			{ id: 'a0#2', parentId: 'a0', removed: true },
		]);
	});

	it('returns no file if there is nothing to write', async () => {
		fault('submit', { status: 403 });
		const { output } = await chunk(articles(3), TO_FILES, {
			onError: 'continueRegularOutput',
		});
		expect(output).toHaveLength(3);
		expect(output.some(({ binary }) => binary)).toBe(false);
	});

	it('keeps the order of the texts although later ones finish first', async () => {
		const slowFirst = async (keepOrder: boolean) => {
			fault('submit', { latencyMs: 300, whenBodyContains: 'Line 0 of 0', times: 1 });
			const { output } = await chunk(articles(6), {
				...TO_FILES,
				options: { ...OFTEN, textsPerRequest: 2, keepOrder },
			});
			return ids(linesOf(output[0]));
		};
		const inOrder = articles(6).flatMap(({ id }) => [`${id}#0`, `${id}#1`]);
		expect(await slowFirst(false)).not.toEqual(inOrder);
		expect(await slowFirst(true)).toEqual(inOrder);
	});

	it('is available to Get Results', async () => {
		const submitted = await chunk(articles(3), { operation: 'submit' });
		await jobsEnded();
		const { output } = await getResults(jsonOf(submitted.output), {
			...TO_FILES,
			options: { keepOrder: true },
		});
		expect(jsonOf(output)).toEqual([
			expect.objectContaining({ part: 1, records: 6, firstId: 'a0#0', lastId: 'a2#1' }),
		]);
		expect(batches()).toHaveLength(1);
	});
});
