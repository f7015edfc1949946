/**
 * n8n runs many executions in one process, so each run must release everything it has acquired. After each test, this
 * file asserts that nothing is left. Then all state that is shared in the process is cleared, so that no test depends
 * on an earlier test.
 */
import type { Readable } from 'node:stream';

import { Budget } from '../nodes/shared/sending/budget';
import type { Limiter } from '../nodes/shared/sending/limiter';
import { MAX_TIMEOUT_MS, Run } from '../nodes/shared/run/run';
import { limiters } from '../nodes/shared/session/request-settings';
import { Session } from '../nodes/shared/session/session';
import { eventually } from './eventually';

/** Canceled requests end a little later than their run, so the check waits for them. */
const GIVEN_BACK_WITHIN_MS = 5_000;

const allLimiters = new Set([limiters]);
const runs = new Set<Run>();
const sessions = new Set<Session>();
const budgets = new Set<Budget>();
const files = new Set<Readable>();
const tooLong = new Set<number>();

/** Watches the limiters in modules that a test has reloaded. */
export const watchLimiters = (loaded: Map<string, Limiter>): void => void allLimiters.add(loaded);

/**
 * Watches the runs of a `Run` class. The class is either the one that this process loaded first, or a copy that a test
 * has reloaded.
 */
export function watchRuns({ prototype }: { prototype: Pick<Run, 'finish'> }): void {
	const { finish } = prototype;
	prototype.finish = async function (this: Run) {
		runs.add(this);
		return await finish.call(this);
	};
}

export function watchFile<T>(stream: T): T {
	if (typeof (stream as Readable).destroyed === 'boolean') files.add(stream as Readable);
	return stream;
}

function watchSessions(): void {
	const { request } = Session.prototype;
	Session.prototype.request = async function (...args) {
		sessions.add(this);
		return await request.apply(this, args);
	};
}

function watchBudgets(): void {
	const { take } = Budget.prototype;
	Budget.prototype.take = function (bytes) {
		budgets.add(this);
		take.call(this, bytes);
	};
}

/** Returns what the limiters of all runs keep. */
const limiterStates = () =>
	[...allLimiters]
		.flatMap((all) => [...all.values()])
		.map(
			(limiter) =>
				limiter as unknown as {
					members: Set<unknown>;
					waiting: unknown[];
					running: number;
				},
		);

/** Returns true if a run waits for a response, or has a request that waits for its turn. */
export const isRequesting = (): boolean =>
	limiterStates().some(({ waiting, running }) => waiting.length + running > 0);

/** Node.js sets a timer that is too long to 1 ms instead, so that the code that waits would be busy all the time. */
function watchTimers(): void {
	const { setTimeout: original } = globalThis;
	const watched = (...args: Parameters<typeof original>) => {
		if (Number(args[1]) > MAX_TIMEOUT_MS) tooLong.add(Number(args[1]));
		return original(...args);
	};
	globalThis.setTimeout = Object.defineProperties(
		watched,
		Object.getOwnPropertyDescriptors(original),
	) as typeof original;
}

function kept(): string[] {
	const found = [...tooLong].map((ms) => `a timer of ${ms} ms is too long for Node.js`);
	for (const { members, waiting, running } of limiterStates()) {
		if (members.size > 0)
			found.push(`a limiter has ${members.size} clients of runs that are over`);
		if (waiting.length > 0) found.push(`${waiting.length} requests wait in a limiter`);
		if (running > 0) found.push(`a limiter counts ${running} requests in flight`);
	}
	for (const run of runs) {
		const { onEndListeners } = run as unknown as { onEndListeners: Set<unknown> };
		if (run.stats.inFlight > 0) found.push(`a run counts ${run.stats.inFlight} in flight`);
		if (onEndListeners.size > 0)
			found.push(`${onEndListeners.size} listeners wait for the end of a run that is over`);
	}
	for (const session of sessions) {
		const { cancels } = session as unknown as { cancels: Set<unknown> };
		if (cancels.size > 0) found.push(`a session can still cancel ${cancels.size} exchanges`);
	}
	for (const budget of budgets) {
		const { bytes } = budget as unknown as { bytes: number };
		if (bytes !== 0) found.push(`a budget has ${bytes} bytes of texts in flight`);
	}
	for (const file of files)
		if (!file.destroyed && !file.readableEnded) found.push('a file is still open');
	return found;
}

/** After each test in a file, asserts that everything was released. Afterward, clears all state. */
export function useCleanProcess(): void {
	watchRuns(Run);
	watchSessions();
	watchBudgets();
	watchTimers();
	afterEach(async () => {
		try {
			await eventually(() => kept().length === 0, kept, GIVEN_BACK_WITHIN_MS);
		} finally {
			for (const all of allLimiters) all.clear();
			for (const set of [runs, sessions, budgets, files, tooLong]) set.clear();
		}
	});
}
