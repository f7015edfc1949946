/**
 * `runNode` runs a node. It creates a `Run`, which is one execution of the node, and passes the `Run` to the function
 * that does the node's work. All other code asks the run whether to continue, waits with the run's `sleep`, and reports
 * results and failures to the run. Whatever happens, each entry has one outcome. An item that contains a list can
 * therefore have both results and errors.
 */
import {
	sleep,
	type IExecuteFunctions,
	type INodeExecutionData,
	type NodeExecutionHint,
} from 'n8n-workflow';

import type { LimiterClient } from '../sending/limiter';
import { RunStats, type RunState } from '../sending/run-state';
import { Canceled, nodeError } from './errors';
import { Meter } from './meter';
import { Results, type Failure } from './results';
import { messageOf } from '../service/input-error';
import { listOf } from '../service/strings';

/** Maximum time for which one execution may block all others, in milliseconds. */
const SLICE_MS = 25;

/** About 24 days. Node.js treats any longer timeout as zero. */
export const MAX_TIMEOUT_MS = 2 ** 31 - 1;

/**
 * Before version 2.34, n8n's `sleep` ignores the signal, so the timer of a sleep that was ended goes on. Short timers soon
 * end by themselves.
 */
const LONGEST_TIMER_MS = 60_000;

/** Interval in milliseconds at which a long run writes to n8n's log. */
const LOG_INTERVAL_MS = 10_000;

/**
 * A run ends early if it is told to stop, if it is canceled, or if the node throws an error. If there are several
 * reasons, the first one applies. However, an error that the node throws overrides an earlier reason, and a
 * cancellation overrides any other reason. All code that waits uses the run's `sleep`, so that it stops waiting when
 * the run ends.
 */
export class Run implements RunState {
	readonly items: INodeExecutionData[];
	readonly stats: RunStats;
	/** Number of responses for each status, including responses to polls. */
	readonly statuses: Record<number, number> = {};
	readonly stopsOnFailure: boolean;
	ended: { readonly reason: unknown } | undefined;
	readonly isTool: boolean;
	/** This signal is aborted when the execution is canceled. */
	readonly signal: AbortSignal;
	/** Returns a message about what the run has done so far. If the run ends early, the error contains this message. */
	progress: () => string = () => '';
	logLines: () => string[] = () => [`${this.progress()} (${this.meter.text()})`.trimStart()];
	readonly meter: Meter;
	readonly results: Results;
	readonly now = performance.now.bind(performance);
	private sliceStartedAt = performance.now();
	/** Whether requests were in flight when the run was canceled. */
	private isInterrupted = false;
	private readonly canceling = new AbortController();
	private readonly onEndListeners = new Set<() => void>();
	/** Problems with files, grouped by the advice that applies to them. */
	private readonly filesToHintAt: Record<string, string[]> = {};
	readonly limiterClients: LimiterClient[] = [];

	constructor(readonly context: IExecuteFunctions) {
		this.items = context.getInputData();
		this.stopsOnFailure = !context.continueOnFail();
		// If an AI agent uses the node as a tool, the node's type name ends with this word.
		this.isTool = context.getNode().type.endsWith('Tool');
		this.stats = new RunStats();
		this.results = new Results(context, this.stopsOnFailure);
		this.meter = new Meter(this.stats);
		this.signal = this.canceling.signal;
		const signal = context.getExecutionCancelSignal();
		if (signal?.aborted) this.cancel();
		signal?.addEventListener('abort', this.cancel);
	}

	/**
	 * Lets other executions run if this one has used up its time slice. Long-running code calls this between small
	 * steps.
	 */
	yieldToOthers(): Promise<void> | undefined {
		return performance.now() - this.sliceStartedAt < SLICE_MS ? undefined : this.pause();
	}

	stop(reason: unknown): void {
		this.ended ??= { reason };
		for (const listener of this.onEndListeners) listener();
	}

	/** @returns a function that removes the listener */
	onEnd(listener: () => void): () => void {
		this.onEndListeners.add(listener);
		return () => this.onEndListeners.delete(listener);
	}

	/**
	 * Ends the run because the node has thrown an error. The error overrides any earlier reason for ending the run,
	 * except a cancellation.
	 */
	crash(error: unknown): void {
		if (!this.signal.aborted) this.ended = { reason: error };
		this.stop(error);
	}

	random(): number {
		return Math.random();
	}

	async sleep(ms: number, wake?: AbortSignal): Promise<void> {
		if (this.ended || wake?.aborted) return;
		const timer = new AbortController();
		const { signal } = timer;
		const wakeUp = () => timer.abort();
		const stopListening = this.onEnd(wakeUp);
		wake?.addEventListener('abort', wakeUp);
		const woken = new Promise<void>((resolve) =>
			signal.addEventListener('abort', () => resolve()),
		);
		const end = performance.now() + ms;
		let leftMs = ms;
		do {
			const slept = sleep(Math.min(leftMs, LONGEST_TIMER_MS), signal);
			await Promise.race([slept.catch(() => undefined), woken]);
			leftMs = end - performance.now();
			// Node.js may end a timer a fraction of a millisecond early.
		} while (leftMs >= 1 && !signal.aborted);
		wake?.removeEventListener('abort', wakeUp);
		stopListening();
	}

	get returnsNothing(): boolean {
		return this.signal.aborted || (this.stopsOnFailure && this.ended !== undefined);
	}

	/** If the run stops on failures, the failure ends the run. */
	fail(itemIndex: number, failure: Failure): void {
		if (this.signal.aborted) return;
		const { reason } = failure;
		if (this.stopsOnFailure) this.stop(reason);
		// The failure that ended the run might not be reported first, because requests in flight can fail for other
		// reasons.
		this.results.fail(itemIndex, failure, this.ended?.reason === reason);
	}

	/** Nothing was sent for this item. */
	refuse(itemIndex: number, reason: unknown, id?: string): void {
		// If the run stops on failures, n8n itself adds the item number to the error.
		const where = this.stopsOnFailure ? '' : ` (item ${itemIndex})`;
		this.fail(itemIndex, { reason, message: `${messageOf(reason)}${where}`, id });
	}

	/** Shows a hint in the node's output pane, unless the message is empty. */
	hint(message: string, type: NonNullable<NodeExecutionHint['type']> = 'warning'): void {
		if (message !== '')
			this.context.addExecutionHints({ message, type, location: 'outputPane' });
	}

	/**
	 * Problems with the same advice share one hint.
	 *
	 * @param advice what to do, or '' if there is nothing to do
	 */
	hintAtFile(what: string, advice: string): void {
		(this.filesToHintAt[advice] ??= []).push(what);
	}

	/** Each log entry also contains the figures as separate fields, which can be used to filter the log. */
	log(lines = this.logLines(), figures = this.meter.json()): void {
		const { context, statuses } = this;
		const { done: records, failed } = this.stats;
		const { name: node } = context.getNode();
		const members = { node, records, failed, ...figures, statuses };
		for (const line of lines) context.logger.info(`${node}: ${line}`, members);
	}

	/**
	 * This method must be called at the end of every run, even if the run failed.
	 *
	 * @throws Canceled if the execution was canceled, or the first failure if the run stops on failures
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
		// If the node throws while On Error is set to continue, n8n uses the node's input as its output. So the node
		// throws only if the run was canceled or stops on failures.
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
 * Runs a node. Each input item produces either results or an error.
 *
 * @throws Canceled if the execution was canceled, or the first failure if the run stops on failures
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
	// n8n does not show the progress of a canceled run, so the progress is written to the log.
	if (run.ended) run.log();
	const figures = run.meter.json();
	run.log([run.meter.endText(run.statuses, figures)], figures);
	// n8n adds this metadata to its OpenTelemetry spans.
	context.setMetadata({ tracing: { records: run.stats.done, ...figures } });
	return [await run.finish()];
}

async function logRegularly(run: Run, signal: AbortSignal): Promise<void> {
	for (;;) {
		await run.sleep(LOG_INTERVAL_MS, signal);
		if (run.ended || signal.aborted) return;
		run.log();
	}
}
