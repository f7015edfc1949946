import type { RunState } from './run-state';

/** A job that waits for its next poll. */
interface Turn {
	since: number;
	due: number;
	mayMove: boolean;
	waker: AbortController;
}

/**
 * When jobs are polled. Jobs of a run tend to take equally long, so when one has finished, the others have
 * their turn as soon as they reach its age.
 */
export class Turns {
	private readonly waiting = new Set<Turn>();
	private isOver = false;

	constructor(private readonly run: RunState) {}

	/**
	 * Waits for the next turn of a job.
	 *
	 * @param since when it began
	 * @param due when its turn is at the latest
	 * @param mayMove whether its turn may come sooner
	 * @returns whether another job finished meanwhile: only once, so that this costs at most one poll more
	 */
	async next(since: number, due: number, mayMove: boolean): Promise<boolean> {
		const turn: Turn = { since, due, mayMove, waker: new AbortController() };
		this.waiting.add(turn);
		for (let ms; (ms = turn.due - this.run.now()) > 0 && !this.isOver && !this.run.ended; ) {
			turn.waker = new AbortController();
			await this.run.sleep(ms, turn.waker.signal);
		}
		this.waiting.delete(turn);
		return mayMove && !turn.mayMove;
	}

	/** A job of this age has finished. */
	finished(ageMs: number): void {
		for (const turn of this.waiting) {
			if (!turn.mayMove) continue;
			turn.mayMove = false;
			turn.due = Math.min(turn.due, turn.since + ageMs);
			turn.waker.abort();
		}
	}

	/** Ends all waits, because no outcome is wanted any longer. */
	end(): void {
		this.isOver = true;
		for (const { waker } of this.waiting) waker.abort();
	}
}
