import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { ServiceFailure } from '../service/failure';
import { nodeError, type NodeFailure } from './errors';
import { isCancel } from './run';

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
	private readonly errors: NodeFailure[] = [];
	/** Whether the workflow stops at a failure, so that further work would be for nothing. */
	readonly stopsOnFailure: boolean;
	/** What has been done so far, for the error of a run that ends early. */
	progress: () => string = () => '';

	constructor(
		private readonly context: IExecuteFunctions,
		itemCount: number,
	) {
		this.outputs = Array.from({ length: itemCount }, () => []);
		this.stopsOnFailure = !context.continueOnFail();
	}

	/** Results and errors that came from failures so far. */
	get failures(): number {
		return this.errors.length;
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
		const failure = nodeError(this.context, error, itemIndex, prefix, advice);
		this.errors.push(failure);
		const status = error instanceof ServiceFailure && error.httpStatus;
		this.outputs[itemIndex]?.push({
			json: { error: failure.message, ...(status && { httpStatus: status }), ...json },
			error: failure,
			pairedItem: { item: itemIndex },
		});
	}

	/** An error that hit the whole run fails every item that has nothing to show yet. */
	failRest(error: unknown): void {
		this.outputs.forEach((output, itemIndex) => {
			if (output.length === 0) this.fail(itemIndex, error);
		});
	}

	/**
	 * Ends the run at the first failure unless the node is set to continue.
	 *
	 * @throws the first failure, with what had been done by then
	 */
	throwIfStopping(): void {
		const [first] = this.errors;
		if (first === undefined || !this.stopsOnFailure) return;
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
		if (isCancel(error) || results.stopsOnFailure) {
			throw nodeError(context, error, undefined, '', results.progress());
		}
		results.failRest(error);
	});
	results.throwIfStopping();
	return [results.finish()];
}
