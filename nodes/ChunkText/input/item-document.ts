import type { IDataObject } from 'n8n-workflow';

import type { Run } from '../../shared/run/run';
import { quoted, quotedList } from '../../shared/service/strings';
import { fieldsOfItem } from '../../shared/input/item-fields';
import { fileFieldsOf } from '../../shared/input/files';
import { InputError } from '../../shared/service/input-error';
import { isNullOrEmptyText, isoDate, nonEmptyMembers } from '../../shared/service/json';
import { documentId } from '../../shared/service/push/document-id';
import type { ChunkTask } from '../parameters';
import { ownFieldsOf } from './own-fields';
import { POINT_TO_TEXT, type SourceDocument } from './text-entry';

const OPTIONAL_FIELDS = [
	['description', 'documentDescription'],
	['url', 'documentUrl'],
] as const;

export interface DocumentNeeds {
	/** The parameters that must not be empty. If the text is empty, the name may be empty too. */
	required: ReadonlyArray<'documentId' | 'documentName' | 'text'>;
	/** Value of the parameter 'text', if it is required. */
	text?: unknown;
	/** ID and name of the document, if the text comes from a text file. */
	file?: { id: string; name: string } | undefined;
}

/**
 * Reads an item's document.
 *
 * @throws InputError that names all empty parameters
 */
export function readDocument(
	task: ChunkTask,
	itemIndex: number,
	{ required, text, file }: DocumentNeeds,
): SourceDocument {
	const { run, parameters, mode } = task;
	const json = fieldsOfItem(run, itemIndex);
	const advice = (labels: string) => adviceFor(labels, json, mode === 'perDocument');
	const needsName = required.includes('documentName');
	const values: Partial<Record<string, unknown>> = { text };
	if (!file) {
		values.documentId = parameters.value('documentId', itemIndex);
		if (needsName) values.documentName = parameters.value('documentName', itemIndex);
	}
	const empty = (file ? [] : required).filter((name) => {
		const value = values[name];
		return isNullOrEmptyText(value) || (name !== 'text' && String(value).trim() === '');
	});
	// If only the text is missing, `ItemTexts` throws the error.
	if (empty.length > 0 && empty[0] !== 'text') {
		const labels = empty.map((name) => `'${parameters.label(name)}'`);
		const names = labels.join(', ').replace(/, ([^,]+)$/, ' and $1');
		const message = `${names} ${labels.length > 1 ? 'are' : 'is'} empty`;
		const forAll = advice(names);
		const first = empty.includes('text') ? adviceForText(run, itemIndex, forAll) : forAll;
		throw new InputError(message, first, { missing: names.replace(' and ', ' or ') });
	}
	const id = file ? file.id : documentId(values.documentId);
	// If the text is the only field of the item, the user may have chosen it as the ID. Changing the text would then
	// change the ID, so the old document could not be updated.
	if (id.includes('\n') && parameters.value('text', itemIndex) === id)
		throw new InputError("'Document ID' is the text itself", advice("'Document ID'"));
	const previousChunkCount = parameters.get('options.previousChunkCount', itemIndex);
	const added = addedFields(task, itemIndex);
	if (!needsName) return { id, fields: {}, previousChunkCount };
	const name = file?.name ?? parameters.get('documentName', itemIndex);
	const chosen = parameters.membersAdded('options');
	const others = OPTIONAL_FIELDS.map(([field, option]): [string, unknown] => {
		const value = chosen.has(option)
			? parameters.value(`options.${option}`, itemIndex)
			: json[field];
		return [field, isoDate(value) ?? value];
	});
	return {
		id,
		fields: { name, ...(nonEmptyMembers(others) as IDataObject) },
		added,
		previousChunkCount,
	};
}

/**
 * Reads the option 'Document Fields'.
 *
 * @throws InputError if a field has the name of a field that a chunk gets from the node
 */
function addedFields({ parameters, options }: ChunkTask, itemIndex: number): IDataObject {
	const fields = parameters.get('options.documentFields', itemIndex) as IDataObject;
	const own = ownFieldsOf(options);
	const hidden = own.find((name) => Object.hasOwn(fields, name));
	if (hidden === undefined) return fields;
	throw new InputError(
		`'Document Fields' must not contain ${quoted(hidden)}, because each chunk has a field with this name`,
		`Rename the field. These names are taken: ${own.join(', ')}.`,
	);
}

/** @param labels quoted labels of the empty or wrong parameters */
function adviceFor(labels: string, json: IDataObject, isPerDocument: boolean): string {
	const output = isPerDocument ? 'One Item per Document' : 'Documents Ready to Push';
	const target = labels.includes(' and ') ? 'each' : 'it';
	return `'${output}' needs ${labels}: drag a field from the item or from an earlier node into ${target}, or set 'Output' to 'One Item per Chunk'.${fieldsIn(json)}`;
}

/** Returns a sentence that names the fields of an item, or an empty string if the item has no fields. */
function fieldsIn(json: IDataObject): string {
	const names = Object.keys(json);
	return names.length > 0 ? ` The fields of the item are: ${quotedList(names)}.` : '';
}

/** Returns the advice to show if the text is empty. If the item has a file, the text may be in that file. */
export const adviceForText = (run: Run, itemIndex: number, otherwise?: string): string =>
	fileFieldsOf(run, itemIndex).length === 0
		? (otherwise ?? `${POINT_TO_TEXT}${fieldsIn(fieldsOfItem(run, itemIndex))}`)
		: "The item has a file. To chunk its text, choose 'Text File' in 'Texts From', or 'File' if it has one record per text.";
