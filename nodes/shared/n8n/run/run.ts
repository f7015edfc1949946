import {
	sleep,
	type IBinaryKeyData,
	type IDataObject,
	type IExecuteFunctions,
	type INodeExecutionData,
	type NodeExecutionHint,
} from 'n8n-workflow';

import { newStats, type RunState } from '../../flow/run-state';
import { Canceled, isCanceled, messageOf, nodeError } from './errors';
import { addHint } from './hints';
import { Meter } from './meter';
import { logRegularly, recordFigures } from './report';
import { PreviousTries, type Kept } from '../sources/previous-tries';
import { Results, type FailOptions } from './results';
import { Slices } from '../sources/slices';

/** Node.js treats a longer time as zero. */
const MAX_SLEEP_MS = 2 ** 31 - 1;

/**
 * One execution of a node: its items, its clock, whether it goes on, and its results. Everything that
 * has to know whether to go on asks it.
 */
export class Run implements RunState {
	readonly items: INodeExecutionData[];
	readonly stats = newStats();
	/** Whether the workflow stops at a failure, so that further work would be wasted. */
	readonly stopsOnFailure: boolean;
	/** What has been done so far, for the error of a run that ends early. */
	progress: () => string = () => '';
	/** What the log says of a run that takes long, a line each. */
	logLines: () => string[] = () => [`${this.progress()} (${this.meter.text()})`.trimStart()];
	/** Measures all that the run sends. */
	readonly meter: Meter;
	/** What earlier tries of the node have kept. */
	readonly previousTries: PreviousTries;
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
	private readonly slices = new Slices();
	private readonly results: Results;
	/** All items that the files of an input item gave, once all are done. */
	private readonly filesDone: Kept<INodeExecutionData[]>;
	/** How many files of an input item are not done yet. */
	private readonly filesLeft = new Map<number, number>();

	constructor(readonly context: IExecuteFunctions) {
		this.items = context.getInputData();
		this.stopsOnFailure = !context.continueOnFail();
		this.results = new Results(context, this.stopsOnFailure);
		this.previousTries = new PreviousTries(context);
		this.filesDone = this.previousTries.kept('files');
		this.signal = this.canceling.signal;
		this.meter = new Meter(this);
		const signal = context.getExecutionCancelSignal();
		this.wasCanceledBefore = signal?.aborted === true;
		if (this.wasCanceledBefore) this.cancel();
		signal?.addEventListener('abort', this.cancel);
	}

	get ended(): { readonly reason: unknown } | undefined {
		return this.end;
	}

	get failures(): number {
		return this.results.failures;
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
		const stopListening = this.onEnd(() => timer.abort());
		await pause(ms, timer, wake);
		stopListening();
	}

	/**
	 * The run for what has to follow even if it has ended, such as a commit: only a cancel ends that, and
	 * its failure is not a failure of the run.
	 */
	closing(): RunState {
		const canceled = () => (isCanceled(this.end?.reason) ? this.end : undefined);
		return {
			get ended() {
				return canceled();
			},
			stopsOnFailure: false,
			stats: this.stats,
			stop: () => undefined,
			now: () => this.now(),
			random: () => this.random(),
			sleep: async (ms, wake) => {
				if (this.signal.aborted) return;
				const timer = new AbortController();
				const end = () => timer.abort();
				this.signal.addEventListener('abort', end);
				await pause(ms, timer, wake);
				this.signal.removeEventListener('abort', end);
			},
		};
	}

	/** Lets other executions have their turn; to be called between small steps of long work. */
	breathe(): Promise<void> | undefined {
		return this.slices.breathe();
	}

	/**
	 * The input items with their numbers, in slices, so that other executions have their turn. Ends with
	 * the run: a node that stops at failures reads no further.
	 */
	async *eachItem(): AsyncGenerator<[number, INodeExecutionData], void, undefined> {
		for (const [itemIndex, item] of this.items.entries()) {
			await this.breathe();
			if (this.end) return;
			yield [itemIndex, item];
		}
	}

	/** Results of an item; see `Results`. */
	done(itemIndex: number, list: IDataObject[], items?: number[], binary?: IBinaryKeyData): void {
		this.results.add(itemIndex, list, items, binary);
	}

	/**
	 * Whether an earlier try of the node has read all files of this item to their end. Then the items it
	 * returned are returned again.
	 */
	restored(itemIndex: number): boolean {
		const items = this.filesDone.get(String(itemIndex));
		if (items) this.results.restore(itemIndex, items);
		return items !== undefined;
	}

	/** So many files of an input item are to be read. */
	beginFiles(itemIndex: number, count: number): void {
		this.filesLeft.set(itemIndex, count);
	}

	/** The result of an item that was a file, all of which has been answered; see `Results`. */
	doneWithFiles(
		itemIndex: number,
		json: IDataObject,
		binary: IBinaryKeyData,
		failure?: unknown,
	): void {
		const items = this.results.addWithFiles(itemIndex, json, binary, failure);
		const left = (this.filesLeft.get(itemIndex) ?? 1) - 1;
		this.filesLeft.set(itemIndex, left);
		if (left === 0) this.filesDone.set(String(itemIndex), items);
	}

	/** An item, or a part of one, failed; see `Results`. Ends a run that stops at failures. */
	fail(itemIndex: number, error: unknown, options?: FailOptions): void {
		if (isCanceled(this.end?.reason)) return;
		this.results.fail(itemIndex, error, options);
		if (this.stopsOnFailure) this.stop(error);
	}

	/** An item could not be read: nothing was sent for it. */
	refuse(itemIndex: number, error: unknown, json: IDataObject = {}): void {
		// n8n adds the number to the errors of nodes that stop.
		const message = this.stopsOnFailure
			? messageOf(error)
			: `${messageOf(error)} (item ${itemIndex})`;
		this.fail(itemIndex, error, { message, json });
	}

	/** Tells the user something about the run, in the output pane. */
	hint(message: string, type: NonNullable<NodeExecutionHint['type']> = 'warning'): void {
		addHint(this.context, message, type);
	}

	/** What the error of a canceled run says about what had been done. */
	private progressOfCanceled(progress: string): string {
		// With Retry On Fail, n8n starts a canceled node again: that run knows nothing of what was done.
		if (this.wasCanceledBefore) return '';
		if (!this.interrupted) return progress;
		const before = progress === '' ? '' : `${progress.replace(/\.$/, '')}. `;
		return `${before}Requests in flight may have taken effect.`;
	}

	/**
	 * The node's output.
	 *
	 * @throws Canceled; the first failure of a run that stops at failures, with what had been done
	 */
	async finish(): Promise<INodeExecutionData[]> {
		this.context.getExecutionCancelSignal()?.removeEventListener('abort', this.cancel);
		for (const cleanup of this.cleanups) cleanup();
		const progress = this.progress();
		// n8n would take the input of a node that throws for its output.
		if (isCanceled(this.end?.reason))
			throw nodeError(this.context, new Canceled(this.progressOfCanceled(progress)));
		if (this.end && this.stopsOnFailure) {
			const failure = this.results.firstFailure ?? nodeError(this.context, this.end.reason);
			failure.description = [failure.description, progress].filter(Boolean).join(' ');
			throw failure;
		}
		const json = progress === '' ? {} : { progress };
		for (const itemIndex of this.end ? this.results.unanswered() : []) {
			await this.breathe();
			this.results.fail(itemIndex, this.end?.reason, { json });
		}
		const output = this.results.all();
		this.previousTries.endWith(output);
		return output;
	}
}

/** Sleeps until the timer is aborted, by itself or by the other signal. */
async function pause(ms: number, timer: AbortController, wake?: AbortSignal): Promise<void> {
	const end = () => timer.abort();
	wake?.addEventListener('abort', end);
	await new Promise<void>((resolve) => {
		// Older versions of n8n do not end a sleep early.
		timer.signal.addEventListener('abort', () => resolve());
		const limited = Math.min(Math.max(0, ms), MAX_SLEEP_MS);
		void sleep(limited, timer.signal).then(resolve, () => resolve());
	});
	wake?.removeEventListener('abort', end);
}

/**
 * Runs a node: whatever happens, each input item is returned as its results or as its error.
 *
 * @throws the first failure if the node is set to stop, and when the execution was canceled
 */
export async function runNode(
	context: IExecuteFunctions,
	execute: (run: Run) => Promise<void>,
): Promise<INodeExecutionData[][]> {
	const run = new Run(context);
	const stopLogging = logRegularly(run);
	await execute(run).catch((error: unknown) => run.crash(error));
	stopLogging();
	recordFigures(run);
	return [await run.finish()];
}
