import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { ServiceFailure } from '../service/failure';
import { failureMessage, nodeError, type NodeFailure } from './errors';
import { Cancelled, isCancel } from './run';

/** How a failing item is shown. */
export interface FailOptions {
	/** What could not be done, e.g. `Document "a1" was not pushed`. */
	prefix?: string;
	/** What to do, beyond what the error says. */
	advice?: string;
	/** Members of the error item beside `error`, e.g. the document id. */
	json?: IDataObject;
}

/**
 * Collects what becomes of each input item, in any order, and puts it out in the order of the
 * input: every item once, as its results or as its error, linked to it.
 */
export class Results {
	private readonly outputs: INodeExecutionData[][];
	private firstFailure: NodeFailure | undefined;
	/** Failures so far. */
	failures = 0;
	/** Whether the workflow stops at a failure, so that further work would be for nothing. */
	readonly stopsOnFailure: boolean;
	private readonly toErrorOutput: boolean;
	/** What has been done so far, for the error of a run that ends early. */
	progress: () => string = () => '';

	constructor(
		private readonly context: IExecuteFunctions,
		itemCount: number,
	) {
		this.outputs = Array.from({ length: itemCount }, () => []);
		this.stopsOnFailure = !context.continueOnFail();
		this.toErrorOutput = context.getNode().onError === 'continueErrorOutput';
	}

	/**
	 * One result of an item.
	 *
	 * @param items all items the result belongs to, if it is more than that one
	 */
	add(itemIndex: number, json: IDataObject, items?: number[]): void {
		const pairedItem = items ? items.map((item) => ({ item })) : { item: itemIndex };
		this.outputs[itemIndex]?.push({ json, pairedItem });
	}

	/** An item, or a part of one, that failed. */
	fail(itemIndex: number, error: unknown, { prefix, advice, json }: FailOptions = {}): void {
		// A run that was canceled puts nothing out.
		if (isCancel(error)) return;
		this.failures++;
		// n8n's errors are slow to make, and a run may hold hundreds of thousands of items.
		const failure = () => nodeError(this.context, error, itemIndex, prefix, advice);
		if (this.stopsOnFailure) {
			this.firstFailure ??= failure();
			return;
		}
		const status = error instanceof ServiceFailure && error.httpStatus;
		const message = failureMessage(error, prefix);
		const item: INodeExecutionData = {
			json: { error: message, ...(status && { httpStatus: status }), ...json },
			pairedItem: { item: itemIndex },
		};
		if (this.toErrorOutput) {
			// By this member n8n finds the items for the error output, yet what still has it after that
			// loses all JSON but the message. So it is hidden from the copy that n8n puts out.
			Object.defineProperty(item, 'error', { value: failure(), enumerable: false });
		}
		this.outputs[itemIndex]?.push(item);
	}

	/** An error that hit the whole run fails every item that has nothing to show yet. */
	failRest(error: unknown): void {
		const progress = this.progress();
		const json = progress === '' ? {} : { progress };
		this.outputs.forEach((output, itemIndex) => {
			if (output.length === 0) this.fail(itemIndex, error, { json });
		});
	}

	/**
	 * Ends the run at the first failure unless the node is set to continue.
	 *
	 * @throws the first failure, with what had been done by then
	 */
	throwIfStopping(): void {
		const first = this.firstFailure;
		if (first === undefined) return;
		first.description = [first.description, this.progress()].filter(Boolean).join(' ');
		throw first;
	}

	/** The node's output. */
	finish(): INodeExecutionData[] {
		return this.outputs.flat();
	}
}

/**
 * Runs a node: whatever happens, each input item ends as its results or as its error.
 *
 * @throws the first failure where the node is set to stop, and when the execution was cancelled
 */
export async function runNode(
	context: IExecuteFunctions,
	execute: (results: Results) => Promise<void>,
): Promise<INodeExecutionData[][]> {
	const results = new Results(context, context.getInputData().length);
	await execute(results).catch((error: unknown) => {
		// n8n would let the input of a node that throws pass as its output.
		if (isCancel(error)) throw nodeError(context, new Cancelled(results.progress()));
		if (results.stopsOnFailure) {
			throw nodeError(context, error, undefined, '', results.progress());
		}
		results.failRest(error);
	});
	results.throwIfStopping();
	return [results.finish()];
}
