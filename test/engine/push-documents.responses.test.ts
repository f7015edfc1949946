/** What Push Documents makes of responses with a 2xx status. */
import type { IDataObject } from 'n8n-workflow';

import { PushDocuments } from '../../nodes/PushDocuments/PushDocuments.node';
import { useFiles } from '../../support/binary-data';
import { runNode, type RunResult } from '../../support/engine';
import { measureComputing } from '../../support/event-loop';
import { reply } from '../../support/http-server';
import { jsonOf, useServers, useShortBackoff } from '../../support/sandbox';

useShortBackoff();
const serve = useServers();
const files = useFiles();

/** Pushes items, or the same as records of a file, to a service that responds as told. */
async function push(
	source: 'wholeItem' | 'file',
	documents: IDataObject[],
	bodyOf: (sent: IDataObject[]) => unknown,
	apiKey = 'secret-key-1',
): Promise<RunResult> {
	const server = await serve(({ body }, response) =>
		reply(response, 200, bodyOf([JSON.parse(body) as IDataObject | IDataObject[]].flat())),
	);
	const lines = documents.map((document) => JSON.stringify(document)).join('\n');
	return await runNode({
		node: new PushDocuments(),
		items:
			source === 'file'
				? [await files.item(lines, 'd.jsonl')]
				: documents.map((json) => ({ json })),
		parameters: { documentSource: source },
		credentials: {
			pushEndpointApi: { pushUrl: server.url, endpoint: 'docs', apiKey },
		},
		onError: 'continueRegularOutput',
	});
}

it('documents are not called pushed if a response is too deep to be read', async () => {
	const deep = (value: unknown) => Array.from({ length: 12 }).reduce((inner) => [inner], value);
	const { output } = await push(
		'wholeItem',
		[
			{ id: 'a', name: 'A' },
			{ id: 'b', name: 'B' },
		],
		() => [{ id: 'a', status: 201 }, deep({ id: 'b', status: 422 })],
	);
	expect(jsonOf(output)).toEqual([
		expect.objectContaining({ id: 'a', pushed: true }),
		expect.objectContaining({
			id: 'b',
			error: "The push service answered in more than 12 levels of lists and objects, and what is deeper is not read, so it is unknown whether document 'b' was pushed. Pushing it again is safe.",
		}),
	]);
});

describe.each(['wholeItem', 'file'] as const)('documents from %s', (source) => {
	const failed = ({ output }: RunResult): unknown[] =>
		source === 'file'
			? (output[0].json.failures as IDataObject[]).map(({ id }) => id)
			: jsonOf(output).flatMap(({ id, error }) => (error === undefined ? [] : [id]));

	const a = {
		id: 'a',
		name: 'A',
		error: { code: 7, at: { line: 1, column: 2 } },
		errors: [{ level: 'warning', text: 'old' }],
		related: [{ status: 'rejected', id: 'b' }],
	};
	const repeated = {
		errors: [{ text: 'old', level: 'warning' }],
		error: { at: { column: 2, line: 1 }, code: 7 },
		related: [{ id: 'b', status: 'rejected' }],
		name: 'A',
		id: 'a',
	};
	const b = { id: 'b', name: 'B' };

	it.each<[string, unknown]>([
		['in a list', { documents: [repeated, b] }],
		['under their IDs', { results: { a: repeated, b: { status: 'ok' } } }],
		['beside a status', [{ ...repeated, status: 201, related: [{ ...b, error: 'x' }] }, b]],
	])('that are repeated with their members in another order are pushed: %s', async (_, body) => {
		expect(failed(await push(source, [a, b], () => body))).toEqual([]);
	});

	it('fail with an error that is not their own', async () => {
		const error = { ...repeated.error, code: 8 };
		expect(failed(await push(source, [a, b], () => [{ ...repeated, error }, b]))).toEqual([
			'a',
		]);
	});
});

it('a key of digits that the response has as a number is not returned', async () => {
	const apiKey = '8412356790';
	const body = { keys: [1, Number(apiKey), [Number(apiKey)]], [apiKey]: Number(apiKey) };
	const result = await push('wholeItem', [{ id: 'a', name: 'A' }], () => body, apiKey);
	expect(jsonOf(result.output)[0].response).toEqual({
		keys: [1, '***', ['***']],
		'***': '***',
	});
});

describe('a very long response', () => {
	const results = (length: number, start = 0) =>
		Array.from({ length }, (_, at) => ({ id: `d${start + at}`, status: 201 }));

	const pushOne = async (pushUrl: string, id: string): Promise<RunResult> =>
		await runNode({
			node: new PushDocuments(),
			items: [{ json: { id, name: 'A' } }],
			parameters: {},
			credentials: { pushEndpointApi: { pushUrl, endpoint: 'docs', apiKey: 'secret-key-1' } },
			onError: 'continueRegularOutput',
		});

	it('is masked and matched in short steps', async () => {
		const body = Buffer.from(JSON.stringify({ results: results(300_000) }));
		const server = await serve((_request, response) => {
			response.writeHead(200, { 'Content-Type': 'application/json' });
			response.end(body);
		});
		let result: RunResult | undefined;
		const { longestMs, totalMs } = await measureComputing(async () => {
			result = await pushOne(server.url, 'd299999');
		});
		expect(jsonOf(result?.output ?? [])[0]).toMatchObject({
			pushed: true,
			response: { id: 'd299999' },
		});
		// A busy machine makes steps longer, and so the whole: a third of it went into one step.
		expect(longestMs).toBeLessThan(Math.max(100, totalMs / 8));
	}, 60_000);

	it('is read up to 32 MB: what is longer is of unknown outcome', async () => {
		let sentBytes = 0;
		const server = await serve((_request, response) => {
			response.writeHead(200, { 'Content-Type': 'application/json' });
			const piece = `${JSON.stringify(results(20_000)).slice(1, -1)},`;
			const send = () => {
				while (!response.destroyed && response.write(piece)) sentBytes += piece.length;
			};
			response.write('{"results":[');
			response.on('drain', send);
			send();
		});
		const { output } = await pushOne(server.url, 'a');
		expect(output[0].json.error).toBe(
			"The response of the push service is longer than 32 MB and was not read to its end, so it is unknown whether document 'a' was pushed. Pushing it again is safe.",
		);
		expect(server.requests).toHaveLength(1);
		expect(sentBytes).toBeLessThan(64_000_000);
	}, 60_000);
});
