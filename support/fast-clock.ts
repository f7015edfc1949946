import * as n8n from 'n8n-workflow';

import { MAX_TIMEOUT_MS, Run } from '../nodes/shared/run/run';
import { Session } from '../nodes/shared/session/session';
import type { RecordedRequest, Sandbox } from '../sandbox';

const now = performance.now.bind(performance);
const { sleep } = Run.prototype;
/** The number of milliseconds by which `skipHangs` has moved the fast clock forward. */
let skippedMs = 0;

/**
 * Makes the clock of all runs that start from now on faster than real time by this factor. The time limits of single
 * requests stay real.
 *
 * @returns a function that undoes this
 */
export function speedUp(factor: number): () => void {
	const { prototype } = Run;
	const before = prototype.sleep;
	const fast = jest
		.spyOn(performance, 'now')
		.mockImplementation(() => factor * now() + skippedMs);
	prototype.sleep = async function (ms, wake) {
		await sleep.call(this, ms / factor, wake);
	};
	return () => {
		fast.mockRestore();
		prototype.sleep = before;
	};
}

/** Makes the clock of all runs faster in each test of a file. */
export function useFastClock(factor: number): void {
	let undo: () => void;
	beforeEach(() => (undo = speedUp(factor)));
	afterEach(() => undo());
}

/** Skips the pauses of all runs in each test of a file or a block. */
export function useSkippedPauses(): void {
	let undo: () => void;
	beforeEach(() => (undo = skipPauses()));
	afterEach(() => undo());
}

/** The time between two looks of `skipHangs` for a request that hangs. */
const LOOK_MS = 2;

/**
 * Ends the time limit of each request on a route whose requests hang. The limit ends once the sandbox has received the
 * request, and the fast clock moves forward to the end of the limit. This clock is the same for all runs, so no other
 * run may be active. The time limits of requests on other routes must be longer.
 *
 * @returns the limits that have ended so far, in milliseconds, and a function that undoes this
 */
export function skipHangs(
	sandbox: Sandbox,
	route: RecordedRequest['route'],
): { limits: number[]; undo: () => void } {
	const ended: number[] = [];
	const limits = new Set<{ ms: number; due: number; end: () => void }>();
	const { sleep: realSleep } = n8n;
	const { prototype } = Run;
	const before = prototype.sleep;
	let isPause = false;
	prototype.sleep = async function (ms, wake) {
		isPause = true;
		const pause = before.call(this, ms, wake);
		isPause = false;
		await pause;
	};
	// The nodes only sleep with a signal in a pause of a run and in the time limit of a request.
	const limited = jest
		.spyOn(n8n as { sleep: unknown }, 'sleep', 'get')
		.mockReturnValue(async (ms: number, signal?: AbortSignal) => {
			if (isPause || signal === undefined) return await realSleep(ms, signal);
			const early = new Promise<void>((end) => {
				const limit = { ms, due: performance.now() + ms, end };
				limits.add(limit);
				signal.addEventListener('abort', () => limits.delete(limit));
			});
			await Promise.race([early, realSleep(ms, signal)]);
		});
	const seen = new Set<RecordedRequest>();
	const looking = setInterval(() => {
		for (const request of sandbox.requests) {
			if (request.route !== route || request.endedAt !== 0 || seen.has(request)) continue;
			seen.add(request);
			const [first] = [...limits].sort((one, other) => one.due - other.due);
			if (first === undefined) continue;
			skippedMs += Math.max(0, first.due - performance.now());
			ended.push(first.ms);
			first.end();
		}
	}, LOOK_MS);
	return {
		limits: ended,
		undo: () => {
			clearInterval(looking);
			limited.mockRestore();
			prototype.sleep = before;
		},
	};
}

/** A run waits this long before it writes to the log. It does not wait for anything else meanwhile. */
const LOG_INTERVAL_MS = 10_000;

/**
 * Stops the clock of all runs that start from now on. The clock moves only to the end of a pause, and only while no
 * request is in flight. So a run lasts as long as its pauses, however slow the machine is. A pause within a request, such
 * as the pause after a 401, would never end.
 *
 * @returns a function that undoes this
 */
export function skipPauses(): () => void {
	const { prototype } = Run;
	const { sleep: sleepBefore } = prototype;
	const { request: requestBefore } = Session.prototype;
	const { now: nowBefore } = performance;
	const pauses = new Set<{ due: number; end: () => void }>();
	let time = performance.now();
	let inFlight = 0;
	performance.now = () => time;
	prototype.sleep = async function (ms, wake) {
		const ending = new AbortController();
		const pause = {
			due: ms === LOG_INTERVAL_MS ? Infinity : time + Math.max(0, ms),
			end: () => ending.abort(),
		};
		wake?.addEventListener('abort', pause.end);
		if (wake?.aborted) pause.end();
		pauses.add(pause);
		await sleepBefore.call(this, MAX_TIMEOUT_MS, ending.signal);
		pauses.delete(pause);
		wake?.removeEventListener('abort', pause.end);
	};
	Session.prototype.request = async function (...args) {
		inFlight++;
		return await requestBefore.apply(this, args).finally(() => inFlight--);
	};
	const looking = setInterval(() => {
		const [first] = [...pauses].sort((one, other) => one.due - other.due);
		if (inFlight > 0 || first === undefined || first.due === Infinity) return;
		time = Math.max(time, first.due);
		first.end();
	}, 1);
	return () => {
		clearInterval(looking);
		performance.now = nowBefore;
		prototype.sleep = sleepBefore;
		Session.prototype.request = requestBefore;
	};
}
