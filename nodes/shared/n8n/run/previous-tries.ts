import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

/** Something by name that the tries of a node keep for the next one. */
export interface Kept<Value> {
	get(name: string): Value | undefined;
	set(name: string, value: Value): void;
	delete(name: string): void;
}

/** Keeps nothing. */
export const NOTHING_KEPT: Kept<never> = {
	get: () => undefined,
	set: () => undefined,
	delete: () => undefined,
};

/** What the tries of one node in one execution have kept, by kind. */
interface Tries {
	owner: string;
	kinds: Map<string, Map<string, unknown>>;
}

/**
 * By the first input item. n8n makes new items for each execution of a node, but all tries of it get the
 * same, also with Execute Once. So this ends with the items, whatever becomes of the node.
 */
const TRIES = new WeakMap<INodeExecutionData, Tries>();

/**
 * What earlier tries of a node have kept. With Retry On Fail n8n runs a node again that throws, or whose
 * first output item has an error, and drops what the other items gave. Without it nothing is kept.
 */
export class PreviousTries {
	private readonly first: INodeExecutionData | undefined;
	private readonly kinds: Tries['kinds'] | undefined;

	constructor(context: Pick<IExecuteFunctions, 'getNode' | 'getExecutionId' | 'getInputData'>) {
		const { id, parameters, retryOnFail } = context.getNode();
		this.first = context.getInputData()[0];
		if (retryOnFail !== true || this.first === undefined) return;
		const owner = JSON.stringify([context.getExecutionId(), id, parameters]);
		const before = TRIES.get(this.first);
		const tries = before?.owner === owner ? before : { owner, kinds: new Map() };
		TRIES.set(this.first, tries);
		this.kinds = tries.kinds;
	}

	/**
	 * What is kept of one kind; what is added now is there for the next try.
	 *
	 * @param kind always used with the same type of value
	 */
	kept<Value>(kind: string): Kept<Value> {
		if (this.kinds === undefined) return NOTHING_KEPT;
		const values = this.kinds.get(kind) ?? new Map<string, unknown>();
		this.kinds.set(kind, values);
		return values as Map<string, Value>;
	}

	/** Forgets everything unless n8n runs the node again after this output. */
	endWith([first]: INodeExecutionData[]): void {
		if (this.first && first?.json.error === undefined) TRIES.delete(this.first);
	}
}
