import type { Clock } from '../nodes/shared/sending/run-state';

interface Timer {
	due: number;
	wake: () => void;
	fail?: (error: unknown) => void;
}

const WEEK_MS = 7 * 24 * 3_600_000;

/** Waits until all pending promise callbacks have run. */
const settle = async () => await new Promise<void>((resolve) => setImmediate(resolve));

/**
 * A clock whose time passes only while all code is waiting. Sleeps end one by one, in the order of their due times. A
 * run that lasts minutes therefore takes milliseconds, and always produces the same result.
 */
export class VirtualClock implements Clock {
	private time = 0;
	private readonly timers: Timer[] = [];
	private canceled: { error: unknown } | undefined;

	constructor(private seed = 1) {}

	now(): number {
		return this.time;
	}

	random(): number {
		this.seed = (this.seed + 0x6d2b79f5) | 0;
		let bits = Math.imul(this.seed ^ (this.seed >>> 15), this.seed | 1);
		bits ^= bits + Math.imul(bits ^ (bits >>> 7), bits | 61);
		return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32;
	}

	/**
	 * @param wakers during the sleep, this set contains a function that ends the sleep early. One set for all sleeps is
	 *   faster than one signal per sleep
	 */
	async sleep(ms: number, wake?: AbortSignal, wakers?: Set<() => void>): Promise<void> {
		if (Number.isNaN(ms)) throw new Error('A sleep has no length');
		if (this.canceled) throw this.canceled.error;
		if (wake?.aborted) return;
		await new Promise<void>((resolve, reject) => {
			const leave = () => {
				// Node.js keeps a combined signal in memory as long as something is listening to it.
				wake?.removeEventListener('abort', wakeEarly);
				wakers?.delete(wakeEarly);
			};
			const timer = {
				due: this.time + Math.max(0, ms),
				wake: () => {
					leave();
					resolve();
				},
				fail: (error: unknown) => {
					leave();
					reject(error);
				},
			};
			const wakeEarly = () => {
				const place = this.timers.indexOf(timer);
				if (place >= 0) this.timers.splice(place, 1);
				timer.wake();
			};
			this.insert(timer);
			wake?.addEventListener('abort', wakeEarly);
			wakers?.add(wakeEarly);
		});
	}

	/** Runs an action at the specified time, even after a cancellation. */
	at(ms: number, action: () => void): void {
		this.insert({ due: ms, wake: action });
	}

	/** After this time, makes every sleep fail, including sleeps that have already begun. */
	cancelAt(ms: number, error: unknown): void {
		this.at(ms, () => {
			this.canceled = { error };
			const sleeps = this.timers.filter(({ fail }) => fail !== undefined);
			for (const sleep of sleeps) {
				this.timers.splice(this.timers.indexOf(sleep), 1);
				sleep.fail?.(error);
			}
		});
	}

	/**
	 * Lets time pass until the work has ended.
	 *
	 * @throws the error that the work throws, or an error if the work waits for something that cannot happen or has no
	 *   end
	 */
	async run<T>(work: Promise<T>): Promise<T> {
		let ended = false;
		const end = () => void (ended = true);
		work.then(end, end);
		const until = this.time + WEEK_MS;
		for (await settle(); !ended; await settle()) {
			if (!this.step()) throw new Error('A deadlock: the work waits, but no sleep is due');
			if (this.time > until)
				throw new Error(`The work has no end: ${this.timers.length} sleeps after a week`);
		}
		return await work;
	}

	async drain(): Promise<void> {
		do await settle();
		while (this.step());
	}

	private step(): boolean {
		const next = this.timers.shift();
		if (next === undefined) return false;
		this.time = Math.max(this.time, next.due);
		next.wake();
		return true;
	}

	private insert(timer: Timer): void {
		const after = this.timers.findIndex(({ due }) => due > timer.due);
		this.timers.splice(after < 0 ? this.timers.length : after, 0, timer);
	}
}
