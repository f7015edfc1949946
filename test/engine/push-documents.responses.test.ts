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
	const server = await serve(({ body }, response) => {
		const answer = bodyOf([JSON.parse(body) as IDataObject | IDataObject[]].flat());
		if (Buffer.isBuffer(answer)) response.end(answer);
		else reply(response, 200, answer);
	});
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

/** What became of each document, as its item says. */
async function outcomes(ids: string[], body: unknown): Promise<IDataObject> {
	const documents = ids.map((id) => ({ id, name: 'A' }));
	const { output } = await push('wholeItem', documents, () => body);
	return Object.fromEntries(
		jsonOf(output).map(({ id, pushed, error = '' }) => {
			if (pushed === true) return [id, 'pushed'];
			return [id, /unknown whether/.test(String(error)) ? 'unknown' : 'not pushed'];
		}),
	);
}

describe('an ID that is a word of responses is not taken for one', () => {
	it.each<[string, string[], unknown, IDataObject]>([
		[
			'a flag of no error',
			['error', 'b'],
			{ status: 'ok', error: false },
			{ error: 'pushed', b: 'pushed' },
		],
		[
			'an object of no errors',
			['errors', 'b'],
			{ errors: {} },
			{ errors: 'pushed', b: 'pushed' },
		],
		[
			'a number of failed documents',
			['failed', 'b'],
			{ indexed: 1, failed: 1 },
			{ failed: 'unknown', b: 'unknown' },
		],
		[
			'the status of the response',
			['status', 'b'],
			{ status: 'failed' },
			{ status: 'unknown', b: 'unknown' },
		],
		[
			'what all documents are in',
			['documents', 'b'],
			{ documents: { b: { status: 422, error: 'too long' } } },
			{ documents: 'pushed', b: 'not pushed' },
		],
		[
			'what failed documents are in',
			['failed', 'b'],
			{ failed: { b: 'too long' } },
			{ failed: 'pushed', b: 'not pushed' },
		],
		[
			'the other way round',
			['results', 'failed', 'b'],
			{ results: { results: 'ok', failed: { status: 200 }, b: { status: 200 } } },
			{ results: 'pushed', failed: 'pushed', b: 'pushed' },
		],
		[
			'nor is a rejection lost, which may be that of the response',
			['documents', 'failed', 'status', 'b'],
			{ documents: 'failed', b: { status: 200 } },
			{ documents: 'unknown', failed: 'unknown', status: 'unknown', b: 'pushed' },
		],
		[
			'a word within an ID',
			['/error-handling', '/failover', 'b'],
			{
				results: {
					'/error-handling': { status: 200 },
					'/failover': 'ok',
					b: { status: 200 },
				},
			},
			{ '/error-handling': 'pushed', '/failover': 'pushed', b: 'pushed' },
		],
	])('%s', async (_, ids, body, expected) => {
		expect(await outcomes(ids, body)).toEqual(expected);
	});
});

describe('a response that is no JSON', () => {
	const text = (...lines: string[]) => Buffer.from(lines.join('\n'));

	it.each<[string, Buffer, IDataObject]>([
		[
			'a JSON object per line',
			text('{"id":"a","error":"too long"}', '{"id":"b"}', ''),
			{ a: 'not pushed', b: 'pushed' },
		],
		[
			'such lines that name no document',
			text('{"took":3}', '{"error":"one is too long"}'),
			{ a: 'unknown', b: 'unknown' },
		],
		['a number of rejected documents', text('2 documents rejected'), unknown()],
		['a sentence of that', text('1 of 2 documents has failed'), unknown()],
		['an error', text('Error: the index is read-only'), unknown()],
		['a document that was not indexed', text('1 document was not indexed.'), unknown()],
		['a text as JSON', text('"Rejected"'), unknown()],
		['words within JSON', text('{"message":"2 documents were rejected"}'), unknown()],
		['false', text('false'), unknown()],
		['damaged JSON', text('{"documents":[{"id":"a","status":422},{"id":"b"'), unknown()],
		['long damaged JSON', text(`{"documents":[{"id":"a${' '.repeat(1_000_000)}`), unknown()],
		['damaged lines', text('{"id":"a"}', '{"id":"b","error":"too'), unknown()],
		[
			'damaged JSON without a rejection',
			text('{"documents":[{"id":"a","status":201},'),
			all('pushed'),
		],
		['words of success', text('2 documents indexed, 0 failed'), all('pushed')],
		['a number of no errors', text('Errors: 0'), all('pushed')],
		['any words', text('[OK] 2 documents indexed without errors'), all('pushed')],
		['nothing', text(''), all('pushed')],
	])('%s', async (_, body, expected) => {
		expect(await outcomes(['a', 'b'], body)).toEqual(expected);
	});

	it('is of unknown outcome if it was withheld for a secret', async () => {
		const seen = Buffer.from('secret-key-1').toString('base64');
		const { output } = await push('wholeItem', [{ id: 'a', name: 'A' }], () =>
			text(`{"id":"a","status":422} ${seen}`),
		);
		expect(output[0].json.error).toBe(
			"The push service answered with text that cannot be read, so it is unknown whether document 'a' was pushed. Pushing it again is safe.",
		);
	});

	it('is quoted, with what to do', async () => {
		const { output } = await push('wholeItem', [{ id: 'a', name: 'A' }], () =>
			text('1 document rejected'),
		);
		expect(output[0].json.error).toBe(
			'The push service reported no success, "1 document rejected", so it is unknown whether document \'a\' was pushed. Pushing it again is safe.',
		);
	});

	function all(outcome: string): IDataObject {
		return { a: outcome, b: outcome };
	}

	function unknown(): IDataObject {
		return all('unknown');
	}
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
