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

/** Options for the results of an item. */
interface ResultOptions {
	/** All input items that the results belong to, if there is more than one. */
	items?: number[];
	binary?: IBinaryKeyData;
	/**
	 * Sends the summary of a file to the error output, if the node has one. The summary gets no field `error`, because
	 * n8n would then treat the whole item as failed.
	 */
	failure?: unknown;
}

/** The failure of an item or of a part of an item, as it is reported to the user. */
export interface Failure {
	reason: unknown;
	/** Replaces the message of the reason, for example to name the document. */
	message?: string | undefined;
	/** Is added to the advice of the reason. */
	advice?: string | undefined;
	/** ID of the document. It is a field of the error item. */
	id?: string | undefined;
	/** Further fields of the error item. A field `response` has data that the service may return only once. */
	json?: IDataObject | undefined;
	binary?: IBinaryKeyData;
	/** Whether it was never started, because the run had already ended for this reason. */
	skipped?: boolean | undefined;
	/** The verdict on the request, if a request failed. */
	verdict?: Verdict | undefined;
}

/**
 * Collects the outcomes of the input items in any order, and returns them in the order of the input. Each item is
 * returned once, as its results or as its error, and each output item is linked to its input item.
 */
export class Results {
	/** Output items by input item. An empty list is an outcome too, undefined means that there is none yet. */
	private readonly outputs: Array<INodeExecutionData[] | undefined>;
	/** Whether the node has an error output for failed items. */
	readonly toErrorOutput: boolean;
	failures = 0;
	/** For a run that stops at failures: the first failure, and the first failure with the reason why it ended. */
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
	 * Adds results to the results of an item.
	 *
	 * @param list one output item each. If the list is empty, nothing is returned for the item
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
	 * Adds the failure of an item or of a part of an item.
	 *
	 * @param isCause whether the run has ended for this reason
	 */
	fail(itemIndex: number, failure: Failure, isCause = false): void {
		const { reason, message = messageOf(reason), advice, id, json, binary } = failure;
		this.failures++;
		// Errors of n8n are slow to create, and a run may have hundreds of thousands of items.
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

	/** Returns the indexes of input items without an outcome. */
	unanswered(): number[] {
		return this.outputs.flatMap((output, itemIndex) => (output ? [] : [itemIndex]));
	}

	/** Returns the node's output. */
	all(): INodeExecutionData[] {
		return this.outputs.flatMap((output) => output ?? []);
	}

	/** @param makeError creates the error for the error output, if the item failed */
	private add(
		itemIndex: number,
		item: INodeExecutionData,
		binary?: IBinaryKeyData,
		makeError?: () => NodeFailure,
	): void {
		if (binary && Object.keys(binary).length > 0) item.binary = binary;
		// n8n sends items with this member to the error output. It copies them first, and if a copy still has the
		// member, n8n drops its JSON except the message. The copy does not have it because it is not enumerable.
		if (makeError && this.toErrorOutput)
			Object.defineProperty(item, 'error', { value: makeError(), enumerable: false });
		const before = this.outputs[itemIndex];
		if (before) before.push(item);
		// Most items get one result. A list with one element saves memory, because `push` reserves 17 places.
		else this.outputs[itemIndex] = [item];
	}
}
