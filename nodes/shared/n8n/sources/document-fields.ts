import { fieldOf } from '../../records/fields';
import { isEmpty, isRecord } from '../../service/json';
import { properties, property } from '../parameters/properties';

/** A parameter that names a field of records or items. */
const fieldProperty = <const F extends keyof DocumentFields>(
	field: F,
	label: string,
	example: string,
	advice = '',
) =>
	property({
		displayName: `${label} Field`,
		name: `${field}Field` as `${F}Field`,
		type: 'string',
		requiresDataPath: 'single',
		default: field,
		placeholder: `e.g. ${example}`,
		required: advice === '',
		description: `Field or column with the ${/^[A-Z]+$/.test(label) ? label : field}, e.g. ${example} or meta.${example}${advice}`,
	});

/** Where the fields are that each document needs, in records or items. Each node says when they are shown. */
export const requiredFieldProperties = properties([
	fieldProperty('id', 'ID', 'sku'),
	fieldProperty('name', 'Name', 'title'),
]);

const RECOMMENDED = '. Recommended, but not required.';

/** Where the recommended fields are in the records of a file. */
export const recommendedFieldProperties = properties([
	fieldProperty('description', 'Description', 'summary', RECOMMENDED),
	fieldProperty('url', 'URL', 'link', RECOMMENDED),
]);

/** Names or dotted paths of the fields of a document; '' for one that is not wanted. */
export type DocumentFields = Record<'id' | 'name' | 'description' | 'url', string>;

/** The parameters that name the fields. */
interface DocumentFieldParameters {
	requiredText(name: 'idField' | 'nameField', itemIndex: number): string;
	text(name: 'descriptionField' | 'urlField', itemIndex: number): string;
}

/**
 * Reads where the fields of a document are.
 *
 * @throws InputError for a required field that is not named
 */
export function readDocumentFields(
	parameters: DocumentFieldParameters,
	itemIndex: number,
): DocumentFields {
	return {
		...readItemFields(parameters, itemIndex),
		description: parameters.text('descriptionField', itemIndex).trim(),
		url: parameters.text('urlField', itemIndex).trim(),
	};
}

/** Reads where ID and name are in an item; the other fields have their own names. */
export const readItemFields = (
	parameters: Pick<DocumentFieldParameters, 'requiredText'>,
	itemIndex: number,
): DocumentFields => ({
	id: parameters.requiredText('idField', itemIndex),
	name: parameters.requiredText('nameField', itemIndex),
	description: 'description',
	url: 'url',
});

/** The fields that every record needs, each with the parameter that names it; see `checkFields`. */
export const neededFields = ({ id, name }: DocumentFields): Array<[string, string]> => [
	[id, 'ID Field'],
	[name, 'Name Field'],
];

/** The fields of a document, by their own names, as far as a record has them. */
export function documentFieldsOf(record: object, fields: DocumentFields): Record<string, unknown> {
	return filled(
		Object.entries(fields).map(([field, path]) => [
			field,
			path === '' ? undefined : fieldOf(record, path),
		]),
	);
}

/** The ID of a record that cannot be used, as far as it has one in this field. */
export function idIn(record: unknown, field: string): string | undefined {
	const id = isRecord(record) ? fieldOf(record, field) : undefined;
	if (typeof id === 'string' && id !== '') return id;
	return Number.isSafeInteger(id) ? String(id) : undefined;
}

/** The members that have a value: what is empty is omitted. */
export function filled(members: Array<[name: string, value: unknown]>): Record<string, unknown> {
	return Object.fromEntries(members.filter(([, value]) => !isEmpty(value)));
}
