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

const DOCUMENTS = ['a', 'b', 'c'].map((id) => ({ id, name: 'A', status: 'draft' }));
const BODY = {
	success: false,
	message: 'not all',
	results: [
		{ id: 'a', status: 201 },
		{ id: 'b', status: 422, error: 'too long' },
	],
};

/** Pushes the documents as items, or as records of a file, to a service that answers with a body. */
async function push(source: 'wholeItem' | 'file', body: unknown): Promise<RunResult> {
	const server = await serve((_request, response) => reply(response, 200, body));
	const lines = DOCUMENTS.map((document) => JSON.stringify(document)).join('\n');
	return await runNode({
		node: new PushDocuments(),
		items:
			source === 'file'
				? [await files.item(lines, 'd.jsonl')]
				: DOCUMENTS.map((json) => ({ json })),
		parameters: { documentSource: source },
		credentials: {
			lucidworksPushApi: { pushUrl: server.url, endpoint: 'docs', apiKey: 'secret-key-1' },
		},
		onError: 'continueRegularOutput',
	});
}

it('is read for each item: accepted, rejected, or of unknown outcome', async () => {
	const { output } = await push('wholeItem', BODY);
	expect(jsonOf(output)).toEqual([
		expect.objectContaining({ id: 'a', pushed: true, response: { id: 'a', status: 201 } }),
		{
			id: 'b',
			httpStatus: 422,
			error: 'The push service rejected the document with status 422, "too long", so document \'b\' was not pushed',
		},
		{
			id: 'c',
			error: 'The push service reported a failure, "not all", so it is unknown whether document \'c\' was pushed. Pushing it again is safe.',
		},
	]);
});

it('is read for each record of a file', async () => {
	const { output } = await push('file', BODY);
	expect(jsonOf(output)).toMatchObject([{ pushed: 1, failed: 2 }]);
	const failures = output[0].json.failures as IDataObject[];
	expect(failures.map(({ id }) => id)).toEqual(['b', 'c']);
});

it('may repeat the documents, whatever fields they have', async () => {
	const { output } = await push('wholeItem', DOCUMENTS);
	expect(jsonOf(output).map(({ pushed }) => pushed)).toEqual([true, true, true]);
});
