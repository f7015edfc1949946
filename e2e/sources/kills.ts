import { mapFields, webhook } from '../../examples/src/parts/nodes';
import type { Sync } from '../../examples/src/parts/sync';
import { sync } from '../../examples/src/parts/sync';
import { idOf } from '../../examples/src/parts/workflow';
import type { Workflow } from '../n8n/workflow';
import { pause, until } from '../shared/wait';
import type { SourceDocument, SourcesStage } from './stage';

/** The service, and an n8n of which a process can be killed and started again. */
export type KillStage = Pick<
	SourcesStage,
	'checks' | 'publish' | 'call' | 'indexed' | 'kill' | 'restart'
>;

const LOCK_SECONDS = 8;

const DOCUMENTS = 90;

/** With small batches and early compaction, kills hit all steps. */
const TUNING: Array<[from: RegExp, to: string]> = [
	[/minutes: 15/g, `seconds: ${LOCK_SECONDS}`],
	[/const batchSize = \d+;/g, 'const batchSize = 15;'],
	[/const mostRows = \d+;/g, 'const mostRows = 25;'],
];

type Kind = 'documents' | 'chunks' | 'fetched';

/** Texts that differ only in numbers would be taken for the same page. */
const nameOf = ({ id, version }: SourceDocument): string =>
	`${id}-${version}`.replace(/\d/g, (digit) => 'ghijklmnop'[Number(digit)]);

const textOf = (document: SourceDocument, chunk: number): string =>
	`# Part ${chunk} of ${document.id}, version ${document.version}, ${nameOf(document)}\nText.`;

/** The number of chunks changes with the version. */
const chunksOf = ({ id, version }: SourceDocument): number => ((id.length + version) % 3) + 1;

const wholeText = (document: SourceDocument): string =>
	Array.from({ length: chunksOf(document) }, (_, at) => textOf(document, at)).join('\n');

/** A workflow whose caller sends the list, as the examples have it, but with a short lock and small batches. */
function workflowOf(kind: Kind): Workflow {
	const path = `kills-${kind}`;
	const isChunked = kind !== 'documents';
	// Fetch returns the text that the list had for the version.
	const text =
		'$json.isMissing ? { id: $json.id, gone: true } : { id: $json.id, text: $json.source }';
	const fetch: Sync['fetch'] = {
		group: { name: 'Get the Text', description: 'Returns the text of the list.' },
		nodes: [mapFields('Fetched', [0, 0], `={{ ${text} }}`)],
		asksForMissing: false,
	};
	const built = sync({
		name: path,
		about: { content: path, protection: path, height: 200 },
		triggers: [webhook('List Arrives', path, [0, 0], idOf(path, 'webhook'))],
		settings: {
			startedBy: "'webhook'",
			confirmed: "$('List Arrives').first().json.body.confirmDeletes",
			...{ isPlanOnly: 'false', howToDelete: 'approve it' },
			pushAgain: [],
		},
		list: {
			nodes: [],
			documents: "$('List Arrives').first().json.body.documents",
		},
		...(kind === 'fetched' && { fetch }),
		...{ isChunked, isAnswered: true },
	});
	let json = JSON.stringify(built);
	for (const [from, to] of TUNING) {
		if (!from.test(json)) throw new Error(`${path} has no ${from.source}`);
		json = json.replace(from, to);
	}
	return JSON.parse(json) as Workflow;
}

/** Returns the body of a call. */
function bodyOf(kind: Kind, list: SourceDocument[]): object {
	const documents = list.map((document) => ({
		id: document.id,
		name: document.id,
		...(kind === 'fetched'
			? { version: document.version, source: wholeText(document) }
			: { text: wholeText(document) }),
	}));
	return { documents };
}

/** Returns what the index must contain, each document or chunk as `id=text`. */
function expected(kind: Kind, list: SourceDocument[]): string[] {
	const entries = list.flatMap((document) =>
		kind === 'documents'
			? [`${document.id}=${wholeText(document)}`]
			: Array.from(
					{ length: chunksOf(document) },
					(_, at) => `${document.id}#${at}=${textOf(document, at)}`,
				),
	);
	return entries.sort();
}

/** The next state of the source: 2% of the documents are missing, 30% have changed. */
function next(kind: Kind, list: SourceDocument[]): SourceDocument[] {
	const before = new Map(list.map((document) => [document.id, document]));
	return Array.from({ length: DOCUMENTS }, (_, at) => `${kind}/${at}`)
		.filter(() => Math.random() > 0.02)
		.map((id) => {
			const { version = 0 } = before.get(id) ?? {};
			return { id, version: version + Number(Math.random() < 0.3) };
		});
}

/** Sends a list until no other run has the lock. Then checks the index. */
async function syncAndCheck(
	stage: KillStage,
	kind: Kind,
	list: SourceDocument[],
	when: string,
): Promise<void> {
	const body = bodyOf(kind, list);
	let { status, body: answer } = await stage.call(`kills-${kind}`, body);
	const isOver = async () => {
		if (status !== 409) return true;
		({ status, body: answer } = await stage.call(`kills-${kind}`, body));
		return status !== 409;
	};
	await until(isOver, 3 * LOCK_SECONDS * 1000, 500);
	const [found, right] = [stage.indexed(`${kind}/`), expected(kind, list)];
	const missing = right.filter((entry) => !found.includes(entry));
	const left = found.filter((entry) => !right.includes(entry));
	stage.checks.add(
		`${kind}: ${when}, the next run makes the index equal to the list`,
		status === 200 && missing.length + left.length === 0,
		`${status} ${JSON.stringify(answer).slice(0, 300)}; missing: ${missing.slice(0, 3).join()}; too much: ${left.slice(0, 3).join()}`,
	);
}

/** Publishes a sync and runs it twice. Returns the last list, and how long its run took. */
export async function firstRuns(
	stage: KillStage,
	kind: Kind,
): Promise<{ list: SourceDocument[]; runMs: number }> {
	await stage.publish(workflowOf(kind));
	const first = next(kind, []);
	await syncAndCheck(stage, kind, first, 'at first');
	const list = next(kind, first);
	const startedAt = Date.now();
	await syncAndCheck(stage, kind, list, 'after changes');
	return { list, runMs: Date.now() - startedAt };
}

/**
 * Kills n8n at random moments of a run. Then checks that a run with another list repairs the index.
 * @param minKilled a run can end before it is killed, because its length varies. Then there are more tries
 */
export async function kills(
	stage: KillStage,
	kind: Kind,
	count: number,
	minKilled = 2,
): Promise<void> {
	// After a restart, a run takes longer than before, so most kills hit a run.
	const { list: firstList, runMs } = await firstRuns(stage, kind);
	let list = firstList;
	let killed = 0;
	for (let at = 0; at < count || (killed < minKilled && at < 3 * count); at++) {
		list = next(kind, list);
		let hasAnswered = false;
		const call = stage.call(`kills-${kind}`, bodyOf(kind, list)).then(
			() => (hasAnswered = true),
			() => undefined,
		);
		await pause(50 + Math.random() * runMs * 0.7);
		if (!hasAnswered) killed += 1;
		await stage.kill();
		await call;
		await stage.restart();
		list = next(kind, list);
		await syncAndCheck(stage, kind, list, `after kill ${at + 1}`);
	}
	stage.checks.add(
		`${kind}: at least ${minKilled} runs had not ended when they were killed`,
		killed >= minKilled,
		`${killed} of ${count}`,
	);
}

/** Starts two runs at the same time, with different lists. Then checks that one more run repairs the index. */
export async function twoAtOnce(stage: KillStage, kind: Kind): Promise<void> {
	const first = next(kind, []);
	const second = next(kind, first);
	const answers = await Promise.all(
		[first, second].map(async (list) => await stage.call(`kills-${kind}`, bodyOf(kind, list))),
	);
	const statuses = answers.map(({ status }) => status).sort();
	stage.checks.add(
		`${kind}: one of two runs at once is refused`,
		statuses.join() === '200,409',
		answers.map(({ status, body }) => `${status} ${JSON.stringify(body).slice(0, 300)}`).join(),
	);
	await syncAndCheck(stage, kind, second, 'after two runs at once');
}

/**
 * The service answers the pushes of a run with status 429 until its lock has expired. Meanwhile, a newer run pushes. Then
 * the first run pushes late, and one more run repairs this.
 */
export async function throttled(stage: SourcesStage): Promise<void> {
	const kind = 'documents';
	const path = `kills-${kind}`;
	const { faults, requests } = stage.sandbox;
	const list = (version: number) =>
		Array.from({ length: DOCUMENTS }, (_, at) => ({ id: `${kind}/${at}`, version }));
	faults.add({ route: 'push', retryAfter: '1', whenBodyContains: 'version 1000' });
	const late = stage.call(path, bodyOf(kind, list(1000)));
	await pause((LOCK_SECONDS + 1) * 1000);
	// In the same n8n, the pauses after status 429 apply to this run too, so it may lose its short lock as well.
	const newer = await stage.call(path, bodyOf(kind, list(1001)));
	faults.clear();
	const { status, body } = await late;
	stage.checks.add(
		`${kind}: after a lock has expired, a newer run works`,
		newer.status !== 409,
		`${newer.status} ${JSON.stringify(newer.body).slice(0, 300)}`,
	);
	stage.checks.add(
		`${kind}: a run that pushes after it has lost its lock fails`,
		status === 500 && /lost its lock/.test(JSON.stringify(body)),
		`${status} ${JSON.stringify(body).slice(0, 300)}`,
	);
	// Where both runs push after the same pause, either may be the last one, so the index cannot tell.
	const tooLate = requests.filter(
		({ route, status, body }) =>
			route === 'push' && status < 300 && JSON.stringify(body).includes('version 1000'),
	).length;
	stage.checks.add(`${kind}: it has pushed old texts`, tooLate > 0, `${tooLate}`);
	await syncAndCheck(stage, kind, list(1001), 'after pushes that came too late');
}

/** Starts the first two runs of a new workflow at the same time, so that both create the data table. */
export async function twoFirstRuns(stage: KillStage): Promise<void> {
	const kind = 'documents';
	const workflow = workflowOf(kind);
	const path = 'kills-first';
	const json = JSON.stringify(workflow).replaceAll('kills-documents', path);
	await stage.publish(JSON.parse(json) as Workflow);
	const list = next(kind, []);
	const answers = await Promise.all(
		[1, 2, 3].map(async () => await stage.call(path, bodyOf(kind, list))),
	);
	const found = stage.indexed(`${kind}/`);
	// A run that begins after another one has ended is not refused.
	const isRight =
		answers.every(({ status }) => status === 200 || status === 409) &&
		answers.some(({ status }) => status === 200);
	stage.checks.add(
		'documents: of the first runs of a workflow, one succeeds, and the others may be refused',
		isRight && expected(kind, list).every((entry) => found.includes(entry)),
		answers
			.map(({ status, body }) => `${status} ${JSON.stringify(body).slice(0, 200)}`)
			.join('; '),
	);
}
