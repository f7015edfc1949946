import type {
	IBinaryKeyData,
	IDataObject,
	IExecuteFunctions,
	INodeExecutionData,
} from 'n8n-workflow';

import { ServiceFailure } from '../../service/failure';
import { messageOf, nodeError, type NodeFailure } from './errors';
import { forModel, isTool } from './tool';

/** How a failing item is shown. */
export interface FailOptions {
	/** Instead of the error's own message, e.g. with the document it concerns. */
	message?: string | undefined;
	/** What to do, beyond what the error says. */
	advice?: string | undefined;
	/** ID of the document, a field of the error item. */
	id?: string | undefined;
	/** Further fields of the error item. */
	json?: IDataObject | undefined;
	/** Files of the error item. */
	binary?: IBinaryKeyData;
	/** It was not started, because the run had ended for this reason. */
	skipped?: boolean | undefined;
	/** For this reason the run has ended, or ends now. */
	isCause?: boolean;
}

/**
 * Collects the outcomes of the input items, in any order, and returns them in the order of the input:
 * every item once, as its results or as its error, linked to it.
 */
export class Results {
	/** What each item that has an outcome gets, which may be nothing. */
	private readonly outputs: Array<INodeExecutionData[] | undefined>;
	/** Whether items that failed leave through an output of their own. */
	readonly toErrorOutput: boolean;
	private readonly isForModel: boolean;
	/** Failures so far. */
	failures = 0;
	/** The failure that a run that stops at failures throws: the first one, and rather one that ended the run. */
	thrown: NodeFailure | undefined;
	private hasCause = false;

	constructor(
		private readonly context: IExecuteFunctions,
		private readonly stopsOnFailure: boolean,
	) {
		this.outputs = context.getInputData().map(() => undefined);
		this.toErrorOutput = context.getNode().onError === 'continueErrorOutput';
		this.isForModel = isTool(context);
	}

	/**
	 * Results of an item.
	 *
	 * @param list one output item each; an empty list means that nothing is returned for the item
	 * @param items all input items the results belong to, if there are more than that one
	 * @param binary files that the output items have
	 */
	add(itemIndex: number, list: IDataObject[], items?: number[], binary?: IBinaryKeyData): void {
		const pairedItem = items ? items.map((item) => ({ item })) : { item: itemIndex };
		if (items) for (const item of items) this.give(item, []);
		this.give(
			itemIndex,
			list.map((json) => withFiles({ json: this.shown(json), pairedItem }, binary)),
		);
	}

	/**
	 * The result of an item that was a file.
	 *
	 * @param failure what failed in it, if anything did: then it goes to the error output if there is
	 *   one. It has no field `error`, by which n8n's Retry On Fail would do it all again.
	 * @returns all items that this input item has given
	 */
	addWithFiles(
		itemIndex: number,
		json: IDataObject,
		binary: IBinaryKeyData,
		failure?: unknown,
	): INodeExecutionData[] {
		const item = withFiles({ json, pairedItem: { item: itemIndex } }, binary);
		if (failure !== undefined)
			this.routeToErrorOutput(item, () => nodeError(this.context, failure, { itemIndex }));
		return this.give(itemIndex, [item]);
	}

	/** The items that an earlier try of the node returned for an input item. */
	restore(itemIndex: number, items: INodeExecutionData[]): void {
		this.outputs[itemIndex] = items;
	}

	/** An item, or a part of one, that failed. */
	fail(itemIndex: number, error: unknown, options: FailOptions = {}): void {
		const { message = messageOf(error), advice, id, json, binary } = options;
		this.failures++;
		// n8n's errors are slow to make, and a run may have hundreds of thousands of items.
		const failure = () => nodeError(this.context, error, { itemIndex, message, advice });
		if (this.stopsOnFailure) {
			this.give(itemIndex, []);
			const { skipped, isCause = false } = options;
			if (skipped || this.hasCause || (this.thrown && !isCause)) return;
			this.thrown = failure();
			this.hasCause = isCause;
			return;
		}
		const status = error instanceof ServiceFailure && error.httpStatus;
		const document = id === undefined ? json : { id, ...json };
		const fields = { ...document, error: message, ...(status && { httpStatus: status }) };
		const failed = { json: this.shown(fields), pairedItem: { item: itemIndex } };
		const item = withFiles(failed, binary);
		this.routeToErrorOutput(item, failure);
		this.give(itemIndex, [item]);
	}

	/** @returns all that the input item has got */
	private give(itemIndex: number, items: INodeExecutionData[]): INodeExecutionData[] {
		const output = this.outputs[itemIndex];
		if (output === undefined) return (this.outputs[itemIndex] = items);
		for (const item of items) output.push(item);
		return output;
	}

	private shown(json: IDataObject): IDataObject {
		return this.isForModel ? forModel(json) : json;
	}

	private routeToErrorOutput(item: INodeExecutionData, failure: () => NodeFailure): void {
		if (!this.toErrorOutput) return;
		// By this member n8n finds the items for the error output, but drops all JSON except the
		// message of an item that still has it after that. So n8n's own copy must not have it.
		Object.defineProperty(item, 'error', { value: failure(), enumerable: false });
	}

	/** Input items without an outcome. */
	unanswered(): number[] {
		return this.outputs.flatMap((output, itemIndex) => (output ? [] : [itemIndex]));
	}

	/** The node's output. */
	all(): INodeExecutionData[] {
		return this.outputs.flatMap((output) => output ?? []);
	}
}

const withFiles = (item: INodeExecutionData, binary?: IBinaryKeyData): INodeExecutionData =>
	binary === undefined || Object.keys(binary).length === 0 ? item : { ...item, binary };
