import type { Stage } from './stage';
import { repositoryDocuments } from './documents';

/** Number of words in a query. With this many words, a query finds exactly one chunk. */
const QUERY_WORDS = 6;

/** Returns the first long words of a text. A search for these words finds the text. */
function queryFor(text: string): string {
	const words = [...new Set(text.match(/\p{L}{5,}/gu) ?? [])];
	return words.slice(0, QUERY_WORDS).join(' ');
}

const EXAMPLE = 'updates-by-webhook';

interface Outcome {
	id: string;
	status: 'pushed' | 'deleted' | 'failed';
	chunkCount: number;
	error?: string;
}

interface Answer {
	pushed: number;
	deleted: number;
	failed: number;
	documents: Outcome[];
	error: string;
}

/** Calls the example for changes that succeed. Returns the body of the response. */
async function send(stage: Stage, body: object): Promise<Answer> {
	const { response } = await stage.runByWebhook(EXAMPLE, body);
	return response.body as Answer;
}

/**
 * Calls the example with malformed bodies. Checks that the response names the expected format, that the run fails, and
 * that the service receives nothing.
 */
async function refuseBadCalls(stage: Stage, bodies: object[]): Promise<void> {
	const { sandbox } = stage.demo;
	const before = sandbox.requests.length;
	for (const body of bodies) {
		const { status, message, response } = await stage.callWebhook(EXAMPLE, body);
		const { error } = response.body as Answer;
		stage.checks.add(
			`${EXAMPLE}: a call with ${JSON.stringify(body)} gets status 400 and the expected shape, and the run fails`,
			response.status === 400 && error.includes('Expected: {') && status === 'error',
			`${response.status}, ${status}: ${error}; ${String(message)}`,
		);
	}
	const sent = sandbox.requests.length - before;
	stage.checks.add(`${EXAMPLE}: calls of a wrong shape send nothing`, sent === 0, `${sent}`);
}

/**
 * Calls the example and expects part of its work to fail. Checks that the response reports this partial failure. Also
 * checks that the run fails.
 */
async function failPartly(stage: Stage, body: object, why: string): Promise<Answer> {
	const { status, response } = await stage.callWebhook(EXAMPLE, body);
	stage.demo.sandbox.faults.clear();
	const answer = response.body as Answer;
	stage.checks.add(
		`${EXAMPLE}: a call of which a part fails gets status 500 and the reason, and the run fails`,
		response.status === 500 && answer.error.includes(why) && status === 'error',
		`${response.status}, ${status}: ${answer.error}`,
	);
	return answer;
}

/** Sends new, changed and deleted documents, calls that are not valid, and calls of which a part fails. */
export async function updates(stage: Stage): Promise<void> {
	const counts = await ingest(stage);
	await shrink(stage);
	await loseResponse(stage);
	await remove(stage, counts);
	await failInPart(stage);
	await refuseBadCalls(stage, wrongCalls());
	const status = await stage.statusWithoutKey(EXAMPLE);
	stage.checks.add('A call without the key is rejected', status === 403, `${status}`);
}

/**
 * Sends the sample data, and then this repository's Markdown. Checks that the Markdown is chunked, pushed and found.
 * @returns what has become of the Markdown
 */
async function ingest(stage: Stage): Promise<Outcome[]> {
	const { checks } = stage;
	await stage.runByHand(EXAMPLE);
	const samples = stage.chunksOf(['handbook/returns.md', 'handbook/shipping.md']);
	checks.add(
		'The sample documents are indexed',
		samples.length === 4,
		samples.map(({ id }) => id).join(', '),
	);
	const documents = repositoryDocuments();
	const answer = await send(stage, { documents });
	const chunks = answer.documents.reduce((sum, { chunkCount }) => sum + chunkCount, 0);
	const indexed = stage.chunksOf(documents.map(({ id }) => id));
	checks.add(
		'The answer names each document, and every chunk is in the index',
		answer.pushed === documents.length && indexed.length === chunks && chunks > 0,
		`${answer.pushed} of ${documents.length} documents, ${indexed.length} of ${chunks} chunks`,
	);
	const first = indexed[0] ?? { id: '', text: '' };
	const query = queryFor(first.text);
	const hits = stage.search(query);
	checks.add(
		'The search finds what was pushed',
		hits.some(({ id }) => id === first.id),
		`'${query}' finds ${hits.length}`,
	);
	return answer.documents;
}

const SHRINKING = 'update/shrinking.md';

const shrinking = (sections: string[], chunkCount?: number) => ({
	documents: [
		{
			...{ id: SHRINKING, name: 'Shrinking', chunkCount },
			text: sections.map((section) => `# ${section}`).join('\n'),
		},
	],
});

const chunkIds = (stage: Stage, id: string): string =>
	stage
		.chunksOf([id])
		.map((chunk) => chunk.id)
		.sort()
		.join();

/** Sends a document with three chunks, and then a shorter version. Checks that the extra chunk is removed. */
async function shrink(stage: Stage): Promise<void> {
	const versions = [
		shrinking(['Almond', 'Blackberry', 'Chestnut']),
		shrinking(['Almond', 'Blueberry'], 3),
	];
	for (const [at, version] of versions.entries()) {
		const [outcome] = (await send(stage, version)).documents;
		const count = 3 - at;
		const expected = Array.from({ length: count }, (_, chunk) => `${SHRINKING}#${chunk}`);
		const left = chunkIds(stage, SHRINKING);
		stage.checks.add(
			`The index has the chunks of the document, and the caller gets their number (update ${at + 1})`,
			left === expected.join() && outcome.status === 'pushed' && outcome.chunkCount === count,
			`${left}; ${JSON.stringify(outcome)}`,
		);
	}
}

/**
 * Pushes more chunks than before, but the response is lost. Checks that the caller learns how many chunks the index
 * might contain, and that the next call removes the chunks that are no longer part of the document.
 */
async function loseResponse(stage: Stage): Promise<void> {
	const { faults } = stage.demo.sandbox;
	// The service processes the first attempt, but the node receives no response. The service rejects the next attempt.
	faults.add({ route: 'push', reset: 'afterWork', times: 1 });
	faults.add({ route: 'push', status: 400 });
	const answer = await failPartly(stage, shrinking(['A', 'B', 'C', 'D'], 2), '1 of 1 documents');
	const [{ chunkCount }] = answer.documents;
	await send(stage, shrinking(['A', 'B'], chunkCount));
	const left = chunkIds(stage, SHRINKING);
	stage.checks.add(
		'The caller gets the larger number of chunks of a document that failed, and the next call removes them',
		chunkCount === 4 && left === `${SHRINKING}#0,${SHRINKING}#1`,
		`${chunkCount}; ${left}`,
	);
}

/** Deletes a document and one chunk. Checks that the search no longer finds them, and that all others remain. */
async function remove(stage: Stage, outcomes: Outcome[]): Promise<void> {
	const { checks } = stage;
	const [gone, kept] = outcomes.filter(({ chunkCount }) => chunkCount > 1);
	const chunk = `${kept.id}#1`;
	const { text } = stage.chunksOf([gone.id])[0];
	const finds = () => stage.search(queryFor(text)).some(({ id }) => id.startsWith(`${gone.id}#`));
	checks.add('The search finds the document to be deleted', finds(), gone.id);
	const before = stage.documents().length;
	const { id, chunkCount } = gone;
	const answer = await send(stage, { deleted: [{ id, chunkCount }, chunk] });
	const after = stage.documents().length;
	checks.add('The search no longer finds the deleted document', !finds(), gone.id);
	checks.add(
		'The document and the chunk were deleted, and nothing else',
		answer.deleted === 2 && after === before - chunkCount - 1,
		`${before} before, ${after} after; ${JSON.stringify(answer)}`,
	);
}

/** Checks that what fails is named, and that it stops neither the other documents nor the deletes. */
async function failInPart(stage: Stage): Promise<void> {
	const { faults } = stage.demo.sandbox;
	const document = (id: string, text: string) => ({ id: `update/${id}.md`, name: id, text });
	const fine = document('fine', '# Fine');
	faults.add({ route: 'submit', status: 400, whenBodyContains: 'Rejected' });
	const body = {
		documents: [document('rejected', '# Rejected'), fine, document('empty', '')],
		deleted: [{ id: SHRINKING, chunkCount: 2 }],
	};
	const answer = await failPartly(stage, body, '2 of 4 documents failed. The first failure: ');
	const seen = answer.documents.map(({ id, status, chunkCount }) => [id, status, chunkCount]);
	const expected = [
		['update/rejected.md', 'failed', 0],
		[fine.id, 'pushed', 1],
		['update/empty.md', 'failed', 0],
		[SHRINKING, 'deleted', 0],
	];
	const left = `${chunkIds(stage, fine.id)};${chunkIds(stage, SHRINKING)}`;
	stage.checks.add(
		'The answer names what failed, and everything else is done',
		JSON.stringify(seen) === JSON.stringify(expected) && left === `${fine.id}#0;`,
		`${JSON.stringify(answer)}; ${left}`,
	);
	faults.add({ route: 'delete', status: 400, times: 1 });
	const deletes = await failPartly(stage, { deleted: ['x', 'y'] }, '1 of 2 documents');
	stage.checks.add(
		'The other document is deleted',
		deletes.deleted === 1,
		JSON.stringify(deletes),
	);
	faults.add({ route: 'push', status: 400 });
	const kept = await failPartly(
		stage,
		{
			documents: [
				{ ...fine, text: '', chunkCount: 1 },
				{ ...fine, id: 'update/new.md' },
			],
		},
		'1 of 2 documents',
	);
	stage.checks.add(
		'A document whose text is empty now is deleted, although another one fails',
		kept.deleted === 1 && chunkIds(stage, fine.id) === '',
		JSON.stringify(kept),
	);
}

function wrongCalls(): object[] {
	const document = { id: 'update/bare', name: 'Bare', text: '# Bare\nNot in a list.' };
	const deleted = { id: document.id, chunkCount: 1 };
	return [
		...[[document], document, { docs: [document] }, {}, { documents: document }],
		...[{ documents: [] }, { documents: ['a'] }, { documents: [{ text: 'no ID' }] }],
		{ documents: [document, { ...document, text: '# Other' }] },
		{ documents: [{ ...document, chunkCount: '2' }] },
		...[{ deleted: 'a' }, { deleted: [{ id: 'a' }] }, { deleted: [''] }],
		{ documents: [document], deleted: [deleted] },
	];
}
