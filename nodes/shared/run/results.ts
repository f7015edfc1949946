import type {
	IBinaryKeyData,
	IDataObject,
	IExecuteFunctions,
	INodeExecutionData,
} from 'n8n-workflow';

import type { Diagnosis } from '../sending/diagnosis';
import { ServiceFailure } from '../service/failure';
import { adviceOf, nodeError, type NodeError } from './errors';
import { messageOf } from '../service/input-error';

interface ResultOptions {
	/** All input items that the results belong to, if there is more than one. */
	items?: number[];
	binary?: IBinaryKeyData;
	/**
	 * If `failure` is set and the node has an error output, the file summary goes to that output. The summary itself
	 * has no `error` field. If it had one, n8n would treat the whole item as failed.
	 */
	failure?: unknown;
}

export interface Failure {
	reason: unknown;
	/** Replaces the reason's message, for example to name the document. */
	message?: string | undefined;
	/** Further advice, which is appended to the reason's advice. */
	advice?: string | undefined;
	id?: string | undefined;
	/**
	 * Additional fields of the error item. If there is a `response` field, it contains data that the service might not
	 * return again.
	 */
	json?: IDataObject | undefined;
	binary?: IBinaryKeyData;
	/** Whether the work was skipped because the run had already ended. If so, `reason` says why the run ended. */
	skipped?: boolean | undefined;
	diagnosis?: Diagnosis | undefined;
}

/**
 * Collects the outcomes of the input items in any order, and returns them in the order of the input. Each item produces
 * either its results or one error. Each output item is linked to its input item.
 */
export class Results {
	/**
	 * Output items for each input item. An empty list is also an outcome. The value `undefined` means that the item has
	 * no outcome yet.
	 */
	private readonly outputs: Array<INodeExecutionData[] | undefined>;
	readonly toErrorOutput: boolean;
	failures = 0;
	/** Returns fields of an input item that its error also contains. */
	keptFields: (itemIndex: number) => IDataObject = () => ({});
	/**
	 * Used if the run stops on failures. `cause` is the failure that ended the run. `firstFailure` is the first failure
	 * whose reason differs from the reason of `cause`.
	 */
	private firstFailure: NodeError | undefined;
	private cause: NodeError | undefined;

	constructor(
		private readonly context: IExecuteFunctions,
		private readonly stopsOnFailure: boolean,
	) {
		this.outputs = Array.from({ length: context.getInputData().length });
		this.toErrorOutput = context.getNode().onError === 'continueErrorOutput';
	}

	/** @param list JSON of each output item. If the list is empty, nothing is returned for the input item */
	give(itemIndex: number, list: IDataObject[], options: ResultOptions = {}): void {
		const { items, binary, failure } = options;
		const pairedItem = items?.map((item) => ({ item })) ?? { item: itemIndex };
		const makeError =
			failure === undefined
				? undefined
				: () => nodeError(this.context, failure, { itemIndex });
		for (const json of list) this.addOutput(itemIndex, { json, pairedItem }, binary, makeError);
		for (const item of items ?? [itemIndex]) this.outputs[item] ??= [];
	}

	/** @param isCause whether this failure is the reason why the run has ended */
	fail(itemIndex: number, failure: Failure, isCause = false): void {
		const { reason, message = messageOf(reason), advice, id, json, binary } = failure;
		this.failures++;
		// n8n's errors are slow to create, so this error is created only if it is needed.
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
			...this.keptFields(itemIndex),
			...document,
			error: message,
			...(toDo !== '' && { advice: toDo }),
			...(status && { httpStatus: status }),
		};
		const pairedItem = { item: itemIndex };
		this.addOutput(itemIndex, { json: fields, pairedItem }, binary, makeError);
	}

	get thrown(): NodeError | undefined {
		return this.cause ?? this.firstFailure;
	}

	unanswered(): number[] {
		return this.outputs.flatMap((output, itemIndex) => (output ? [] : [itemIndex]));
	}

	all(): INodeExecutionData[] {
		return this.outputs.flatMap((output) => output ?? []);
	}

	/** @param makeError function that creates the error for the error output, or undefined if nothing failed */
	private addOutput(
		itemIndex: number,
		item: INodeExecutionData,
		binary?: IBinaryKeyData,
		makeError?: () => NodeError,
	): void {
		if (binary && Object.keys(binary).length > 0) item.binary = binary;
		// n8n sends items with an `error` property to the error output, but copies them first. If the copy had this
		// property, n8n would drop all of the item's JSON except the message. So the property is not enumerable,
		// because such a property is not copied.
		if (makeError && this.toErrorOutput)
			Object.defineProperty(item, 'error', { value: makeError(), enumerable: false });
		const before = this.outputs[itemIndex];
		if (before) before.push(item);
		// Most items have one result. A list literal with one element saves memory, because `push` reserves space for
		// 17 elements.
		else this.outputs[itemIndex] = [item];
	}
}
