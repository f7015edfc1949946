import type {
	IBinaryKeyData,
	IDataObject,
	IExecuteFunctions,
	INodeExecutionData,
} from 'n8n-workflow';

import type { Verdict } from '../../flow/verdict';
import { ServiceFailure } from '../../service/failure';
import { adviceOf, nodeError, type NodeFailure } from './errors';
import { messageOf } from '../../service/input-error';

/** How results of an item are returned. */
interface ResultOptions {
	/** All input items the results belong to, if there are more than one. */
	items?: number[];
	/** Files that the output items have. */
	binary?: IBinaryKeyData;
	/**
	 * Sends an item that sums up a file to the error output, if there is one. It has no field `error`, by
	 * which n8n would take all of it for failed.
	 */
	failure?: unknown;
}

/** The failure of an item, or of a part of one, and how it is shown. */
export interface Failure {
	reason: unknown;
	/** Instead of the reason's own message, e.g. with the document it concerns. */
	message?: string | undefined;
	/** What to do, beyond what the reason says. */
	advice?: string | undefined;
	/** ID of the document, a field of the error item. */
	id?: string | undefined;
	/** Further fields of the error item. A `response` is data that may come only once. */
	json?: IDataObject | undefined;
	/** Files of the error item. */
	binary?: IBinaryKeyData;
	/** It was not started, because the run had ended for this reason. */
	skipped?: boolean | undefined;
	/** About its request, if it failed with one. */
	verdict?: Verdict | undefined;
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
	failures = 0;
	/** Of a run that stops at failures the first one, and the first one for whose reason it ended. */
	private firstFailure: NodeFailure | undefined;
	private cause: NodeFailure | undefined;

	constructor(
		private readonly context: IExecuteFunctions,
		private readonly stopsOnFailure: boolean,
	) {
		this.outputs = Array.from({ length: context.getInputData().length });
		this.toErrorOutput = context.getNode().onError === 'continueErrorOutput';
	}

	/**
	 * Gives an item its results, after those that it has.
	 *
	 * @param list one output item each; an empty list means that nothing is returned for the item
	 */
	give(itemIndex: number, list: IDataObject[], options: ResultOptions = {}): void {
		const { items, binary, failure } = options;
		const pairedItem = items?.map((item) => ({ item })) ?? { item: itemIndex };
		const makeError =
			failure === undefined
				? undefined
				: () => nodeError(this.context, failure, { itemIndex });
		for (const json of list) this.add(itemIndex, { json, pairedItem }, binary, makeError);
		for (const item of items ?? [itemIndex]) this.outputs[item] ??= [];
	}

	/**
	 * An item, or a part of one, failed.
	 *
	 * @param isCause for this reason the run has ended
	 */
	fail(itemIndex: number, failure: Failure, isCause = false): void {
		const { reason, message = messageOf(reason), advice, id, json, binary } = failure;
		this.failures++;
		// n8n's errors are slow to make, and a run may have hundreds of thousands of items.
		const makeError = () => nodeError(this.context, reason, { itemIndex, message, advice });
		if (this.stopsOnFailure) {
			if (failure.skipped) return;
			if (isCause) this.cause ??= makeError();
			else this.firstFailure ??= makeError();
			return;
		}
		const status = reason instanceof ServiceFailure && reason.httpStatus;
		const document = id === undefined ? json : { id, ...json };
		const toDo = adviceOf(reason, advice);
		const fields = {
			...document,
			error: message,
			...(toDo !== '' && { advice: toDo }),
			...(status && { httpStatus: status }),
		};
		const pairedItem = { item: itemIndex };
		this.add(itemIndex, { json: fields, pairedItem }, binary, makeError);
	}

	/** The failure that a run that stops at failures throws. */
	get thrown(): NodeFailure | undefined {
		return this.cause ?? this.firstFailure;
	}

	/** Input items without an outcome. */
	unanswered(): number[] {
		return this.outputs.flatMap((output, itemIndex) => (output ? [] : [itemIndex]));
	}

	/** The node's output. */
	all(): INodeExecutionData[] {
		return this.outputs.flatMap((output) => output ?? []);
	}

	/** @param makeError makes the error of an item that failed, if it leaves through the error output */
	private add(
		itemIndex: number,
		item: INodeExecutionData,
		binary?: IBinaryKeyData,
		makeError?: () => NodeFailure,
	): void {
		if (binary && Object.keys(binary).length > 0) item.binary = binary;
		// By this member n8n finds the items for the error output, but drops all JSON except the
		// message of an item that still has it after that. So n8n's own copy must not have it.
		if (makeError && this.toErrorOutput)
			Object.defineProperty(item, 'error', { value: makeError(), enumerable: false });
		const before = this.outputs[itemIndex];
		if (before) before.push(item);
		// Most get one, and an empty list grows to 17 places with its first element.
		else this.outputs[itemIndex] = [item];
	}
}
