import message from '../../../examples/src/code/message';

type Failure = Parameters<typeof message>[0]['failure'];

const tell = (failure: Failure) =>
	message({ failure, statusPage: 'https://status.example' })[0].json.text;

const workflow = { name: 'Sync' };

test('a message says what is known', () => {
	const node = { type: 'n8n-nodes-search-ingest.pushDocuments' };
	const error = { message: 'Down.', description: 'Try later.', node };
	expect(
		tell({ workflow, execution: { lastNodeExecuted: 'Push', url: 'https://n8n/1', error } }),
	).toBe(
		"Sync failed in 'Push'.\nDown.\nTry later.\nThe run: https://n8n/1\nThe service: https://status.example",
	);
	expect(tell({ workflow, trigger: { error: { message: 'No trigger.' } } })).toBe(
		'Sync failed.\nNo trigger.',
	);
	expect(tell({ workflow })).toBe('Sync failed.\nn8n does not say why.');
});

const STOP = 'n8n-nodes-base.stopAndError';

test.each([
	['n8n-nodes-search-ingest.chunkText', 'The AI service answered with status 503', true],
	['n8n-nodes-base.httpRequest', 'The service answered with status 503', false],
	['n8n-nodes-base.postgres', 'connection refused', false],
	[STOP, 'Documents: 1 pushed, 2 failed. 2 of 3 documents failed. The first failure: No.', true],
	[STOP, '2 records failed, the first: E', true],
	[STOP, 'The push service could not be reached: the connection was refused', true],
	[STOP, 'Documents: 0 pushed, 7 withheld. 7 of 9 documents would be deleted.', false],
	[STOP, 'Nothing was changed: the list is empty.', false],
	[undefined, 'Nothing was changed: the list is empty.', false],
])('the status page is named if a node of this package failed: %s, %s', (type, words, isOurs) => {
	const error = { message: words, ...(type && { node: { type } }) };
	const text = tell({ workflow, execution: { lastNodeExecuted: 'A', error } });
	expect(text.endsWith('The service: https://status.example')).toBe(isOurs);
});
