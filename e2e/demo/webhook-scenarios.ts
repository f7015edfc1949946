import type { Stage } from './stage';
import { repositoryDocuments } from './documents';

/** Number of words in a query. With this many words, a query finds exactly one chunk. */
const QUERY_WORDS = 6;

/** Returns the first long words of a text. A search for these words finds the text. */
function queryFor(text: string): string {
	const words = [...new Set(text.match(/\p{L}{5,}/gu) ?? [])];
	return words.slice(0, QUERY_WORDS).join(' ');
}

interface Answer {
	error: string;
}

/**
 * Calls an example with malformed bodies. Checks that the response names the expected format, that the run fails, and
 * that the service receives nothing.
 */
async function refuseBadCalls(stage: Stage, example: string, bodies: object[]): Promise<void> {
	const { sandbox } = stage.demo;
	const before = sandbox.requests.length;
	for (const body of bodies) {
		const { status, message, response } = await stage.callWebhook(example, body);
		const { error } = response.body as Answer;
		stage.checks.add(
			`${example}: a call with ${JSON.stringify(body)} gets status 400 and the expected shape, and the run fails`,
			response.status === 400 && error.includes('Expected: {') && status === 'error',
			`${response.status}, ${status}: ${error}; ${String(message)}`,
		);
	}
	const sent = sandbox.requests.length - before;
	stage.checks.add(`${example}: calls of a wrong shape send nothing`, sent === 0, `${sent}`);
}

/**
 * Calls an example and expects part of its work to fail. Checks that the response reports this partial failure. Also
 * checks that the run fails.
 */
async function failPartly(
	stage: Stage,
	example: string,
	body: object,
	why: string,
): Promise<Record<string, unknown>> {
	const { status, response } = await stage.callWebhook(example, body);
	stage.demo.sandbox.faults.clear();
	const { error } = response.body as Answer;
	stage.checks.add(
		`${example}: a call of which a part fails gets status 500 and the reason, and the run fails`,
		response.status === 500 && error.includes(why) && status === 'error',
		`${response.status}, ${status}: ${error}`,
	);
	return response.body as Record<string, unknown>;
}

/**
 * Sends this repository's Markdown to the webhook. Checks that the Markdown is chunked, pushed and found. Then sends
 * the sample data.
 */
export async function ingest(stage: Stage): Promise<void> {
	const { checks } = stage;
	const documents = repositoryDocuments();
	const execution = await stage.runByWebhook('ingest-documents', { documents });
	const chunks = execution.items('Chunk Text').length;
	const indexed = stage.chunksOf(documents.map(({ id }) => id));
	checks.add('Every document gives chunks', chunks >= documents.length, `${chunks} chunks`);
	checks.add(
		'Every chunk is in the index',
		indexed.length >= chunks && chunks > 0,
		`${indexed.length} indexed`,
	);
	const first = indexed[0] ?? { id: '', text: '' };
	const query = queryFor(first.text);
	const hits = stage.search(query);
	checks.add(
		'The search finds what was pushed',
		hits.some(({ id }) => id === first.id),
		`'${query}' finds ${hits.length}`,
	);
	await stage.runByHand('ingest-documents');
	const samples = sampleChunks(stage);
	checks.add('The sample documents are indexed', samples.length === 4, samples.join(', '));
	const document = { id: 'ingest/bare', name: 'Bare', text: '# Bare\nNot in a list.' };
	const wrong = [[document], document, { docs: [document] }, {}, { documents: document }];
	await refuseBadCalls(stage, 'ingest-documents', wrong);
	const two = { documents: [document, { ...document, text: '# Other' }] };
	await refuseBadCalls(stage, 'ingest-documents', [two]);
	const both = [document, document, { ...document, id: 'ingest/no-text', text: '' }];
	await failPartly(stage, 'ingest-documents', { documents: both }, 'failed. The first failure: ');
	const pushed = stage.chunksOf(['ingest/bare']).length;
	checks.add('What did not fail is pushed', pushed === 1, `${pushed} chunks`);
}

function sampleChunks(stage: Stage): string[] {
	return stage.chunksOf(['handbook/returns.md', 'handbook/shipping.md']).map(({ id }) => id);
}

/**
 * Checks that a deleted document disappears from the index immediately and that all others remain. Then sends the
 * sample data.
 */
export async function remove(stage: Stage): Promise<void> {
	const { checks } = stage;
	const deleted = stage.chunksOf(repositoryDocuments().map(({ id }) => id)).at(-1);
	if (!deleted) throw new Error('The index has no document to delete');
	const query = queryFor(deleted.text);
	const finds = () => stage.search(query).some(({ id }) => id === deleted.id);
	checks.add('The search finds the document to be deleted', finds(), deleted.id);
	const before = stage.documents().length;
	const execution = await stage.runByWebhook('delete-documents', { ids: [deleted.id] });
	const after = stage.documents().length;
	checks.add('The search no longer finds the deleted document', !finds(), deleted.id);
	checks.add(
		'Nothing else was deleted',
		after === before - 1,
		`${before} before, ${after} after`,
	);
	const [item] = execution.items('Delete Document');
	checks.add('The node returns { deleted: true }', item?.json.deleted === true);
	await stage.runByHand('delete-documents');
	const left = sampleChunks(stage);
	checks.add('The sample deletes are committed', left.length === 2, left.join(', '));
	const wrong = [['a'], { id: 'a' }, { ids: 'a' }, { ids: [{ id: 'a' }] }, {}];
	await refuseBadCalls(stage, 'delete-documents', wrong);
	stage.demo.sandbox.faults.add({ route: 'delete', status: 400, times: 1 });
	const body = await failPartly(stage, 'delete-documents', { ids: ['x', 'y'] }, '1 of 2 deletes');
	checks.add('The other document is deleted', body.deleted === 1, JSON.stringify(body));
}

/**
 * Sends a document with three chunks, and then a shorter version of the document. Checks that the extra chunk is
 * removed from the index.
 */
export async function update(stage: Stage): Promise<void> {
	const example = 'update-documents';
	const id = 'update/shrinking.md';
	const versions = [
		{ sections: ['Almond', 'Blackberry', 'Chestnut'], previousChunkCount: 0 },
		{ sections: ['Almond', 'Blueberry'], previousChunkCount: 3 },
	];
	for (const [number, { sections, previousChunkCount }] of versions.entries()) {
		const text = sections.map((section) => `# ${section}`).join('\n');
		const documents = [{ id, name: 'Shrinking', text, previousChunkCount }];
		const { response } = await stage.callWebhook(example, { documents });
		const indexed = stage.chunksOf([id]).map((chunk) => chunk.id);
		const expected = sections.map((_section, position) => `${id}#${position}`);
		stage.checks.add(
			`The index has the chunks of the document (update ${number + 1})`,
			indexed.sort().join() === expected.join(),
			indexed.join(', '),
		);
		const answer = { documents: [{ id, chunkCount: sections.length }], error: '' };
		stage.checks.add(
			`The caller gets the number of its chunks (update ${number + 1})`,
			response.status === 200 && JSON.stringify(response.body) === JSON.stringify(answer),
			JSON.stringify(response.body),
		);
	}
	await updateAfterFailure(stage, example, id);
	const document = { id, name: 'Shrinking', text: '# Apple', previousChunkCount: 2 };
	const uncounted = { ...document, previousChunkCount: undefined };
	const two = [document, { ...document, text: '# Pear' }];
	const wrong = [[document], document, { docs: [document] }, {}];
	const unclear = [{ documents: [uncounted] }, { documents: two }];
	await refuseBadCalls(stage, example, [...wrong, ...unclear]);
	const other = { id: 'update/other.md', name: 'Other', text: '# Other', previousChunkCount: 0 };
	stage.demo.sandbox.faults.add({ route: 'submit', status: 400, whenBodyContains: 'Apple' });
	const body = await failPartly(
		stage,
		example,
		{ documents: [document, other] },
		'1 of 2 documents',
	);
	stage.checks.add(
		'The caller gets the number of chunks of what did not fail',
		JSON.stringify(body.documents) === JSON.stringify([{ id: other.id, chunkCount: 1 }]),
		JSON.stringify(body),
	);
}

/**
 * Pushes more chunks than before, but the response is lost. Checks that the caller learns how many chunks the index
 * might contain, and that the next call removes the chunks that are no longer part of the document.
 */
async function updateAfterFailure(stage: Stage, example: string, id: string): Promise<void> {
	const { faults } = stage.demo.sandbox;
	// The service processes the first attempt, but the node receives no response. The service rejects the next attempt.
	faults.add({ route: 'push', reset: 'afterWork', times: 1 });
	faults.add({ route: 'push', status: 400 });
	const document = (text: string, previousChunkCount: number) => ({
		documents: [{ id, name: 'Shrinking', text, previousChunkCount }],
	});
	const body = await failPartly(stage, example, document('# A\n# B\n# C\n# D', 2), '1 of 1');
	const [{ chunkCount } = { chunkCount: 0 }] = body.documents as Array<{ chunkCount: number }>;
	await stage.callWebhook(example, document('# A\n# B', chunkCount));
	const left = stage.chunksOf([id]).map((chunk) => chunk.id);
	stage.checks.add(
		'The caller gets the larger number of chunks of a document that failed, and the next call removes them',
		chunkCount === 4 && left.sort().join() === `${id}#0,${id}#1`,
		`${JSON.stringify(body.documents)}; ${left.join(', ')}`,
	);
}
