import type { IDataObject } from 'n8n-workflow';

import {
	documentFieldsOf,
	filled,
	type DocumentFields,
} from '../shared/n8n/sources/document-fields';
import { fileFieldsOf, withoutFiles } from '../shared/n8n/sources/files';
import { listed } from '../shared/n8n/sources/record-file';
import type { Run } from '../shared/n8n/run/run';
import { isTool } from '../shared/n8n/run/tool';
import { withMembers } from '../shared/records/json/with-members';
import { InputError } from '../shared/service/input-error';
import { isObject } from '../shared/service/json';
import type { DocumentRules, MissingAdvice, PushDocument } from '../shared/service/push/push';
import { quoted } from '../shared/service/wording';
import type { PushOptions, PushParameters } from './properties';

/**
 * What is done to documents before they are checked.
 *
 * @param called what the ID and the name are called in messages
 */
export const rulesOf = (
	{ convertToString, excludeFields, dropEmpty }: PushOptions,
	called?: DocumentRules['called'],
): DocumentRules => ({
	nonStrings: convertToString ? 'convert' : 'fail',
	excludeFields: excludeFields.filter((name) => !REQUIRED.has(name)),
	dropEmpty,
	...(called && { called }),
});

/** With Mapped Fields, parameters have the ID and the name. */
export const CALLED_AS_PARAMETERS = { id: "'Document ID'", name: "'Document Name'" };

/** Parameters for the fields that every document has. */
const REQUIRED = new Map([
	['id', 'Document ID'],
	['name', 'Document Name'],
]);

/**
 * The documents of an item as they come in.
 *
 * @param source the choice in 'Documents From'
 * @throws InputError for parameters that cannot be used
 */
export function documentsOf(
	run: Run,
	parameters: PushParameters,
	source: string,
	itemIndex: number,
): unknown[] {
	if (source === 'wholeItem') return [jsonOf(run, itemIndex)];
	if (source === 'fields') {
		const others = otherFields(run, parameters, itemIndex);
		return [{ ...others, ...mappedDocument(parameters, itemIndex) }];
	}
	const value = parameters.json('documentJson', itemIndex, JSON_ADVICE);
	return Array.isArray(value) ? value : [value];
}

const jsonOf = ({ items }: Run, itemIndex: number): IDataObject =>
	withoutFiles(items[itemIndex]?.json ?? {});

/** The fields of the item that a document of mapped fields has as well. */
function otherFields(run: Run, parameters: PushParameters, itemIndex: number): IDataObject {
	// Tools do not have the parameter, whatever the workflow says of it.
	if (isTool(run.context) || !parameters.boolean('includeOtherFields', itemIndex)) return {};
	const json = jsonOf(run, itemIndex);
	const include = parameters.choice('include', itemIndex);
	if (include === 'all') return json;
	const isSelected = include === 'selected';
	const names = new Set(
		parameters.names(isSelected ? 'includeFields' : 'excludeFields', itemIndex),
	);
	const fields = Object.entries(json).filter(([name]) => names.has(name) === isSelected);
	return Object.fromEntries(fields);
}

const JSON_ADVICE = 'Enter one object, or a list of objects, each with an id and a name.';

function mappedDocument(parameters: PushParameters, itemIndex: number): IDataObject {
	const value = (name: `document${'Id' | 'Name' | 'Description' | 'Url' | 'Text'}`) =>
		parameters.value(name, itemIndex) as IDataObject[string];
	return {
		id: value('documentId'),
		name: value('documentName'),
		...(filled([
			['description', value('documentDescription')],
			['url', value('documentUrl')],
			['text', value('documentText')],
		]) as IDataObject),
		...additionalFields(parameters, itemIndex),
	};
}

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
		const parameter = REQUIRED.get(field);
		if (parameter !== undefined) {
			throw new InputError(
				`'Additional Fields' must not contain the field '${field}'`,
				`Use the parameter '${parameter}', and remove the entry.`,
			);
		}
		return [field, value];
	});
	// Unlike an assignment, this also makes a field called __proto__.
	return Object.fromEntries(fields) as IDataObject;
}

/**
 * What to do about an item that is to be a document as a whole, but has no ID or no name.
 *
 * @param missing which of the two it does not have
 */
export function adviceForItem(
	run: Run,
	itemIndex: number,
	missing: Parameters<MissingAdvice>[0],
): string {
	if (fileFieldsOf(run, itemIndex).length > 0) return ADVICE_FOR_FILE;
	const json = jsonOf(run, itemIndex);
	const names = Object.keys(json);
	if (names.length === 0) return ADVICE_FOR_EMPTY;
	const [only = ''] = names;
	if (names.length === 1 && DELIMITER.test(only))
		return `The only field of the item is ${quoted(only)}. ${ADVICE_FOR_CSV}`;
	const fields = `The fields of the item are: ${listed(names)}.`;
	if (!missing.includes('id')) return `${fields} Enter the field that has it as 'Name Field'.`;
	const name = missing.includes('name') ? " and one as 'Name Field'" : '';
	const advice = `${fields} Enter one of these as 'ID Field'${name}.`;
	return Object.hasOwn(json, 'text') ? `${advice} ${ADVICE_FOR_CHUNKS}` : advice;
}

const ADVICE_FOR_FILE =
	"Each of its records then needs an ID and a name, in the fields that 'ID Field' and 'Name Field' name.";
/** Stands in a name if a CSV file was read with another delimiter than it has. */
const DELIMITER = /[;,\t|]/;
const ADVICE_FOR_CSV =
	"If it comes from a CSV file, set the delimiter in the node that read it, or push the file itself: choose 'File' in 'Documents From'.";
const ADVICE_FOR_EMPTY =
	"The item has no fields. Add a node before this one that returns documents, or choose 'JSON' in 'Documents From'.";
const ADVICE_FOR_CHUNKS =
	"Chunk Text returns an ID and a name with its output 'Documents Ready to Push'.";

/** Makes documents of items or of records of a file, whose fields may have other names. */
export class DocumentMapper {
	/** Whether all fields have the names that the service wants. */
	readonly isIdentity: boolean;

	/** The ID and the name, as far as other fields have them: a record's own are no substitute. */
	private readonly renamed: object;

	constructor(readonly fields: DocumentFields) {
		const { id, name, description, url } = fields;
		this.isIdentity =
			id === 'id' &&
			name === 'name' &&
			(description === 'description' || description === '') &&
			(url === 'url' || url === '');
		this.renamed = {
			...(id !== 'id' && { id: undefined }),
			...(name !== 'name' && { name: undefined }),
		};
	}

	/** What the ID and the name are called in messages. */
	get called(): Record<'id' | 'name', string> {
		const called = (field: 'id' | 'name', what: string) =>
			`The field ${quoted(this.fields[field])}${this.fields[field] === field ? '' : what}`;
		return { id: called('id', ' with the ID'), name: called('name', ' with the name') };
	}

	/**
	 * A record with the fields of a document under their own names; the record itself if it has them.
	 *
	 * @throws InputError for a record that is no object
	 */
	documentOf(record: unknown): object {
		if (!isObject(record)) {
			throw new InputError(
				'The record is not a JSON object',
				'Each record must be an object with an ID and a name.',
			);
		}
		if (this.isIdentity) return record;
		return { ...record, ...this.renamed, ...documentFieldsOf(record, this.fields) };
	}
}

/**
 * The JSON of a document as its record has it, with the fields set that were mapped or converted.
 *
 * @param text of the record, which is JSON
 * @param record its content
 * @returns undefined if fields of the record were omitted, so that it has to be written again
 */
export function originalText(
	text: string,
	record: object,
	document: PushDocument,
): string | undefined {
	if (document === record) return text;
	if (!Object.keys(record).every((name) => Object.hasOwn(document, name))) return undefined;
	const fields = new Map<string, string>();
	for (const field of DOCUMENT_FIELDS) {
		const value = document[field];
		if (value === undefined || value === (record as Record<string, unknown>)[field]) continue;
		fields.set(field, JSON.stringify(value));
	}
	return withMembers(text, fields);
}

const DOCUMENT_FIELDS = ['id', 'name', 'description', 'url'];
