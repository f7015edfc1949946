import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { ServiceFailure } from '../service/failure';
import { nodeError, type NodeFailure } from './errors';

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
	private readonly continues: boolean;
	private readonly errors: NodeFailure[] = [];

	constructor(
		private readonly context: IExecuteFunctions,
		itemCount: number,
	) {
		this.outputs = Array.from({ length: itemCount }, () => []);
		this.continues = context.continueOnFail();
	}

	/** Whether the workflow stops at a failure, so that further work would be for nothing. */
	get stopsOnFailure(): boolean {
		return !this.continues;
	}

	/** Items that failed so far. */
	get failures(): number {
		return this.errors.length;
	}

	/**
	 * One result of an item.
	 *
	 * @param others further input items the result belongs to
	 */
	add(itemIndex: number, json: IDataObject, others: number[] = []): void {
		const pairedItem =
			others.length === 0
				? { item: itemIndex }
				: [itemIndex, ...others].map((item) => ({ item }));
		this.outputs[itemIndex]?.push({ json, pairedItem });
	}

	/** An item that failed. */
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

	/** Ends the run at the first failure unless the node is set to continue. */
	throwIfStopping(): void {
		const [first] = this.errors;
		if (first && this.stopsOnFailure) throw first;
	}

	/**
	 * The node's output.
	 *
	 * @throws the first failure, unless the node is set to continue
	 */
	finish(): INodeExecutionData[] {
		this.throwIfStopping();
		return this.outputs.flat();
	}
}
