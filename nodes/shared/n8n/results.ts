import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { ServiceFailure } from '../service/failure';
import { messageOf, nodeError, type NodeFailure } from './errors';

/** How a failing item is shown. */
export interface FailOptions {
	/** Instead of the error's own message, e.g. with the document it concerns. */
	message?: string;
	/** What to do, beyond what the error says. */
	advice?: string;
	/** Fields of the error item beside `error`, e.g. the document ID. */
	json?: IDataObject;
	/** It was not started, because the run had ended for this reason. */
	skipped?: boolean | undefined;
}

/**
 * Collects the outcomes of the input items, in any order, and returns them in the order of the input:
 * every item once, as its results or as its error, linked to it.
 */
export class Results {
	private readonly outputs: INodeExecutionData[][];
	/** Items with an outcome, be it an empty one. */
	private readonly answered: boolean[];
	private readonly toErrorOutput: boolean;
	/** Failures so far. */
	failures = 0;
	/** The failure that a run that stops at failures throws. */
	firstFailure: NodeFailure | undefined;

	constructor(
		private readonly context: IExecuteFunctions,
		private readonly stopsOnFailure: boolean,
	) {
		const items = context.getInputData();
		this.outputs = items.map(() => []);
		this.answered = items.map(() => false);
		this.toErrorOutput = context.getNode().onError === 'continueErrorOutput';
	}

	/**
	 * Results of an item.
	 *
	 * @param list one output item each; an empty list means that the item has been dealt with
	 * @param items all input items the results belong to, if there are more than that one
	 */
	add(itemIndex: number, list: IDataObject[], items?: number[]): void {
		const pairedItem = items ? items.map((item) => ({ item })) : { item: itemIndex };
		for (const item of items ?? [itemIndex]) this.answered[item] = true;
		for (const json of list) this.outputs[itemIndex]?.push({ json, pairedItem });
	}

	/** An item, or a part of one, that failed. */
	fail(itemIndex: number, error: unknown, options: FailOptions = {}): void {
		const { message = messageOf(error), advice, json, skipped } = options;
		this.failures++;
		this.answered[itemIndex] = true;
		// n8n's errors are slow to make, and a run may have hundreds of thousands of items.
		const failure = () => nodeError(this.context, error, { itemIndex, message, advice });
		if (this.stopsOnFailure) {
			if (!skipped) this.firstFailure ??= failure();
			return;
		}
		const status = error instanceof ServiceFailure && error.httpStatus;
		const item: INodeExecutionData = {
			json: { ...json, error: message, ...(status && { httpStatus: status }) },
			pairedItem: { item: itemIndex },
		};
		if (this.toErrorOutput) {
			// By this member n8n finds the items for the error output, but drops all JSON except the
			// message of an item that still has it after that. So n8n's own copy must not have it.
			Object.defineProperty(item, 'error', { value: failure(), enumerable: false });
		}
		this.outputs[itemIndex]?.push(item);
	}

	/** Input items without an outcome. */
	unanswered(): number[] {
		return this.answered.flatMap((isAnswered, itemIndex) => (isAnswered ? [] : [itemIndex]));
	}

	/** The node's output. */
	all(): INodeExecutionData[] {
		return this.outputs.flat();
	}
}
