const collect = (): void => {
	if (!globalThis.gc) throw new Error('Start with --expose-gc');
	globalThis.gc();
	// Buffers whose owner has gone are given back by the next one.
	globalThis.gc();
};

/** Bytes that are in use, once all garbage is gone: the heap and the buffers beside it. */
export function liveBytes(): number {
	collect();
	const { heapUsed, external } = process.memoryUsage();
	return heapUsed + external;
}

/** The most memory the process has ever had, garbage included. */
export const peakRss = (): number => process.resourceUsage().maxRSS * 1024;

/** Finds the most memory in use during a run, by collecting all garbage again and again. */
export class MemoryMeter {
	peak = 0;
	private timer: NodeJS.Timeout | undefined;
	private stopped = false;

	/** A moment worth knowing, e.g. before something large is released. */
	readonly sample = (): number => {
		const live = liveBytes();
		this.peak = Math.max(this.peak, live);
		return live;
	};

	start(): void {
		const startedAt = performance.now();
		this.sample();
		const pauseMs = Math.max(20, performance.now() - startedAt);
		if (!this.stopped) this.timer = setTimeout(() => this.start(), pauseMs);
	}

	stop(): void {
		this.stopped = true;
		clearTimeout(this.timer);
	}
}

export const MB = 1_000_000;
