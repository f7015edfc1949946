/** Chunk Text with a scope per item: a refused token fails only what needs it. */
import type { IDataObject } from 'n8n-workflow';

import { useFiles } from '../../support/binary-data';
import { OFTEN, textsOf, useChunkText } from '../../support/chunking';
import { CONTINUE, indexes, jsonOf, pairedIndexes } from '../../support/sandbox';

const { sandbox, chunk, getResults, requests, submits, polls, jobsEnded } = useChunkText();

const SCOPE = { scope: 'custom', customScope: '={{ $json.scope }}' };
const GOOD = 'machinelearning.predict';
/** The token server issues a token for it, which the AI service refuses. */
const REFUSED_BY_SERVICE = 'machinelearning.model';
/** The token server issues none. */
const REFUSED_BY_TOKEN_SERVER = 'machinelearning.unknown';

const items = (...scopes: string[]): IDataObject[] =>
	scopes.map((scope, at) => ({ text: `text ${at}`, scope }));
const tokensFor = (scope: string) =>
	requests('token').filter(({ query }) => query.scope === scope).length;

describe.each([
	['the AI service', REFUSED_BY_SERVICE, /status 403.*, so the text was not submitted$/],
	['the token server', REFUSED_BY_TOKEN_SERVER, /invalid_scope|not one that this client/],
])('a scope that %s refuses', (_who, wrong, message) => {
	it.each([
		['submitAndWait', [GOOD, wrong, GOOD, wrong]],
		['submitAndWait', [wrong, GOOD, wrong, GOOD]],
		['submit', [wrong, GOOD, wrong, GOOD]],
	])('fails its own texts: %s %j', async (operation, scopes) => {
		Object.assign(sandbox().settings, { chunkDelayMs: 200 });
		const options = { ...OFTEN, textsPerRequest: 1, concurrency: 1 };
		const list = items(...scopes);
		const result = await chunk(list, { ...SCOPE, operation, options }, CONTINUE);
		expect(pairedIndexes(result)).toEqual(indexes(4));
		const errors = jsonOf(result.output).map(({ error }) => error);
		expect(errors).toEqual(
			scopes.map((scope) => (scope === GOOD ? undefined : expect.stringMatching(message))),
		);
		expect(tokensFor(wrong)).toBe(1);
		expect(submits().filter(({ status }) => status === 200)).toHaveLength(2);
		expect(submits().length).toBeLessThanOrEqual(3);
	});

	it('ends a node that stops', async () => {
		const options = { textsPerRequest: 1, concurrency: 1 };
		const list = items(wrong, GOOD);
		const { error } = await chunk(list, { ...SCOPE, operation: 'submit', options });
		expect(error?.message).toMatch(message);
		expect(submits().filter(({ status }) => status === 200)).toEqual([]);
	});

	it.each([[true], [false]])(
		'fails its own jobs: Get Results, Wait for Results %s',
		async (wait) => {
			const { output } = await chunk(items(GOOD, GOOD, GOOD), {
				...SCOPE,
				operation: 'submit',
				options: { textsPerRequest: 1 },
			});
			await jobsEnded();
			const list = jsonOf(output).map((json, at) => ({
				...json,
				...(at === 0 && { scope: wrong }),
			}));
			const result = await getResults(
				list,
				{ ...SCOPE, wait, options: { ...OFTEN, concurrency: 1 } },
				CONTINUE,
			);
			expect(textsOf(jsonOf(result.output))).toEqual([undefined, 'text 1', 'text 2']);
			expect(polls().filter(({ status }) => status === 200)).toHaveLength(2);
		},
	);
});

describe('with texts from files', () => {
	const files = useFiles();

	it.each([
		['submitAndWait', 'chunked'],
		['submit', 'submitted'],
	])('a refused token fails only the files that need it: %s', async (operation, done) => {
		const fileOf = async (scope: string) => ({
			...(await files.item(
				'{"id":"a","name":"A","text":"a"}\n{"id":"b","name":"B","text":"b"}\n',
			)),
			json: { scope },
		});
		const list = [
			await fileOf(GOOD),
			await fileOf(REFUSED_BY_SERVICE),
			await fileOf(GOOD),
		] as unknown as IDataObject[];
		const parameters = {
			...SCOPE,
			operation,
			textSource: 'file',
			output: 'documents',
			options: { ...OFTEN, textsPerRequest: 1 },
		};
		const { output } = await chunk(list, parameters, CONTINUE);
		const summaries = jsonOf(output).filter(({ file }) => file !== undefined);
		expect(summaries.map((summary) => [summary[done], summary.failed])).toEqual([
			[2, 0],
			[0, 2],
			[2, 0],
		]);
	});
});

it('with one scope for all items, a refusal ends the run', async () => {
	const options = { textsPerRequest: 1, concurrency: 1 };
	const list = items(...indexes(5).map(() => REFUSED_BY_SERVICE));
	const { output } = await chunk(list, { ...SCOPE, operation: 'submit', options }, CONTINUE);
	expect(jsonOf(output).filter(({ error }) => error !== undefined)).toHaveLength(5);
	expect(submits()).toHaveLength(1);
});
