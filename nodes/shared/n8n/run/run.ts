import {
	sleep,
	type IExecuteFunctions,
	type INodeExecutionData,
	type NodeExecutionHint,
} from 'n8n-workflow';

import type { LimiterClient } from '../../flow/limiter';
import { RunStats, type RunState } from '../../flow/run-state';
import { Canceled, nodeError } from './errors';
import { Meter } from './meter';
import { Results, type Failure } from './results';
import { MAX_TIMEOUT_MS } from '../../http/exchange';
import { messageOf } from '../../service/input-error';
import { listOf } from '../../service/numbers';

/** How long one execution may block all others. */
const SLICE_MS = 25;

/** How often a long run writes to n8n's log. */
const LOG_INTERVAL_MS = 10_000;

/**
 * One execution of a node: its items, how long it goes on, and its results. It ends when it is told to
 * stop, is canceled, or crashes; the first reason counts, and a cancel more than any other. Whatever waits,
 * waits here, so that the end of the run ends it.
 */
export class Run implements RunState {
	readonly items: INodeExecutionData[];
	readonly stats = new RunStats();
	/** Responses by their status, those to polls included. */
	readonly statuses: Record<number, number> = {};
	/** Whether the workflow stops at a failure, so that further work would be wasted. */
	readonly stopsOnFailure: boolean;
	/** Why nothing more may be started; undefined while the run goes on. */
	ended: { readonly reason: unknown } | undefined;
	/** Whether an AI agent runs the node. */
	readonly isTool: boolean;
	/** Aborted when the execution is canceled. */
	readonly signal: AbortSignal;
	/** What has been done so far, for the error of a run that ends early. */
	progress: () => string = () => '';
	/** What the log says of a run that takes long, a line each. */
	logLines: () => string[] = () => [`${this.progress()} (${this.meter.text()})`.trimStart()];
	readonly meter: Meter;
	readonly results: Results;
	private sliceStartedAt = performance.now();
	/** Requests were in flight when the run was canceled. */
	private isInterrupted = false;
	private readonly canceling = new AbortController();
	private readonly onEndListeners = new Set<() => void>();
	/** What is wrong with files, by what to do about it. */
	private readonly filesToHintAt: Record<string, string[]> = {};
	/** Clients of limiters, which leave when the run is over. */
	readonly limiterClients: LimiterClient[] = [];

	constructor(readonly context: IExecuteFunctions) {
		this.items = context.getInputData();
		this.stopsOnFailure = !context.continueOnFail();
		// n8n gives its variant for agents a type of its own.
		this.isTool = context.getNode().type.endsWith('Tool');
		this.results = new Results(context, this.stopsOnFailure);
		this.meter = new Meter(this.stats);
		this.signal = this.canceling.signal;
		const signal = context.getExecutionCancelSignal();
		if (signal?.aborted) this.cancel();
		signal?.addEventListener('abort', this.cancel);
	}

	/** Lets other executions have their turn; to be called between small steps of long work. */
	yieldToOthers(): Promise<void> | undefined {
		return performance.now() - this.sliceStartedAt < SLICE_MS ? undefined : this.pause();
	}

	stop(reason: unknown): void {
		this.ended ??= { reason };
		for (const listener of this.onEndListeners) listener();
	}

	/**
	 * Calls the listener as soon as the run ends, so that nothing is waited for in vain.
	 *
	 * @returns removes the listener
	 */
	onEnd(listener: () => void): () => void {
		this.onEndListeners.add(listener);
		return () => this.onEndListeners.delete(listener);
	}

	/** The node itself has thrown: that counts more than a reason why the run had ended before. */
	crash(error: unknown): void {
		if (!this.signal.aborted) this.ended = { reason: error };
		this.stop(error);
	}

	now(): number {
		return performance.now();
	}

	random(): number {
		return Math.random();
	}

	async sleep(ms: number, wake?: AbortSignal): Promise<void> {
		if (this.ended || wake?.aborted) return;
		const timer = new AbortController();
		const end = () => timer.abort();
		const stopListening = this.onEnd(end);
		wake?.addEventListener('abort', end);
		await sleep(Math.min(ms, MAX_TIMEOUT_MS), timer.signal).catch(() => undefined);
		wake?.removeEventListener('abort', end);
		stopListening();
	}

	/** Whether it has ended in such a way that no items are returned. */
	get returnsNothing(): boolean {
		return this.signal.aborted || (this.stopsOnFailure && this.ended !== undefined);
	}

	/** An item, or a part of one, failed; see `Results`. Ends a run that stops at failures. */
	fail(itemIndex: number, failure: Failure): void {
		if (this.signal.aborted) return;
		const { reason } = failure;
		if (this.stopsOnFailure) this.stop(reason);
		// A request in flight may fail for another reason before the one that ended the run is reported.
		this.results.fail(itemIndex, failure, this.ended?.reason === reason);
	}

	/** An item could not be read: nothing was sent for it. */
	refuse(itemIndex: number, reason: unknown, id?: string): void {
		// n8n adds the number to the errors of nodes that stop.
		const where = this.stopsOnFailure ? '' : ` (item ${itemIndex})`;
		this.fail(itemIndex, { reason, message: `${messageOf(reason)}${where}`, id });
	}

	/** Tells the user something about the run, in the output pane; nothing if the message is empty. */
	hint(message: string, type: NonNullable<NodeExecutionHint['type']> = 'warning'): void {
		if (message !== '')
			this.context.addExecutionHints({ message, type, location: 'outputPane' });
	}

	/**
	 * Tells the user what is wrong with a file, in one hint for all files about which the same is to be done.
	 *
	 * @param advice what to do about it; '' if nothing is to be done
	 */
	hintAtFile(what: string, advice: string): void {
		(this.filesToHintAt[advice] ??= []).push(what);
	}

	/** Writes lines to n8n's log, with the figures as members, by which a log can be filtered. */
	log(lines = this.logLines()): void {
		const { context, statuses, meter } = this;
		const { done: records, failed } = this.stats;
		const { name: node } = context.getNode();
		const members = { node, records, failed, ...meter.json(), statuses };
		for (const line of lines) context.logger.info(`${node}: ${line}`, members);
	}

	/**
	 * The node's output; to be called when the run is over, however it ended.
	 *
	 * @throws Canceled; the first failure of a run that stops at failures, with what had been done
	 */
	async finish(): Promise<INodeExecutionData[]> {
		this.context.getExecutionCancelSignal()?.removeEventListener('abort', this.cancel);
		for (const client of this.limiterClients) client.leave();
		for (const [advice, files] of Object.entries(this.filesToHintAt))
			if (advice === '') this.hint(listOf(files, 3, '; '), 'info');
			else this.hint(`${listOf(files, 3, '; ')}. ${advice}`);
		if (!this.ended) return this.results.all();
		const { reason } = this.ended;
		const progress = this.progress();
		// A node that is to continue must not throw: n8n would pass on its input as if it were the output.
		if (this.signal.aborted) {
			const before = progress && `${progress.replace(/\.$/, '')}. `;
			const uncertain = `${before}Requests in flight may have taken effect.`;
			throw nodeError(this.context, new Canceled(this.isInterrupted ? uncertain : progress));
		}
		if (this.stopsOnFailure) {
			const failure = this.results.thrown ?? nodeError(this.context, reason);
			failure.description = [failure.description, progress].filter(Boolean).join(' ');
			throw failure;
		}
		const json = progress === '' ? {} : { progress };
		for (const itemIndex of this.results.unanswered()) {
			await this.yieldToOthers();
			this.results.fail(itemIndex, { reason, json });
		}
		return this.results.all();
	}

	/** A cancel counts more than any other reason: a canceled run returns nothing. */
	private readonly cancel = (): void => {
		this.isInterrupted = this.stats.inFlight > 0;
		this.ended = { reason: new Canceled() };
		this.canceling.abort(this.ended.reason);
		this.stop(this.ended.reason);
	};

	private async pause(): Promise<void> {
		await sleep(0);
		this.sliceStartedAt = performance.now();
	}
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
	const executed = new AbortController();
	void logRegularly(run, executed.signal);
	await execute(run).catch((error: unknown) => run.crash(error));
	executed.abort();
	// n8n does not show what a run that was stopped by hand had done.
	if (run.ended) run.log();
	run.log([run.meter.endText(run.statuses)]);
	// In the data of the execution, from which n8n's OpenTelemetry spans take them.
	context.setMetadata({ tracing: { records: run.stats.done, ...run.meter.json() } });
	return [await run.finish()];
}

/** Writes to n8n's log now and then, until the signal is aborted. */
async function logRegularly(run: Run, signal: AbortSignal): Promise<void> {
	for (;;) {
		await run.sleep(LOG_INTERVAL_MS, signal);
		if (run.ended || signal.aborted) return;
		run.log();
	}
}
