/** Tests that a text never receives the chunks or vectors of another text. */
import type { IDataObject } from 'n8n-workflow';

import { texts, useChunkText } from '../../support/chunking';
import { CONTINUE, indexes, jsonOf, pairedIndexes } from '../../support/sandbox';
import { naming } from '../../support/wording';

const { sandbox, jobs, chunk, getResults, polls, fault, answers, jobsEnded } = useChunkText();

const DOCUMENTS = { output: 'documents' };
const textsById = (items: IDataObject[]) =>
	Object.fromEntries(items.map(({ id, text }) => [id, text]));
describe('documents that share a request', () => {
	const options = { maxWaitSeconds: 1 };
	const expected = { 'i0#0': 'text 0', 'i1#0': 'text 1' };

	async function late() {
		fault('results', { status: 200, body: '{"status":"SUBMITTED"}' });
		const { output } = await chunk(texts(2), { ...DOCUMENTS, options }, CONTINUE);
		const failed = jsonOf(output);
		expect(failed.map(({ textPosition }) => textPosition)).toEqual([0, 1]);
		sandbox().faults.clear();
		await jobsEnded();
		return texts(2).map((item, at) => ({ ...item, ...failed[at] }));
	}

	it('keep their own chunks when they are fetched after a timeout', async () => {
		const items = (await late()).reverse();
		const { output } = await getResults(items, DOCUMENTS);
		expect(textsById(jsonOf(output))).toEqual(expected);
	});

	it.each(['documents', 'chunks'])(
		'fail rather than get the chunks of others if their position is lost: %s',
		async (output) => {
			const items = (await late()).map(({ id, name, chunkingId }) => ({
				id,
				name,
				chunkingId,
			}));
			const result = await getResults(items, { output }, CONTINUE);
			for (const { error } of jsonOf(result.output)) {
				expect(error).toContain('2 texts');
			}
			expect(jsonOf(result.output)[0]?.response).toMatchObject({ status: 'READY' });
		},
	);
});

describe('a response with more or fewer results than texts', () => {
	const reply = {
		status: 'READY',
		chunkedData: [{ chunks: ['x'] }, { chunks: ['y'] }],
		more: 'kept',
	};

	it.each(['continueRegularOutput', 'continueErrorOutput'] as const)(
		'fails their items, with the chunking ID and the response: %s',
		async (onError) => {
			answers(reply);
			const result = await chunk(texts(3), {}, { onError });
			const [{ chunkingId }] = jobs();
			const isRegular = onError === 'continueRegularOutput';
			const items = isRegular ? result.output : result.errorOutput;
			const failed = {
				error: naming('2 results', '3 texts', chunkingId),
				advice: expect.stringMatching(
					/^Submit the texts with 'Texts per Request' set to 1/,
				),
				chunkingId,
			};
			expect(jsonOf(items)).toMatchObject(
				texts(3).map((item, at) => ({
					...(!isRegular && item),
					...failed,
					textPosition: at,
					textsInRequest: 3,
					...(at === 0 && { response: reply }),
				})),
			);
			expect(pairedIndexes(result)).toEqual([0, 1, 2]);
			expect(polls()).toHaveLength(1);
		},
	);
});

describe('vectors', () => {
	const options = {};
	const items: IDataObject[] = ['A', 'B'].map((name) => ({
		id: name,
		name,
		text: `${name} one\n${name} two`,
	}));
	const older = (vectors: number) => ({
		status: 'READY',
		chunkedData: [{ chunks: ['A one', 'A two'] }, { chunks: ['B one', 'B two'] }],
		vector: indexes(vectors).map((at) => ({ vector: [at, at] })),
	});
	const nested = (...vectors: unknown[]) => ({
		status: 'READY',
		chunkedData: [
			{ chunks: ['A one', 'A two'], vectors },
			{ chunks: ['B one'], vectors: [{ vector: [7, 7] }] },
		],
	});

	it.each([3, 5, 1, 8])(
		'older format, four chunks and %i vectors: both texts fail and keep the response',
		async (vectors) => {
			answers(older(vectors));
			const { output } = await chunk(items, { options }, CONTINUE);
			const error = naming(`${vectors} vector`, '4 chunks');
			expect(jsonOf(output)).toEqual([
				expect.objectContaining({ error, textPosition: 0, response: older(vectors) }),
				expect.objectContaining({ error, textPosition: 1 }),
			]);
			expect(jsonOf(output)[1]).not.toHaveProperty('response');
		},
	);

	it.each<[string, object]>([
		['older', older(3)],
		['newer', nested({ vector: [1, 2] })],
	])(
		'without vectors the texts succeed, whatever their number: %s shape',
		async (_shape, body) => {
			answers(body);
			const { output } = await chunk(items, { options, vectors: 'none' });
			const texts = jsonOf(output);
			expect(texts.slice(0, 3).map(({ text }) => text)).toEqual(['A one', 'A two', 'B one']);
			expect(texts.some((item) => 'vector' in item)).toBe(false);
		},
	);
});
