/**
 * Simulates random worlds. In each world, n8n sends documents, and the service fails at random. Then n8n's output is
 * compared with the service's state. Then all failed documents are sent again without faults. After that, no document
 * may be missing.
 *
 * In every fifth world, temporary faults affect up to half of all requests for the whole run. The faults are random, so
 * a request that is retried succeeds eventually. Therefore, only documents that the service never accepts may fail.
 *
 * `WORLDS=500 SEED=7 npx jest test/worlds/worlds` simulates 500 worlds, starting at seed 7. The message of a failed
 * test names the seed. `WORLDS=100 SEED=5 STEP=5` simulates only worlds whose faults last for the whole run.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';

import type { IDataObject, INodeExecutionData, INodeParameters, OnError } from 'n8n-workflow';

import { ChunkText } from '../../nodes/ChunkText/ChunkText.node';
import { DeleteDocument } from '../../nodes/DeleteDocument/DeleteDocument.node';
import { PushDocuments } from '../../nodes/PushDocuments/PushDocuments.node';
import {
	DEMO,
	startSandbox,
	type FaultRule,
	type Sandbox,
	type SandboxSettings,
} from '../../sandbox';
import { seededRandom } from '../../sandbox/random';
import { TestFiles } from '../../support/binary-data';
import { sandboxCredentials } from '../../support/credentials';
import { csvRow } from '../../support/csv';
import { runNode, type RunResult } from '../../support/engine';
import { collectDecisions } from '../../support/decisions';
import { useShortBackoff } from '../../support/sandbox';
import { push as pushDirectly, requestToken } from '../../support/sandbox-client';

const WORLDS = Number(process.env.WORLDS ?? 60);
const FIRST_SEED = Number(process.env.SEED ?? 1);
/**
 * Difference between the seed of one world and the seed of the next world. In a world whose seed is a multiple of 5,
 * faults last for the whole run. To run only such worlds, set both SEED and STEP to 5.
 */
const STEP = Number(process.env.STEP ?? 1);
const WORLDS_AT_ONCE = 8;
/** Faults last for the whole run in each world whose seed is a multiple of this number. */
const LIVE_STEP = 5;

/** The service always rejects a document or text that contains this word. */
const POISON = 'poison';
/** Until `heal` is called, any document or text that contains this word fails in one of the ways in `VENOMS`. */
const VENOM = 'venom';
const secretOf = (kind: Kind) => (kind === 'chunk' ? DEMO.clientSecret : DEMO.pushKey);
const SECRET = '{secret}';

class Dice {
	readonly random: () => number;

	constructor(seed: number, what = '') {
		this.random = seededRandom(`world ${seed}${what}`);
	}

	/** Returns a whole number between 0 (inclusive) and `end` (exclusive). */
	below(end: number): number {
		return Math.floor(this.random() * end);
	}

	chance(share: number): boolean {
		return this.random() < share;
	}

	one<T>(list: readonly T[]): T {
		return list[this.below(list.length)];
	}
}

/** Chooses the elements of a list in turn, so that each occurs even if there are only a few worlds. */
const inTurn = <T>(list: readonly T[], at: number): T => list[Math.floor(at) % list.length];

type Kind = 'push' | 'delete' | 'chunk' | 'file';
type Rule = Omit<FaultRule, 'route'>;

const FORMATS = ['jsonl', 'json', 'csv', 'jsonl.gz'] as const;

/** How a single bad document can make every request that contains it fail. */
const VENOMS: Rule[] = [
	{ status: 500 },
	{ status: 502, html: true },
	{ status: 403 },
	{ reset: 'beforeResponse' },
];

interface World {
	seed: number;
	kind: Kind;
	documents: IDataObject[];
	rules: FaultRule[];
	settings: Partial<SandboxSettings>;
	options: INodeParameters;
	onError: OnError;
	format: (typeof FORMATS)[number];
	/** Whether one run submits the texts and another run fetches the results. */
	isSplit: boolean;
	/** Number of requests after which Stop is pressed. */
	stopAfter?: number;
	isTextFiles: boolean;
	/** Whether every document must succeed, except those that the service never accepts. */
	isLive: boolean;
	venom: Rule;
	/** Number of tokens that another n8n instance requests for the same client during the run. */
	rivalTokens: number;
}

const ROUTES: Record<Kind, ReadonlyArray<FaultRule['route']>> = {
	push: ['push'],
	delete: ['delete'],
	chunk: ['token', 'submit', 'results'],
	file: ['push'],
};

const FAULTS: Rule[] = [
	{ status: 429 },
	{ status: 429, retryAfter: '0' },
	{ status: 500 },
	{ status: 502, retryAfter: '1' },
	{ status: 503, html: true },
	{ status: 408 },
	{ status: 401 },
	{ status: 400 },
	{ status: 413 },
	{ status: 502, body: `{"message":"the key is ${SECRET}"}` },
	{ status: 400, body: `refused: ${SECRET}`, contentType: 'text/plain' },
	{ reset: 'beforeResponse' },
	{ reset: 'afterWork' },
	{ reset: 'midBody' },
	{ truncate: true },
	{ html: true },
	{ latencyMs: 30 },
	{ status: 502, html: true, probability: 0.02 },
];

const WORDS = ['apple', 'Äpfel', 'plum', '"quoted"', 'comma, and', '雪', '😀', "it's"];

const withSecret = ({ body, ...rule }: FaultRule, secret: string): FaultRule =>
	body === undefined ? rule : { ...rule, body: body.replace(SECRET, secret) };

function documentsOf(seed: number, kind: Kind, count: number, dice: Dice): IDataObject[] {
	return Array.from({ length: count }, (_, at) => {
		const words = Array.from({ length: 1 + dice.below(6) }, () => dice.one(WORDS));
		if (dice.chance(0.05)) words.push(POISON);
		return {
			// A proxy may answer 404 for any ID with a slash, so the node cannot know whether such a document exists.
			// Deleted documents therefore have IDs without a slash.
			id: `${seed}${kind === 'delete' ? '-' : '/'}${at} ${dice.one(WORDS)}`,
			name: `Document ${at}`,
			text: words.join(kind === 'chunk' ? '\n' : ' '),
		};
	});
}

/** Faults that do not make a document fail, because a retry succeeds. */
const PASSING: Rule[] = [
	{ gateway: 'timeout' },
	{ status: 500 },
	{ status: 502, html: true },
	{ status: 408 },
	{ reset: 'beforeResponse' },
	{ reset: 'afterWork' },
	{ reset: 'midBody' },
	{ gateway: 'noUpstream' },
	{ gateway: 'rateLimited' },
];
/** Faults after which the nodes send more slowly. If these faults were frequent, a test would take too long. */
const SLOWING = ['noUpstream', 'rateLimited'];

/**
 * Makes a world's faults affect a random share of all requests during the whole run. This allows a retry to succeed.
 */
function withRates(world: World): World {
	const { seed, kind } = world;
	const dice = new Dice(seed, 'rates');
	const rules = ROUTES[kind].flatMap((route) => {
		const share = 0.02 + 0.48 * dice.random();
		const faults = Array.from({ length: 1 + dice.below(3) }, () => dice.one(PASSING));
		const struck = faults.map((rule, at) => ({
			...{ route, ...rule, seed: `${seed} ${route} ${at}` },
			probability: Math.min(
				share / faults.length,
				SLOWING.includes(String(rule.gateway)) ? 0.1 : 1,
			),
		}));
		// Random delays make the responses arrive out of order.
		return [...struck, { route, latencyMs: 1 + dice.below(40), probability: 0.3 }];
	});
	const count = (kind === 'chunk' ? 20 : 60) + dice.below(60);
	const isVenomous = kind !== 'delete';
	const poisoned = dice.chance(0.3) ? 0.3 : 0;
	const venomous = dice.below(count);
	const documents = documentsOf(seed, kind, count, dice).map(({ text, ...document }, at) => {
		const words = [text];
		if (dice.chance(poisoned)) words.push(POISON);
		if (isVenomous && at === venomous) words.push(VENOM);
		return { ...document, text: words.join(kind === 'chunk' ? '\n' : ' ') };
	});
	const { stopAfter: _, ...rest } = world;
	return {
		...rest,
		rules,
		documents,
		isLive: true,
		// A world with bad documents is not split into two runs. If one of the submitted texts failed, the second run
		// would not fetch any chunks.
		isSplit: world.isSplit && !documents.some(isBad),
		// If a response is lost, the service returns the results again.
		settings: { ...world.settings, resultsOnce: false },
		options: { ...world.options, retryForSeconds: 10 },
	};
}

function worldOf(seed: number): World {
	const dice = new Dice(seed);
	const kind = dice.one(['push', 'push', 'delete', 'chunk', 'chunk', 'file', 'file'] as const);
	const isFile = kind === 'file';
	const count = 1 + dice.below(isFile ? 200 : 40);
	const documents = documentsOf(seed, kind, count, dice);
	const rules = Array.from({ length: 1 + dice.below(4) }, (_, at) => ({
		...withSecret(
			{
				route: dice.one(ROUTES[kind]),
				...(at === 0 ? inTurn(FAULTS, seed) : dice.one(FAULTS)),
			},
			secretOf(kind),
		),
		...(dice.chance(0.5) && { skip: dice.below(8) }),
		times: 1 + dice.below(3),
	}));
	const world: World = {
		...{ seed, kind, documents, rules },
		isLive: false,
		venom: inTurn(VENOMS, seed / LIVE_STEP),
		settings: {
			pushResponse: dice.one(['empty', 'count', 'perDocument', 'text'] as const),
			unknownDeleteStatus: dice.one([200, 404] as const),
			revokePreviousTokens: dice.chance(0.3),
			resultsOnce: dice.chance(0.2),
			chunkDelayMs: dice.one([0, 0, 30]),
			vectorSize: 2,
		},
		options: {
			concurrency: 1 + dice.below(8),
			...(kind === 'chunk'
				? { textsPerRequest: 1 + dice.below(6), maxWaitSeconds: 20 }
				: kind === 'delete'
					? { ignoreNotFound: true }
					: { documentsPerRequest: 1 + dice.below(20) }),
		},
		onError: dice.one(['continueRegularOutput', 'continueErrorOutput'] as const),
		format: dice.one(FORMATS),
		isSplit: dice.chance(0.4),
		...(dice.chance(0.15) && { stopAfter: 1 + dice.below(4) }),
		isTextFiles: dice.chance(0.2),
		rivalTokens: dice.below(4),
	};
	return seed % LIVE_STEP === 0 ? withRates(world) : world;
}

let folder: string;
let files: TestFiles;
beforeAll(async () => {
	folder = mkdtempSync(path.join(tmpdir(), 'worlds-'));
	files = new TestFiles(folder);
	await files.use('filesystem');
});
afterAll(async () => {
	await files.use('default');
	rmSync(folder, { recursive: true, force: true });
});
useShortBackoff();

const CHUNKING: INodeParameters = {
	output: 'chunks',
	modelId: { __rl: true, mode: 'id', value: 'gte-small' },
	chunker: 'dynamic-newline',
	chunkerSettings: { maxChunkSize: 1 },
	options: { vectors: 'list' },
};

const isPoison = ({ text }: IDataObject) => String(text).includes(POISON);
const isBad = (one: IDataObject) => isPoison(one) || String(one.text).includes(VENOM);
const itemOf = ({ pairedItem }: INodeExecutionData) => (pairedItem as { item: number }).item;
const errorOf = ({ json }: INodeExecutionData) =>
	typeof json.error === 'string' ? json.error : undefined;
const squeezed = (text: unknown) => String(text).replace(/\s/g, '');

function fileOf({ format, documents }: World): Buffer {
	const lines = documents.map((document) => JSON.stringify(document));
	if (format === 'json') return Buffer.from(`[${lines.join(',\n')}]`);
	if (format === 'csv') {
		const rows = documents.map((document) => csvRow(Object.values(document)));
		return Buffer.from([csvRow(['id', 'name', 'text']), ...rows].join('\r\n'));
	}
	const text = Buffer.from(lines.join('\n'));
	return format === 'jsonl' ? text : gzipSync(text);
}

const TEXT_FILES: INodeParameters = {
	documentSource: 'textFile',
	fileDocumentId: '={{ $json.id }}',
	fileDocumentName: '={{ $json.name }}',
};

const textFileOf = async (document: IDataObject): Promise<INodeExecutionData> => ({
	...(await files.item(String(document.text), 'text.txt')),
	json: document,
});

class Play {
	readonly violations: string[] = [];

	constructor(
		private readonly world: World,
		private readonly sandbox: Sandbox,
	) {}

	private check(holds: boolean, what: string): void {
		if (!holds) this.violations.push(what);
	}

	private get index(): Map<string, IDataObject> {
		const documents = this.sandbox.documents(DEMO.endpoint) as IDataObject[];
		return new Map(documents.map((document) => [document.id as string, document]));
	}

	private async run(
		node: ChunkText | DeleteDocument | PushDocuments,
		items: IDataObject[] | INodeExecutionData[],
		parameters: INodeParameters,
		stopAfter?: number,
	): Promise<RunResult> {
		const { world, sandbox } = this;
		let isOver = false;
		const stopped = async () => {
			const before = sandbox.requests.length;
			while (!isOver && sandbox.requests.length < before + (stopAfter ?? 0)) {
				await new Promise((resolve) => setTimeout(resolve, 2));
			}
		};
		const rival = async () => {
			for (let left = world.rivalTokens; left > 0 && !isOver; left--) {
				await new Promise((resolve) => setTimeout(resolve, 20));
				await requestToken(sandbox).catch(() => undefined);
			}
		};
		if (world.kind === 'chunk') void rival();
		const result = await runNode({
			node,
			items,
			parameters: {
				...parameters,
				options: { ...world.options, ...(parameters.options as object) },
			},
			credentials: sandboxCredentials(sandbox),
			onError: world.onError,
			...(stopAfter !== undefined && { cancelWhen: stopped() }),
		});
		isOver = true;
		const { output, errorOutput, hints, error } = result;
		const said = JSON.stringify([
			output,
			errorOutput,
			hints,
			error?.message,
			error?.description,
		]);
		this.check(!said.includes(secretOf(world.kind)), 'a secret was returned');
		this.check(
			world.onError === 'continueErrorOutput' || errorOutput.length === 0,
			'an item on the error output',
		);
		const most = Math.max(
			0,
			...ROUTES[world.kind].map((route) => sandbox.stats().maxInFlight[route] ?? 0),
		);
		// Token requests do not count toward the concurrency limit.
		this.check(most <= (world.options.concurrency as number), `${most} requests at once`);
		return result;
	}

	/** Checks that the output contains every input item. Returns the indexes of the failed items. */
	private failedIn(
		{ output, errorOutput }: RunResult,
		count: number,
		single: boolean,
	): Set<number> {
		const failed = new Set<number>();
		const seen = new Map<number, number>();
		for (const item of [...output, ...errorOutput]) {
			const at = itemOf(item);
			seen.set(at, (seen.get(at) ?? 0) + 1);
			if (errorOf(item) !== undefined) failed.add(at);
		}
		for (let at = 0; at < count; at++) {
			const times = seen.get(at) ?? 0;
			this.check(times > 0, `item ${at} was lost`);
			this.check(
				times <= 1 || (!single && !failed.has(at)),
				`item ${at} came ${times} times`,
			);
		}
		this.check(seen.size <= count, 'an item that was not there');
		return failed;
	}

	/** Checks that an error message correctly states whether the work was done. */
	private checkError(item: INodeExecutionData, isDone: boolean): void {
		const error = errorOf(item) ?? '';
		const isUnknown = /\bunknown\b|not known/.test(error);
		this.check(!isDone || isUnknown, `done, but reported as: ${error}`);
	}

	async push(): Promise<void> {
		const { documents, stopAfter, isTextFiles } = this.world;
		const wanted = new Map(documents.map((document) => [document.id as string, document]));
		const round = async (some: IDataObject[], stop?: number): Promise<IDataObject[]> => {
			const before = this.index;
			const items = isTextFiles ? await Promise.all(some.map(textFileOf)) : some;
			const parameters = isTextFiles ? TEXT_FILES : {};
			const result = await this.run(new PushDocuments(), items, parameters, stop);
			if (result.status === 'canceled') return some;
			const failed = this.failedIn(result, some.length, true);
			const { index } = this;
			for (const item of [...result.output, ...result.errorOutput]) {
				const { id } = some[itemOf(item)];
				const isNew = index.has(id as string) && !before.has(id as string);
				if (failed.has(itemOf(item))) this.checkError(item, isNew);
				else this.check(index.has(id as string), `${String(id)} is not in the index`);
			}
			return some.filter((_, at) => failed.has(at));
		};
		const left = await round(documents, stopAfter);
		this.checkLive(left);
		this.heal();
		const refused = left.length > 0 ? await round(left) : [];
		this.checkIndex(wanted, refused);
	}

	async delete(): Promise<void> {
		const { documents, stopAfter } = this.world;
		const doomed = documents.filter((_, at) => at % 3 !== 0);
		const parameters = { documentId: '={{ $json.id }}', commit: 'everyDelete' };
		const round = async (some: IDataObject[], stop?: number): Promise<IDataObject[]> => {
			if (some.length === 0) return [];
			const result = await this.run(new DeleteDocument(), some, parameters, stop);
			if (result.status === 'canceled') return some;
			const failed = this.failedIn(result, some.length, true);
			const { index } = this;
			for (const item of [...result.output, ...result.errorOutput]) {
				const isGone = !index.has(some[itemOf(item)].id as string);
				if (failed.has(itemOf(item))) this.checkError(item, isGone);
				else this.check(isGone, `${String(some[itemOf(item)].id)} is still in the index`);
			}
			return some.filter((_, at) => failed.has(at));
		};
		const left = await round(doomed, stopAfter);
		this.checkLive(left);
		this.heal();
		this.check((await round(left)).length === 0, 'a delete fails although nothing is wrong');
		const kept = documents.filter((_, at) => at % 3 === 0).map(({ id }) => id);
		this.sandbox.commit();
		this.check(
			[...this.index.keys()].sort().join() === kept.sort().join(),
			'the index has not what was kept',
		);
	}

	async chunk(): Promise<void> {
		const { documents, stopAfter, isSplit } = this.world;
		const text = '={{ $json.text }}';
		const whole = async (some: IDataObject[], stop?: number) =>
			await this.run(new ChunkText(), some, { ...CHUNKING, text }, stop);
		const split = async (
			some: IDataObject[],
			stop?: number,
		): Promise<RunResult | undefined> => {
			const { modelId, chunker, chunkerSettings, output, options } = CHUNKING;
			const submit = { operation: 'submit', modelId, chunker, chunkerSettings, text };
			const submitted = await this.run(new ChunkText(), some, submit, stop);
			const all = [...submitted.output, ...submitted.errorOutput];
			if (submitted.status === 'canceled') return undefined;
			this.failedIn(submitted, some.length, true);
			if (all.some((item) => errorOf(item) !== undefined)) return undefined;
			const jobs = all
				.sort((one, other) => itemOf(one) - itemOf(other))
				.map(({ json }) => json);
			return await this.run(new ChunkText(), jobs, {
				operation: 'getResults',
				output,
				options,
			});
		};
		const round = async (some: IDataObject[], stop?: number): Promise<IDataObject[]> => {
			const result = await (isSplit ? split(some, stop) : whole(some, stop));
			if (result === undefined || result.status === 'canceled') return some;
			const failed = this.failedIn(result, some.length, false);
			some.forEach((item, at) => {
				if (failed.has(at)) return;
				const chunks = [...result.output, ...result.errorOutput].filter(
					(one) => itemOf(one) === at,
				);
				const found = chunks.map(({ json }) => squeezed(json.text)).join('');
				this.check(
					found === squeezed(item.text),
					`the chunks of ${String(item.id)} are '${found}'`,
				);
			});
			return some.filter((_, at) => failed.has(at));
		};
		const left = await round(documents, stopAfter);
		this.checkLive(left);
		this.heal();
		const refused = left.length > 0 ? (await round(left)).filter((one) => !isPoison(one)) : [];
		// If a split run contains a rejected text, the whole run fails and is not continued.
		const isWhole = !isSplit || !left.some(isPoison);
		this.check(
			!isWhole || refused.length === 0,
			`${refused.length} texts fail although nothing is wrong`,
		);
	}

	async file(): Promise<void> {
		const { world } = this;
		const wanted = new Map(
			world.documents.map((document) => [document.id as string, document]),
		);
		const name = `documents.${world.format}`;
		const source = await files.item(fileOf(world), name);
		const parameters = (changes: INodeParameters = {}, options: INodeParameters = {}) => ({
			documentSource: 'file',
			...changes,
			options,
		});
		const { item, said } = await this.fileRun(source, parameters(), world.stopAfter);
		const bad = world.documents.filter(isBad).length;
		const isAsWanted = said === undefined && item?.json.failed === bad;
		this.check(
			!world.isLive || isAsWanted,
			`${String(item?.json.failed)} failed instead of ${bad}: ${String(said)}`,
		);
		this.heal();
		await this.pushFailed(item);
		if (said !== undefined || item?.json.atEnd === false) {
			const [, number] = /'Skip Records' to (\d+)/.exec(said ?? '') ?? [];
			const options = { skipRecords: Number(number ?? 0) };
			const rest = await this.fileRun(source, parameters({}, options));
			await this.pushFailed(rest.item);
		}
		const refused = world.documents.filter(isPoison);
		this.checkIndex(wanted, refused);
	}

	/** Pushes the file of failed records again. This time, only rejected records are allowed to fail. */
	private async pushFailed(summary: INodeExecutionData | undefined): Promise<void> {
		const { failed } = summary?.binary ?? {};
		if (!failed) return;
		const item = { json: {}, binary: { failed } };
		await this.fileRun(item, { documentSource: 'file', binaryPropertyName: 'failed' });
	}

	/**
	 * @returns the output item and the error message. After a cancellation, there is no output item. The message can
	 * say where to continue
	 */
	private async fileRun(
		item: INodeExecutionData,
		parameters: INodeParameters,
		stop?: number,
	): Promise<{ item?: INodeExecutionData; said?: string }> {
		const result = await this.run(new PushDocuments(), [item], parameters, stop);
		const all = [...result.output, ...result.errorOutput];
		if (result.status === 'canceled') return { said: result.error?.message ?? '' };
		this.check(all.length === 1, `${all.length} items of one file`);
		const {
			records,
			pushed,
			failed,
			skipped = 0,
		} = (all[0]?.json ?? {}) as Record<string, number>;
		this.check(
			records === undefined || pushed + failed + skipped === records,
			`${pushed} pushed, ${failed} failed, ${skipped} skipped of ${records}`,
		);
		const said = errorOf(all[0]);
		return { item: all[0], ...(said !== undefined && { said }) };
	}

	/**
	 * Checks failures in a world whose faults last for the whole run. Only documents that the service never accepts may
	 * fail.
	 */
	private checkLive(failed: IDataObject[]): void {
		const innocent = failed.filter((one) => !isBad(one)).length;
		this.check(
			!this.world.isLive || innocent === 0,
			`${innocent} fail although each attempt may succeed`,
		);
	}

	/** Removes all faults. From now on, the service rejects only poisoned documents. */
	private heal(): void {
		const { sandbox, world } = this;
		sandbox.faults.clear();
		addPoison(sandbox);
		// If a run sends ten bad documents before any good one, it stops splitting batches. A good document can then
		// fail with its batch. To avoid that, each batch in this test contains only one entry.
		if (!world.isLive) return;
		for (const name of ['documentsPerRequest', 'textsPerRequest'])
			if (name in world.options) world.options[name] = 1;
	}

	/**
	 * Checks that the index contains every document except the rejected ones. Also checks that the documents are
	 * unchanged.
	 */
	private checkIndex(wanted: Map<string, IDataObject>, refused: IDataObject[]): void {
		const { index } = this;
		for (const [id, document] of wanted) {
			const found = index.get(id);
			if (isPoison(document))
				this.check(found === undefined, `${id} should have been refused`);
			else this.check(JSON.stringify(found) === JSON.stringify(document), `${id} is lost`);
		}
		this.check(refused.every(isPoison), 'a document fails although nothing is wrong');
		this.check(index.size <= wanted.size, 'the index has documents that nobody pushed');
	}
}

function addPoison(sandbox: Sandbox): void {
	for (const route of ['push', 'submit'] as const) {
		sandbox.faults.add({
			route,
			whenBodyContains: POISON,
			status: 400,
			body: '{"message":"refused"}',
		});
	}
}

function addVenom(sandbox: Sandbox, venom: Rule): void {
	for (const route of ['push', 'submit'] as const)
		sandbox.faults.add({ route, whenBodyContains: VENOM, ...venom });
}

const named = (rule: Rule): string =>
	Object.entries(rule)
		.filter(([name]) => !['route', 'skip', 'times', 'seed', 'probability'].includes(name))
		.map(([name, value]) => `${name} ${name === 'body' ? '' : String(value)}`.trim())
		.sort()
		.join(', ');

/** What must occur at least once, so that the worlds test what they are for. */
const VARIATIONS = [
	...Object.keys(ROUTES).map((kind) => `kind ${kind}`),
	...FORMATS.map((format) => `format ${format}`),
	...FAULTS.map((rule) => `fault ${named(rule)}`),
	...PASSING.map((rule) => `live fault ${named(rule)}`),
	...VENOMS.map((rule) => `venom ${named(rule)}`),
	...['stopped', 'split', 'text files', 'rival tokens', 'poison', 'a lost token'],
	...['continueRegularOutput', 'continueErrorOutput'],
];

function variationsOf(world: World): string[] {
	const { kind, format, isLive, documents, rules, onError } = world;
	const flags = {
		stopped: world.stopAfter !== undefined,
		split: kind === 'chunk' && world.isSplit,
		'text files': kind === 'push' && world.isTextFiles,
		'rival tokens': kind === 'chunk' && world.rivalTokens > 0,
		poison: documents.some(isPoison),
		'a lost token': kind === 'chunk' && world.settings.revokePreviousTokens === true,
	};
	const isVenomous = documents.some(({ text }) => String(text).includes(VENOM));
	return [
		...[`kind ${kind}`, onError],
		...(kind === 'file' ? [`format ${format}`] : []),
		...rules.map((rule) => `${isLive ? 'live ' : ''}fault ${named(rule)}`),
		...(isVenomous ? [`venom ${named(world.venom)}`] : []),
		...Object.entries(flags).flatMap(([name, is]) => (is ? [name] : [])),
	];
}

/** Decisions of the retry policy that must occur, with the number of entries and the cause. */
const DECISIONS = [
	...[
		'again: one, down',
		'again: one, noToken',
		'again: one, overloaded',
		'again: one, throttled',
	],
	...['again: several, down', 'again: several, overloaded', 'again: several, throttled'],
	...['singleOut: several, down', 'singleOut: several, forbidden'],
	...['split: several, down', 'split: several, split', 'split: several, tooLarge'],
	...['fail: one, down', 'fail: one, forbidden', 'fail: one, split', 'fail: several, fail'],
	'end: several, stop',
];
const decisions = collectDecisions();

async function violationsIn(world: World): Promise<string[]> {
	const sandbox = await startSandbox({ settings: world.settings });
	try {
		if (world.kind === 'delete') await pushDirectly(sandbox, world.documents);
		// The sandbox applies the first rule that matches. Rules that prevent all work for the whole run are therefore
		// added first, before the rules for bad documents.
		const isFirst = (rule: FaultRule) =>
			world.isLive && !['afterWork', 'midBody'].includes(String(rule.reset));
		for (const rule of world.rules.filter(isFirst)) sandbox.faults.add(rule);
		addPoison(sandbox);
		if (world.isLive) addVenom(sandbox, world.venom);
		for (const rule of world.rules) if (!isFirst(rule)) sandbox.faults.add(rule);
		const play = new Play(world, sandbox);
		await play[world.kind]();
		return play.violations;
	} finally {
		await sandbox.close();
	}
}

it(
	`${WORLDS} random worlds`,
	async () => {
		const broken: string[] = [];
		const playAll = async (worlds: Iterable<World>) => {
			for (const world of worlds) {
				const found = await violationsIn(world).catch((error: Error) => [
					String(error.stack),
				]);
				if (found.length === 0) continue;
				const { documents, seed, ...rest } = world;
				broken.push(
					`SEED=${seed} WORLDS=1: ${[...new Set(found)].slice(0, 5).join('; ')} ${JSON.stringify({ ...rest, documents: documents.length })}`,
				);
			}
		};
		const worlds = Array.from({ length: WORLDS }, (_, at) => worldOf(FIRST_SEED + STEP * at));
		// Each run of the engine clears the tokens of all other runs, so the other runs then receive a 401. Therefore, these
		// worlds run one at a time.
		const isAlone = ({ isLive, kind, settings }: World) =>
			kind === 'chunk' && (isLive || settings.revokePreviousTokens === true);
		const beside = worlds.filter((world) => !isAlone(world)).values();
		await Promise.all(
			Array.from({ length: WORLDS_AT_ONCE }, async () => await playAll(beside)),
		);
		await playAll(worlds.filter(isAlone));
		expect(broken).toEqual([]);
		const isWhole = WORLDS >= 60 && STEP === 1;
		const seen = new Set([...decisions, ...worlds.flatMap(variationsOf)]);
		const missing = [...DECISIONS, ...VARIATIONS].filter((each) => !seen.has(each));
		expect(isWhole ? missing : []).toEqual([]);
	},
	60_000 + WORLDS * 5_000,
);
