import { RunStats, type RunState } from '../nodes/shared/sending/run-state';
import { VirtualClock } from './virtual-clock';

export class VirtualRun implements RunState {
	readonly stats = new RunStats();
	readonly clock: VirtualClock;
	private readonly wakers = new Set<() => void>();
	ended: { reason: unknown } | undefined;

	constructor({ seed = 1, stopsOnFailure = false, clock = new VirtualClock(seed) } = {}) {
		this.clock = clock;
		this.stopsOnFailure = stopsOnFailure;
	}

	readonly stopsOnFailure: boolean;

	now(): number {
		return this.clock.now();
	}

	random(): number {
		return this.clock.random();
	}

	async sleep(ms: number, wake?: AbortSignal): Promise<void> {
		if (this.ended) return;
		await this.clock.sleep(ms, wake, this.wakers).catch(() => undefined);
	}

	stop(reason: unknown): void {
		this.ended ??= { reason };
		this.wakeAll();
	}

	/**
	 * Cancels the run when the clock reaches this time. The cancellation replaces any earlier reason for ending the
	 * run.
	 */
	cancelAt(ms: number, reason: unknown): void {
		this.clock.at(ms, () => {
			this.ended = { reason };
			this.wakeAll();
		});
		this.clock.cancelAt(ms, reason);
	}

	private wakeAll(): void {
		for (const wake of [...this.wakers]) wake();
	}
}
