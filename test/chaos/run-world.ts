/** Plays a world on n8n's engine and says what broke. */
import { withLogs } from './logs';

import type { INodeType } from 'n8n-workflow';

import { runNode } from '../../support/engine';
import { CredentialStore } from '../../support/credential-store';
import { credentialsFor, NODES, parametersOf, type NodeKey, type Settings } from './adapter';
import { checkAll, type Violation } from './invariants';
import type { Aftermath, Played } from './played';
import { startChaosServer, type ChaosServer } from './server';
import type { Service, Truth } from './service';
import { Folder, inputOf, leftOver, restOf, type Input } from './sources';
import { worldOf, type World } from './world';

const POLLING: Settings = { maxWait: 1, firstInterval: 0.02, longestInterval: 0.05 };

/** The settings of each run of a world; what does not belong to an operation is omitted. */
function settingsOf({ node, settings, flow }: World): Settings[] {
	if (node !== 'chunk') return [settings];
	const {
		chunkOutput,
		includeVectors,
		previousChunkCount,
		whenTimeRunsOut,
		isolate,
		textsPerRequest,
		textSource,
		maxAttempts,
		timeout,
		concurrency,
		perMinute,
		outputTo,
		keepOrder,
		bytesPerFile,
		...reading
	} = settings;
	const common = {
		maxAttempts,
		timeout,
		concurrency,
		perMinute,
		bytesPerFile,
		modelId: 'gte-small',
	};
	const submits = { textsPerRequest, textSource, ...reading };
	const returns = {
		chunkOutput,
		outputTo,
		keepOrder,
		...(chunkOutput !== 'raw' && { includeVectors }),
		...(chunkOutput === 'documents' && { previousChunkCount }),
		...POLLING,
	};
	const whole = {
		...common,
		...submits,
		...returns,
		operation: 'submitAndWait',
		whenTimeRunsOut,
		isolate,
	};
	const get = { ...common, ...returns, operation: 'getResults', wait: true, whenTimeRunsOut };
	switch (flow) {
		case 'once':
			return [whole] as Settings[];
		case 'submitThenGet':
			return [{ ...common, ...submits, operation: 'submit' }, get] as Settings[];
		case 'waitThenGet':
			return [whole, get] as Settings[];
		case 'waitThenResume':
			return [whole, { ...whole, resumeChunkingId: '={{ $json.chunkingId }}' }] as Settings[];
	}
}

const sleep = async (ms: number): Promise<void> =>
	await new Promise((resolve) => setTimeout(resolve, ms));

function resources(): Map<string, number> {
	const counts = new Map<string, number>();
	for (const name of process.getActiveResourcesInfo()) {
		counts.set(name, (counts.get(name) ?? 0) + 1);
	}
	return counts;
}

/** What is there now and was not before; what is about to end gets some time. */
async function leftBehind(
	before: Map<string, number>,
	server: ChaosServer,
	folder: Folder,
): Promise<string[]> {
	const GRACE_MS = 400;
	const STEP_MS = 10;
	const WATCHED = ['Timeout', 'Immediate', 'TCPSocketWrap', 'TLSWrap', 'TTYWrap', 'Zlib'];
	for (let waited = 0; ; waited += STEP_MS) {
		const now = resources();
		const left = WATCHED.filter((name) => (now.get(name) ?? 0) > (before.get(name) ?? 0));
		if (server.openSockets() > 0) left.push(`${server.openSockets()} open connections`);
		if (folder.openFiles().length > 0) left.push('an open file');
		if (left.length === 0 || waited >= GRACE_MS) return left;
		// Its own timer is over when the resources are read.
		await sleep(STEP_MS);
	}
}

const { random } = Math;
/** Works in progress that want short waits. */
let shortened = 0;

/** Waits before retries are random; nearly nothing is left of them. */
export async function withShortBackoff<T>(work: () => Promise<T>): Promise<T> {
	if (shortened++ === 0) Math.random = () => random() / 1000;
	try {
		return await work();
	} finally {
		if (--shortened === 0) Math.random = random;
	}
}

/** In jest these fail the test by themselves. */
async function withStrayErrors<T>(work: () => Promise<T>): Promise<{ value: T; stray: string[] }> {
	const stray: string[] = [];
	const onError = (error: unknown) => void stray.push(String(error));
	process.on('unhandledRejection', onError);
	process.on('uncaughtException', onError);
	try {
		return { value: await work(), stray };
	} finally {
		process.off('unhandledRejection', onError);
		process.off('uncaughtException', onError);
	}
}

/** Keys of the records that have taken effect. */
function effectsIn({ node, files = [] }: World, truth: Truth): Set<string> {
	const keys = files.flatMap(({ records }) => records.flatMap(({ key }) => key ?? []));
	return new Set(keys.filter((key) => tookEffect(node, truth, key)));
}

function tookEffect(node: NodeKey, truth: Truth, key: string): boolean {
	if (node === 'push') return truth.document(key).accepted > 0;
	if (node === 'delete') return truth.deletedIds.has(key);
	return (truth.texts.get(key)?.jobs.length ?? 0) > 0;
}

/** A file may have any number of jobs: those that are over need not be named. */
const jobsIn = ({ files }: World, service: Service): string[] =>
	[...service.truth.knownJobs].filter((id) => files === undefined || service.isOpen(id));

const deliveredBy = ({ texts }: Truth): Set<string> =>
	new Set([...texts.values()].flatMap(({ delivered }) => [...delivered]));

let worlds = 0;
let isWarm = false;

/** n8n takes 0 for a second. */
const RETRY_ON_FAIL = { retryOnFail: true, maxTries: 2, waitBetweenTries: 1 };

/** A world on its way. */
class Play {
	readonly runs: Played[] = [];
	private readonly store: CredentialStore;

	constructor(
		private readonly world: World,
		private readonly server: ChaosServer,
		private readonly folder: Folder,
		private readonly node: INodeType,
		clientId: string,
	) {
		this.store = new CredentialStore(
			credentialsFor(server.url, clientId, {}, server.service.secrets),
		);
	}

	async all(): Promise<void> {
		const { world, server, folder } = this;
		const [first, ...later] = settingsOf(world);
		let input: Input = await inputOf(world, folder);
		for (const settings of [first, ...later]) {
			if (input.items.length === 0) break;
			const run = await this.run(input, settings);
			server.service.finishAll = true;
			input = leftOver(run, world);
		}
		// What failed of files is tried again once, with nothing in its way.
		server.service.isHealed = world.files !== undefined;
		const rest = await restOf(this.runs[0], world, folder);
		if (rest.items.length === 0) return;
		const again = world.node === 'delete' ? { ...first, ignoreNotFound: true } : first;
		await this.run(rest, again);
	}

	private async run({ items, owners, inputs }: Input, settings: Settings): Promise<Played> {
		const { world, store, node, folder, server } = this;
		// Stop is pressed once.
		const cancelAfterMs = server.service.isHealed ? undefined : world.cancelAfterMs;
		const startedAt = performance.now();
		const { value: result, logs } = await withLogs(
			async () =>
				await runNode({
					node,
					items,
					parameters: parametersOf(world.node, settings),
					onError: world.onError,
					...(world.retries && RETRY_ON_FAIL),
					store,
					...(cancelAfterMs !== undefined && { cancelAfterMs }),
				}),
		);
		const took = performance.now() - startedAt;
		const canceled = cancelAfterMs !== undefined && took > cancelAfterMs;
		const run: Played = {
			result,
			settings,
			owners,
			canceled,
			tookMs: canceled ? took - cancelAfterMs : took,
			logs,
			inputs,
			files: await folder.returnedBy(result),
			effects: effectsIn(world, server.service.truth),
			jobs: jobsIn(world, server.service),
			delivered: deliveredBy(server.service.truth),
		};
		this.runs.push(run);
		return run;
	}
}

/**
 * Plays a world from its first request to its last socket.
 *
 * @param node the node to play it with, the world's own unless given
 */
export async function play(world: World, node = NODES[world.node]): Promise<Aftermath> {
	if (!isWarm) {
		isWarm = true;
		// n8n starts timers of its own when it first runs a workflow; they are no world's fault.
		await play(worldOf({ node: 'migrate', items: [{}] }));
	}
	worlds += 1;
	const clientId = `chaos-client-${worlds}`;
	const server = await startChaosServer(world.service, world.faults, clientId);
	const folder = new Folder();
	const before = resources();
	try {
		await folder.open();
		const { value, stray } = await withStrayErrors(
			async () =>
				await withLogs(async () => {
					const playing = new Play(world, server, folder, node, clientId);
					await withShortBackoff(async () => await playing.all());
					return {
						runs: playing.runs,
						handles: await leftBehind(before, server, folder),
					};
				}),
		);
		const { runs, handles } = value.value;
		const logs = [...runs.flatMap((run) => run.logs), ...value.logs];
		return { world, server, runs, handles, logs, stray };
	} finally {
		await server.close();
		folder.remove();
	}
}

/** Plays a world and holds it against everything that must always be true. */
export async function violationsOf(world: World, node?: INodeType): Promise<Violation[]> {
	return checkAll(await play(world, node));
}

/** These depend on the clock, so a busy machine may be to blame. */
export const TIMED = ['too late', 'handles left'];

/** What a world breaks; nobody waits twice for what is known. */
export async function brokenBy(world: World, isKnown = false): Promise<Violation[]> {
	const violations = await violationsOf(world);
	if (isKnown || !violations.some(({ invariant }) => TIMED.includes(invariant)))
		return violations;
	const again = await violationsOf(world);
	return violations.filter(
		({ invariant }) =>
			!TIMED.includes(invariant) || again.some((other) => other.invariant === invariant),
	);
}
