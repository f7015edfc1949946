/** What Push Documents makes of responses with a 2xx status. */
import type { IDataObject } from 'n8n-workflow';

import { PushDocuments } from '../../nodes/PushDocuments/PushDocuments.node';
import { useFiles } from '../../support/binary-data';
import { runNode, type RunResult } from '../../support/engine';
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
