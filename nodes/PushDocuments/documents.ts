import type { IDataObject } from 'n8n-workflow';

import {
	PARAMETERS,
	requiredFieldsOf,
	type DocumentFields,
	type FieldsOfDocument,
	type MissingAdvice,
	type RequiredField,
} from '../shared/n8n/sources/document-fields';
import { fileFieldsOf, fieldsOfItem, ownFields } from '../shared/n8n/sources/files';
import type { TextFiles } from '../shared/n8n/sources/text-files';
import type { Run } from '../shared/n8n/run/run';
import { fieldOf } from '../shared/records/fields';
import { InputError } from '../shared/service/input-error';
import { isEmpty, isObject, isRecord, filled } from '../shared/service/json';
import type { PushDocument } from '../shared/service/push/push';
import { quoted } from '../shared/service/outcome-messages';
import type { PushOptions, PushParameters } from './properties';
import { EMPTY, listed } from '../shared/n8n/sources/file-errors';

/** How documents are made of items, or of the records of a file. */
export interface DocumentForm extends FieldsOfDocument {
	options: Pick<PushOptions, 'excludeFields' | 'dropEmpty'>;
}

/** Where the fields are of documents that have the service's own. */
export const DEFAULT_FIELDS: DocumentFields = { id: 'id', name: 'name', description: '', url: '' };

/**
 * Makes a document, never changing what came in (docs/service-interface.md, Push documents: id and name are
 * required and must be strings). Whole numbers become strings.
 *
 * @returns the source itself where nothing had to be changed
 * @throws InputError naming the field and, where it is known, the document
 */
export function documentFrom(
	source: unknown,
	form: DocumentForm,
	adviceFor?: MissingAdvice,
): PushDocument {
	if (!isObject(source)) {
		throw new InputError(
			'The document is not a JSON object',
			'Each document must be an object with an ID and a name.',
		);
	}
	const { fields, options } = form;
	const own: Record<string, unknown> = requiredFieldsOf(source, form, adviceFor);
	for (const field of ['description', 'url'] as const) {
		const path = fields[field];
		const value = path === '' || path === field ? '' : fieldOf(source, path);
		if (!isEmpty(value)) own[field] = value;
	}
	// An unchanged document is not copied: there may be hundreds of thousands, or one with many fields.
	let whole = source as PushDocument;
	for (const field in own)
		if (own[field] !== source[field]) whole = { ...source, ...own } as PushDocument;
	const dropped = options.excludeFields.filter(
		(name) => Object.hasOwn(whole, name) && !Object.hasOwn(PARAMETERS, name),
	);
	if (options.dropEmpty)
		dropped.push(...Object.keys(whole).filter((name) => hasNothing(whole[name])));
	if (dropped.length === 0) return whole;
	const document = { ...whole };
	for (const name of dropped) delete document[name];
	return document;
}

/** Whether a value is null, '', or JSON would make an empty list or object of it: a date is none of these. */
const hasNothing = (value: unknown): boolean =>
	isEmpty(value) ||
	(isRecord(value) &&
		Object.keys(value).length === 0 &&
		['[]', '{}'].includes(JSON.stringify(value)));

/**
 * The documents of an item that is not one as a whole, as they come in.
 *
 * @param source the choice in 'Documents From': mapped fields or JSON
 * @throws InputError for parameters that cannot be used
 */
export function documentsOf(
	run: Run,
	parameters: PushParameters,
	source: string,
	itemIndex: number,
): unknown[] {
	if (source === 'fields') {
		// Tools do not have the parameter, whatever the workflow says of it.
		const withOthers = !run.isTool && parameters.get('includeOtherFields', itemIndex);
		const others = withOthers ? fieldsOfItem(run, itemIndex) : {};
		return [{ ...others, ...mappedDocument(parameters, itemIndex) }];
	}
	const value = parameters.json('documentJson', itemIndex, JSON_ADVICE);
	const documents: unknown[] = Array.isArray(value) ? value : [value];
	// The default, `{{ $json }}`, has the item's files as well, if n8n keeps them there.
	return documents.map((each) => (isRecord(each) ? ownFields(each as IDataObject) : each));
}

const JSON_ADVICE = 'Enter one object, or a list of objects, each with an ID and a name.';

/**
 * The document of a text file.
 *
 * @throws InputError for one that cannot be read or is empty, such as a download that broke off
 */
export async function documentsOfFile(
	files: TextFiles,
	parameters: PushParameters,
	itemIndex: number,
): Promise<IDataObject[]> {
	const own = files.documentOf(itemIndex);
	const text = await files.read(itemIndex);
	if (text === '') {
		const { name } = files.fileOf(itemIndex);
		throw new InputError(`The file ${quoted(name)} is empty`, EMPTY);
	}
	return [{ ...own, ...otherFields(parameters, itemIndex), text }];
}

function mappedDocument(parameters: PushParameters, itemIndex: number): IDataObject {
	const text = parameters.value('documentText', itemIndex);
	return {
		id: parameters.value('documentId', itemIndex) as IDataObject[string],
		name: parameters.value('documentName', itemIndex) as IDataObject[string],
		...(filled([['text', text]]) as IDataObject),
		...otherFields(parameters, itemIndex),
	};
}

/** Description and URL, if there are any, and additional fields. */
const otherFields = (parameters: PushParameters, itemIndex: number): IDataObject => ({
	...(filled([
		['description', parameters.value('documentDescription', itemIndex)],
		['url', parameters.value('documentUrl', itemIndex)],
	]) as IDataObject),
	...additionalFields(parameters, itemIndex),
});

/**
 * Fields beside those the node has a parameter for.
 *
 * @throws InputError for a field without a name, or with the name of one that every document has
 */
function additionalFields(parameters: PushParameters, itemIndex: number): IDataObject {
	const rows = parameters.rows('additionalFields.field', itemIndex);
	const fields = rows.map(({ name, value }): [string, unknown] => {
		const field = String(name ?? '');
		if (field.trim() === '') {
			throw new InputError(
				"An entry of 'Additional Fields' has no name",
				"Fill in its 'Name', or remove the entry.",
			);
		}
		if (field === 'id' || field === 'name') {
			throw new InputError(
				`'Additional Fields' must not contain the field '${field}'`,
				`Use the parameter '${PARAMETERS[field]}', and remove the entry.`,
			);
		}
		return [field, value];
	});
	// Unlike an assignment, this also makes a field called __proto__.
	return Object.fromEntries(fields) as IDataObject;
}

/** Says what to do about an item that is to be a document as a whole, but lacks ID, name or both. */
export function adviceForItem(
	run: Run,
	itemIndex: number,
	missing: readonly RequiredField[],
): string {
	const [file] = fileFieldsOf(run, itemIndex);
	if (file !== undefined)
		return `The item has a file in the field ${quoted(file)}. ${ADVICE_FOR_FILE}`;
	const names = Object.keys(fieldsOfItem(run, itemIndex));
	if (names.length === 0)
		return "The item has no fields. Add a node before this one that returns documents, or choose 'JSON' in 'Documents From'.";
	const found = `The fields of the item are: ${listed(names)}.`;
	const parameters = missing.map((field) => (field === 'id' ? "'ID Field'" : "'Name Field'"));
	return `${found} Enter one of these as ${parameters.join(' and one as ')}.`;
}

const ADVICE_FOR_FILE =
	"If its records are the documents, choose 'File' in 'Documents From': each needs an ID and a name. If it is the text of one document, choose 'Text File'.";
