import type { IDataObject } from 'n8n-workflow';

import { figure } from '../../shared/n8n/run/hints';
import { InputError } from '../../shared/service/input-error';
import { isRecord } from '../../shared/service/json';
import type { ChunkParameters } from '../parameters';

/**
 * Reads Additional Text Fields of an item: one object for all of its texts, or a list with one for each.
 *
 * @param texts how many texts the item has
 * @returns gives the fields of each text by its position
 * @throws InputError for anything else
 */
export function readTextFields(
	parameters: ChunkParameters,
	itemIndex: number,
	texts: number,
): (index: number) => IDataObject {
	const name = 'options.additionalTextFields';
	const value = parameters.value(name, itemIndex);
	const isList = Array.isArray(value) || (typeof value === 'string' && /^\s*\[/.test(value));
	if (!isList) {
		const shared = parameters.object(name, itemIndex);
		return () => shared;
	}
	const list = parameters.json(name, itemIndex) as unknown[];
	const label = parameters.label(name);
	if (!list.every((each) => isRecord(each) && !Array.isArray(each))) {
		throw new InputError(
			`'${label}' is not a JSON object or a list of JSON objects`,
			FIELDS_ADVICE,
		);
	}
	if (list.length !== texts) {
		const entries = list.length === 1 ? 'entry' : 'entries';
		throw new InputError(
			`'${label}' has ${figure(list.length)} ${entries} for ${figure(texts)} texts`,
			FIELDS_ADVICE,
		);
	}
	return (index) => list[index] as IDataObject;
}

const FIELDS_ADVICE =
	'Enter one JSON object for all texts of the item, or a list with one object for each.';
