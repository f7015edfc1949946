import { sleep } from 'n8n-workflow';

/** Longest single sleep. n8n before 2.34 cannot end one, so a finished exchange leaves a timer for that time. */
const SLEEP_SLICE_MS = 1_000;

/** Ends a sleep. Without this reason each abort would create an error with a stack, which is slow. */
const OVER = new Error('The exchange is over');

/** The cancellation of a run, shared by its exchanges: Node.js warns if a signal has more than ten listeners. */
export class Cancellation {
	private readonly stops = new Set<() => void>();
	private readonly stopAll = () => {
		for (const stop of [...this.stops]) stop();
	};

	/** @param signal aborted when the run is canceled; undefined if that cannot happen */
	constructor(private readonly signal: AbortSignal | undefined) {}

	get isCanceled(): boolean {
		return this.signal?.aborted === true;
	}

	/** @param stop called when the run is canceled, or immediately if it already is */
	add(stop: () => void): void {
		if (this.isCanceled) return stop();
		if (this.stops.size === 0) this.signal?.addEventListener('abort', this.stopAll);
		this.stops.add(stop);
	}

	delete(stop: () => void): void {
		this.stops.delete(stop);
		if (this.stops.size === 0) this.signal?.removeEventListener('abort', this.stopAll);
	}
}

/**
 * Ends an exchange that takes too long, or whose run is canceled, and leaves nothing behind once it is
 * over. Unlike `AbortSignal.timeout`, which keeps memory until the time is up.
 */
export class TimeLimit {
	private readonly aborter = new AbortController();
	/** Aborted when the time need no longer be measured. */
	private watching = new AbortController();
	private over = false;
	private isEnded = false;
	private readonly cancel = () => this.aborter.abort(new Error('The run was canceled'));

	/**
	 * @param ms how long the exchange may take
	 * @param cancellation of the run the exchange belongs to, if it belongs to one
	 */
	constructor(
		ms: number,
		private readonly cancellation?: Cancellation,
	) {
		cancellation?.add(this.cancel);
		void this.watch(ms, this.watching.signal);
	}

	/** Aborted when the time is up or the run is canceled. */
	get signal(): AbortSignal {
		return this.aborter.signal;
	}

	/** The time was up before the exchange was over. */
	get isOver(): boolean {
		return this.over;
	}

	/** The time does not count until the next start. */
	pause(): void {
		this.watching.abort(OVER);
	}

	/** Starts again with another limit, unless the exchange has ended: a wait may end after it. */
	restart(ms: number): void {
		this.pause();
		if (this.isEnded) return;
		this.watching = new AbortController();
		void this.watch(ms, this.watching.signal);
	}

	/** To be called when the exchange is over, however it ended. */
	end(): void {
		this.isEnded = true;
		this.pause();
		this.cancellation?.delete(this.cancel);
	}

	/** Waits for something that continues if this wait ends early, with the signal's reason. */
	async waitFor<T>(pending: Promise<T>): Promise<T> {
		const { signal } = this;
		let stop = () => {};
		const stopped = new Promise<never>((_resolve, reject) => {
			stop = () => reject(signal.reason as Error);
		});
		if (signal.aborted) stop();
		signal.addEventListener('abort', stop);
		try {
			return await Promise.race([pending, stopped]);
		} finally {
			signal.removeEventListener('abort', stop);
		}
	}

	private async watch(ms: number, done: AbortSignal): Promise<void> {
		// Each sleep takes a little longer than asked, which adds up in an hour.
		const end = performance.now() + ms;
		for (let left = ms; left > 0 && !done.aborted; left = end - performance.now()) {
			await sleep(Math.min(left, SLEEP_SLICE_MS), done).catch(() => undefined);
		}
		if (done.aborted || this.aborter.signal.aborted) return;
		this.over = true;
		this.aborter.abort(new Error('The time is up'));
	}
}
