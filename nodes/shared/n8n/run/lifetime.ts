import { sleep, type IExecuteFunctions } from 'n8n-workflow';

import { newStats, type RunState } from '../../flow/run-state';
import { Canceled, isCanceled } from './errors';

/** Node.js treats a longer time as zero. */
const MAX_SLEEP_MS = 2 ** 31 - 1;

/**
 * How long a run goes on: until it is told to stop, is canceled, or crashes. The first reason counts, and
 * a cancel more than any other. Whatever waits, waits here, so that the end of the run ends it.
 */
export class Lifetime implements RunState {
	/** Whether the workflow stops at a failure, so that further work would be wasted. */
	readonly stopsOnFailure: boolean;
	/** Aborted when the execution is canceled. */
	readonly signal: AbortSignal;
	private end: { reason: unknown } | undefined;
	/** Requests were in flight when the run was canceled. */
	private interrupted = false;
	/** It was canceled before it began. */
	private readonly wasCanceledBefore: boolean;
	private readonly canceling = new AbortController();
	private readonly listeners = new Set<() => void>();
	private readonly cleanups: Array<() => void> = [];

	/** @param stats those of the run before, for one that only follows it */
	constructor(
		readonly context: IExecuteFunctions,
		readonly stats = newStats(),
	) {
		this.stopsOnFailure = !context.continueOnFail();
		this.signal = this.canceling.signal;
		const signal = context.getExecutionCancelSignal();
		this.wasCanceledBefore = signal?.aborted === true;
		if (this.wasCanceledBefore) this.cancel();
		signal?.addEventListener('abort', this.cancel);
	}

	get ended(): { readonly reason: unknown } | undefined {
		return this.end;
	}

	stop(reason: unknown): void {
		this.end ??= { reason };
		for (const listener of this.listeners) listener();
	}

	/**
	 * Calls the listener as soon as the run ends, so that nothing is waited for in vain.
	 *
	 * @returns removes the listener
	 */
	onEnd(listener: () => void): () => void {
		this.listeners.add(listener);
		return () => this.listeners.delete(listener);
	}

	/** Calls the listener when the run is over, however it ended. */
	onOver(listener: () => void): void {
		this.cleanups.push(listener);
	}

	/** The node itself has thrown: that counts more than a reason why the run had ended before. */
	crash(error: unknown): void {
		if (!isCanceled(this.end?.reason)) this.end = { reason: error };
		this.stop(error);
	}

	/** A cancel counts more than any other reason: a canceled run returns nothing. */
	private readonly cancel = (): void => {
		this.interrupted = this.stats.inFlight > 0;
		this.end = { reason: new Canceled() };
		this.canceling.abort(this.end.reason);
		this.stop(this.end.reason);
	};

	now(): number {
		return performance.now();
	}

	random(): number {
		return Math.random();
	}

	async sleep(ms: number, wake?: AbortSignal): Promise<void> {
		if (this.end || wake?.aborted) return;
		const timer = new AbortController();
		const end = () => timer.abort();
		const stopListening = this.onEnd(end);
		wake?.addEventListener('abort', end);
		await new Promise<void>((resolve) => {
			// Older versions of n8n do not end a sleep early.
			timer.signal.addEventListener('abort', () => resolve());
			const limited = Math.min(Math.max(0, ms), MAX_SLEEP_MS);
			void sleep(limited, timer.signal).then(resolve, () => resolve());
		});
		wake?.removeEventListener('abort', end);
		stopListening();
	}

	/** The run is over: calls the listeners of `onOver`. */
	over(): void {
		this.context.getExecutionCancelSignal()?.removeEventListener('abort', this.cancel);
		for (const cleanup of this.cleanups) cleanup();
	}

	/** What the error of a canceled run says about what had been done. */
	protected progressOfCanceled(progress: string): string {
		// With Retry On Fail, n8n starts a canceled node again: that run knows nothing of what was done.
		if (this.wasCanceledBefore) return '';
		if (!this.interrupted) return progress;
		const before = progress === '' ? '' : `${progress.replace(/\.$/, '')}. `;
		return `${before}Requests in flight may have taken effect.`;
	}
}
