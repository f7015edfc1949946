import type {
	IBinaryKeyData,
	IDataObject,
	IExecuteFunctions,
	INodeExecutionData,
	NodeExecutionHint,
} from 'n8n-workflow';

import { Canceled, isCanceled, messageOf, nodeError } from './errors';
import { addHint } from './hints';
import { Lifetime } from './lifetime';
import { Meter } from './meter';
import { log, logRegularly, recordFigures } from './report';
import { PreviousTries, type Kept } from './previous-tries';
import { Results, type FailOptions } from './results';
import { Slices } from './slices';

/** One execution of a node: its items, whether it goes on, and its results. */
export class Run extends Lifetime {
	readonly items: INodeExecutionData[];
	/** What has been done so far, for the error of a run that ends early. */
	progress: () => string = () => '';
	/** What the log says of a run that takes long, a line each. */
	logLines: () => string[] = () => [`${this.progress()} (${this.meter.text()})`.trimStart()];
	/** Measures all that the run sends. */
	readonly meter: Meter;
	/** What earlier tries of the node have kept. */
	readonly previousTries: PreviousTries;
	private readonly slices = new Slices();
	private readonly results: Results;
	/** All items that the files of an input item gave, once all are done. */
	private readonly filesDone: Kept<INodeExecutionData[]>;
	/** How many files of an input item are not done yet. */
	private readonly filesLeft = new Map<number, number>();

	constructor(context: IExecuteFunctions) {
		super(context);
		this.items = context.getInputData();
		this.results = new Results(context, this.stopsOnFailure);
		this.previousTries = new PreviousTries(context);
		this.filesDone = this.previousTries.kept('files');
		this.meter = new Meter(this);
	}

	get failures(): number {
		return this.results.failures;
	}

	/** Whether items that failed leave through an output of their own. */
	get hasErrorOutput(): boolean {
		return this.results.toErrorOutput;
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
			if (this.ended) return;
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
		if (isCanceled(this.ended?.reason)) return;
		if (this.stopsOnFailure) this.stop(error);
		// A request in flight may fail for another reason before the one that ended the run is reported.
		const isCause = this.ended?.reason === error;
		this.results.fail(itemIndex, error, { ...options, isCause });
	}

	/** An item could not be read: nothing was sent for it. */
	refuse(itemIndex: number, error: unknown, id?: string): void {
		// n8n adds the number to the errors of nodes that stop.
		const message = this.stopsOnFailure
			? messageOf(error)
			: `${messageOf(error)} (item ${itemIndex})`;
		this.fail(itemIndex, error, { message, id });
	}

	/** Tells the user something about the run, in the output pane. */
	hint(message: string, type: NonNullable<NodeExecutionHint['type']> = 'warning'): void {
		addHint(this.context, message, type);
	}

	/**
	 * The node's output.
	 *
	 * @throws Canceled; the first failure of a run that stops at failures, with what had been done
	 */
	async finish(): Promise<INodeExecutionData[]> {
		this.over();
		const progress = this.progress();
		// A node that is to continue must not throw: n8n would pass on its input as if it were the output.
		if (isCanceled(this.ended?.reason))
			throw nodeError(this.context, new Canceled(this.progressOfCanceled(progress)));
		if (this.ended && this.stopsOnFailure) {
			const failure = this.results.thrown ?? nodeError(this.context, this.ended.reason);
			failure.description = [failure.description, progress].filter(Boolean).join(' ');
			throw failure;
		}
		const json = progress === '' ? {} : { progress };
		for (const itemIndex of this.ended ? this.results.unanswered() : []) {
			await this.breathe();
			this.results.fail(itemIndex, this.ended?.reason, { json });
		}
		const output = this.results.all();
		this.previousTries.endWith(output);
		return output;
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
	const stopLogging = logRegularly(run);
	await execute(run).catch((error: unknown) => run.crash(error));
	stopLogging();
	// n8n does not show what a run that was stopped by hand had done.
	if (run.ended) for (const line of run.logLines()) log(run, line);
	recordFigures(run);
	return [await run.finish()];
}
