/** Secrets stay secret, limits are kept, and a run ends in time and leaves nothing behind. */
import { SecretScanner, textsIn } from '../canaries';
import type { Fault } from '../faults';
import type { ChaosServer } from '../server';
import type { World } from '../world';
import type { Check, Invariant } from './invariant';

const secrets: Check = ({ runs, server, logs }) => {
	const scanner = new SecretScanner();
	for (const name of ['clientSecret', 'apiKey', 'password'] as const) {
		scanner.add(name, server.service.secrets[name]);
	}
	const { tokens } = server.service.truth;
	for (const token of tokens) scanner.add('token', token);
	const places: Array<[string, unknown]> = runs.flatMap(({ result }) => [
		[
			'an output',
			[result.output, result.errorOutput].map((items) =>
				items.map(({ json, error }) => ({ json, error })),
			),
		],
		['the error', result.error],
		['the JSON of the error', JSON.stringify(result.error ?? '')],
		['the stack', [result.error?.stack, (result.error?.cause as Error | undefined)?.stack]],
		['the cause', result.error?.cause],
		['a hint', result.hints],
		['what n8n records', JSON.stringify(result.run.data.resultData)],
	]);
	places.push(
		['a log', logs],
		['a file', runs.map(({ files }) => files.map(({ text }) => text))],
	);
	return places.flatMap(([place, value]) => {
		const names = new Set([...textsIn(value)].flatMap((text) => scanner.find(text)));
		return [...names].map((name): [Invariant, string] => [
			'secret shown',
			`${name} in ${place}`,
		]);
	});
};

const elsewhere: Check = ({ server }) =>
	server.service.truth.strayRequests.map((request) => ['secret sent elsewhere', request]);

const BASE_MS = 4500;

const SLOW_FAULT_MS = 1300;

const RETRY_AFTER_MS = 3200;

const PENDING_JOB_MS = 6500;

const BUSY_MS = 8000;

/** A cancel takes effect within a second; the rest is for a busy machine. */
const CANCEL_MS = 1600;

const isSlow = (fault?: Fault): boolean => fault?.kind === 'hang' || fault?.kind === 'trickle';

/** All requests of a run wait for the same token, each as long as it may. */
function waitsForTokens({ texts, files = [], settings }: World, { requests }: ChaosServer): number {
	if (!requests.some(({ route, fault }) => route === 'token' && isSlow(fault))) return 0;
	const all = texts.flat().length + files.flatMap(({ records }) => records).length;
	const { textsPerRequest = 1, maxAttempts = 1 } = settings;
	return Math.ceil(all / Number(textsPerRequest)) * Number(maxAttempts);
}

const inTime: Check = ({ runs, server, world }) => {
	const slow = server.played.filter(isSlow).length + waitsForTokens(world, server);
	const slowPolls = server.requests.some(
		({ route, fault }) => route === 'results' && isSlow(fault),
	);
	const pauses = server.played.filter(
		(fault) => 'retryAfter' in fault && fault.retryAfter,
	).length;
	const pending = world.service.jobs.some(({ end }) => end === 'never');
	const limit =
		BASE_MS * (world.retries ? 2 : 1) +
		(world.service.busy ? BUSY_MS : 0) +
		slow * SLOW_FAULT_MS +
		pauses * RETRY_AFTER_MS +
		(pending || slowPolls ? PENDING_JOB_MS : 0);
	return runs.flatMap((run): Array<[Invariant, string]> => {
		const most = run.canceled ? CANCEL_MS : limit;
		const after = run.canceled ? ' after Stop' : '';
		return run.tookMs > most
			? [['too late', `${Math.round(run.tookMs)} ms${after}, at most ${most}`]]
			: [];
	});
};

const limits: Check = ({ server, world }) => {
	const { bytesPerRequest } = world.settings;
	return server.requests
		.filter(({ route }) => route === 'push' && typeof bytesPerRequest === 'number')
		.filter(({ bytes }) => bytes > Number(bytesPerRequest))
		.map(({ bytes }) => ['limit broken', `${bytes} bytes in a push`]);
};

/** A token request is shared by executions: it may outlast the one that waits no longer. */
const handlesLeft: Check = ({ handles, server }) =>
	server.requests.some(({ route, fault }) => route === 'token' && isSlow(fault))
		? []
		: handles.map((handle) => ['handles left', handle]);

const unhandled: Check = ({ stray }) => stray.map((error) => ['unhandled rejection', error]);

export const SAFETY: Check[] = [secrets, elsewhere, inTime, limits, handlesLeft, unhandled];
