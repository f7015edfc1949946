import type { Run } from '../shared/n8n/run';
import { documentId } from '../shared/service/document-id';
import { InputError } from '../shared/service/input-error';
import { deletePath } from '../shared/service/push';
import type { DeleteParameters } from './properties';

/** IDs to delete, in the order of their first mention, each with the items that name it. */
export type Targets = ReadonlyMap<string, readonly number[]>;

/**
 * Reads and checks the IDs of all items. An ID that cannot be used fails its item at once. Nothing more
 * is read once the run has ended.
 */
export async function readTargets(
	run: Run,
	parameters: DeleteParameters,
	endpoint: string,
): Promise<Targets> {
	const targets = new Map<string, number[]>();
	const isList = parameters.choice('idSource') === 'listField';
	for await (const [itemIndex] of run.eachItem()) {
		const values = valuesOf(run, parameters, itemIndex);
		for (const [position, value] of values.entries()) {
			await run.breathe();
			if (run.ended) return targets;
			try {
				const id = documentId(value, parameters.label('documentId'));
				deletePath(endpoint, id);
				const items = targets.get(id) ?? [];
				// An item may name an ID more than once, even as a number and as a text.
				if (items.at(-1) !== itemIndex) items.push(itemIndex);
				targets.set(id, items);
			} catch (error) {
				run.refuse(itemIndex, isList ? ofEntry(position, error) : error);
			}
		}
	}
	return targets;
}

/** The IDs that an item names, as they come in. */
function valuesOf(run: Run, parameters: DeleteParameters, itemIndex: number): readonly unknown[] {
	try {
		if (parameters.choice('idSource') === 'expression') {
			return [parameters.value('documentId', itemIndex)];
		}
		const { list } = parameters.list('idsField', itemIndex, LIST_ADVICE);
		if (list.length === 0) {
			run.done(itemIndex, [{ deleted: false, reason: 'The list of IDs is empty' }]);
		}
		return list;
	} catch (error) {
		run.refuse(itemIndex, error);
		return [];
	}
}

const LIST_ADVICE =
	"Enter the name of a field with a list of IDs as 'List Field', or choose 'One ID per Item'.";

/** Says which entry of a list it is. */
const ofEntry = (position: number, error: unknown): unknown =>
	error instanceof InputError
		? new InputError(
				`Entry ${position + 1} of the list: ${error.message}`,
				'Each entry must be the ID of one document: correct it, or remove it from the list.',
			)
		: error;
