import type { IDataObject } from 'n8n-workflow';

import {
	PARAMETER_LABELS,
	readIdAndName,
	type FieldMapping,
	type MissingAdvice,
	type IdOrName,
} from '../shared/input/field-mapping';
import { fieldsOfItem, dataFields } from '../shared/input/item-fields';
import { fileFieldsOf } from '../shared/input/files';
import type { TextFiles } from '../shared/input/text-files';
import type { Run } from '../shared/run/run';
import { fieldOf, nameIn } from '../shared/formats/fields';
import { InputError } from '../shared/service/input-error';
import { isNullOrEmptyText, isObject, isRecord, nonEmptyMembers } from '../shared/service/json';
import type { PushDocument } from '../shared/service/push/push-document';
import { quoted, quotedList } from '../shared/service/strings';
import type { PushOptions, PushParameters } from './properties';
import { EMPTY_FILE_ADVICE } from '../shared/input/file-errors';

/** The mapping for documents that already use the service's field names. */
export const DEFAULT_MAPPING: FieldMapping = { id: 'id', name: 'name', description: '', url: '' };

/**
 * Makes a document from an item or a record without changing the source. The service requires an ID and a name, which
 * must be strings (docs/service-interface.md, Push documents). Whole numbers become strings.
 *
 * @returns the source itself if no change was needed
 * @throws InputError that names the field. The error also names the document if the document's ID is known.
 */
export function documentFrom(
	source: unknown,
	mapping: FieldMapping,
	options: Pick<PushOptions, 'excludeFields' | 'dropEmpty'>,
	adviceFor?: MissingAdvice,
): PushDocument {
	if (!isObject(source)) {
		throw new InputError(
			'The document is not a JSON object',
			'Each document must be an object with an ID and a name.',
		);
	}
	const requiredValues: Record<string, unknown> = readIdAndName(source, mapping, adviceFor);
	for (const field of ['description', 'url'] as const) {
		const path = mapping[field];
		if (path === '' || path === field) continue;
		const value = fieldOf(source, path);
		if (!isNullOrEmptyText(value)) requiredValues[field] = value;
	}
	// An unchanged document is not copied, because a run may have hundreds of thousands of documents, and a
	// document may have many fields.
	let complete = source as PushDocument;
	for (const field in requiredValues)
		if (requiredValues[field] !== source[field])
			complete = { ...source, ...requiredValues } as PushDocument;
	const fieldsToDrop = options.excludeFields.flatMap((name) => {
		const field = nameIn(complete, name);
		return field === undefined || Object.hasOwn(PARAMETER_LABELS, field) ? [] : field;
	});
	if (options.dropEmpty)
		fieldsToDrop.push(...Object.keys(complete).filter((name) => isEmptyInJson(complete[name])));
	if (fieldsToDrop.length === 0) return complete;
	const document = { ...complete };
	for (const name of fieldsToDrop) delete document[name];
	return document;
}

/** A date is not empty, because a date becomes a string in JSON. */
const isEmptyInJson = (value: unknown): boolean =>
	isNullOrEmptyText(value) ||
	(isRecord(value) &&
		Object.keys(value).length === 0 &&
		['[]', '{}'].includes(JSON.stringify(value)));

/**
 * Returns an item's unchecked documents if the parameter Documents From is set to Mapped Fields or JSON.
 *
 * @param source value of Documents From
 * @throws InputError if a parameter is invalid
 */
export function documentsOf(
	run: Run,
	parameters: PushParameters,
	source: string,
	itemIndex: number,
): unknown[] {
	if (source === 'fields') {
		// Tools do not have the 'Include Other Input Fields' parameter, so a value stored in the workflow is
		// ignored.
		const withOthers = !run.isTool && parameters.get('includeOtherFields', itemIndex);
		const others = withOthers ? fieldsOfItem(run, itemIndex) : {};
		return [{ ...others, ...mappedDocument(parameters, itemIndex) }];
	}
	const value = parameters.json('documentJson', itemIndex, JSON_ADVICE);
	if (isNullOrEmptyText(value))
		throw new InputError(`${quoted(parameters.label('documentJson'))} is empty`, JSON_ADVICE);
	const documents: unknown[] = Array.isArray(value) ? value : [value];
	// n8n can keep an item's files in the item's JSON. The default `{{ $json }}` then contains the files too,
	// so they are removed.
	return documents.map((each) => (isRecord(each) ? dataFields(each as IDataObject) : each));
}

const JSON_ADVICE = 'Enter one object, or a list of objects, each with an ID and a name.';

/**
 * Makes a document from a text file and returns the document in a list.
 *
 * @throws InputError if the file cannot be read or is empty, for example after an interrupted download
 */
export async function documentsOfFile(
	files: TextFiles,
	parameters: PushParameters,
	itemIndex: number,
): Promise<IDataObject[]> {
	const idAndName = files.documentOf(itemIndex);
	const text = await files.read(itemIndex);
	if (text === '') {
		const { name } = files.fileOf(itemIndex);
		throw new InputError(`The file ${quoted(name)} is empty`, EMPTY_FILE_ADVICE);
	}
	return [{ ...idAndName, ...otherFields(parameters, itemIndex), text }];
}

function mappedDocument(parameters: PushParameters, itemIndex: number): IDataObject {
	const text = parameters.value('documentText', itemIndex);
	return {
		id: parameters.value('documentId', itemIndex) as IDataObject[string],
		name: parameters.value('documentName', itemIndex) as IDataObject[string],
		...(nonEmptyMembers([['text', text]]) as IDataObject),
		...otherFields(parameters, itemIndex),
	};
}

const otherFields = (parameters: PushParameters, itemIndex: number): IDataObject => ({
	...(nonEmptyMembers([
		['description', parameters.value('documentDescription', itemIndex)],
		['url', parameters.value('documentUrl', itemIndex)],
	]) as IDataObject),
	...additionalFields(parameters, itemIndex),
});

/** @throws InputError if a field has no name or is named `id` or `name` */
function additionalFields(parameters: PushParameters, itemIndex: number): IDataObject {
	const rows = parameters.rows('additionalFields.field', itemIndex);
	const fields = rows.map(({ name, value }): [string, unknown] => {
		const field = String(name ?? '');
		if (field.trim() === '') {
			throw new InputError(
				"An entry in 'Additional Fields' has no name",
				"Fill in its 'Name', or remove the entry.",
			);
		}
		if (field === 'id' || field === 'name') {
			throw new InputError(
				`'Additional Fields' must not contain the field '${field}'`,
				`Use the parameter '${PARAMETER_LABELS[field]}', and remove the entry.`,
			);
		}
		return [field, value];
	});
	// Unlike an assignment, this call also works for a field named __proto__.
	return Object.fromEntries(fields) as IDataObject;
}

/** Returns advice for an item without an ID or a name. */
export function adviceForItem(run: Run, itemIndex: number, missing: readonly IdOrName[]): string {
	const [file] = fileFieldsOf(run, itemIndex);
	if (file !== undefined)
		return `The item has a file in the field ${quoted(file)}. ${FILE_ADVICE}`;
	const names = Object.keys(fieldsOfItem(run, itemIndex));
	if (names.length === 0)
		return "The item has no fields. Add a node before this one that returns documents, or choose 'JSON' in 'Documents From'.";
	const found = `The fields of the item are: ${quotedList(names)}.`;
	const parameters = missing.map((field) => (field === 'id' ? "'ID Field'" : "'Name Field'"));
	return `${found} Enter one of these as ${parameters.join(' and one as ')}.`;
}

const FILE_ADVICE =
	"If its records are the documents, choose 'File' in 'Documents From'. Each record needs an ID and a name. If the file is the text of one document, choose 'Text File'.";
