import { fieldOf } from '../../records/fields';
import { isNullOrEmptyText, isRecord, nonEmptyMembers } from '../../service/json';
import { InputError } from '../../service/input-error';
import { exactId, exactText, isNullOrBlankText } from '../../service/push/document-id';
import { quoted } from '../../service/outcome-messages';
import { properties, property, type WithParameter } from '../parameters/properties';

/** A parameter that names a field of records or items. */
export const fieldProperty = <const F extends string>(
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
export interface FieldMapping extends Record<'id' | 'name' | 'description' | 'url', string> {
	/** The fields are those that the node has parameters for, which messages name. */
	hasParameters?: boolean;
}

/** The parameters that name the fields. */
interface MappingParameters extends WithParameter<'descriptionField' | 'urlField', string> {
	requiredText(name: 'idField' | 'nameField', itemIndex: number): string;
}

/**
 * Reads where the fields of a document are.
 *
 * @throws InputError for a required field that is not named
 */
export function readFieldMapping(parameters: MappingParameters, itemIndex: number): FieldMapping {
	return {
		...readItemMapping(parameters, itemIndex),
		description: parameters.get('descriptionField', itemIndex).trim(),
		url: parameters.get('urlField', itemIndex).trim(),
	};
}

/** Reads where ID and name are in an item; the other fields have their own names. */
export const readItemMapping = (
	parameters: Pick<MappingParameters, 'requiredText'>,
	itemIndex: number,
): FieldMapping => ({
	id: parameters.requiredText('idField', itemIndex),
	name: parameters.requiredText('nameField', itemIndex),
	description: 'description',
	url: 'url',
});

/** The fields that every record needs, each with the parameter that names it; see `checkFields`. */
export const requiredFields = ({ id, name }: FieldMapping): Array<[string, string]> => [
	[id, 'ID Field'],
	[name, 'Name Field'],
];

export type IdOrName = 'id' | 'name';

/** What to do about a missing ID or name; asked only then, since there may be hundreds of thousands of documents. */
export type MissingAdvice = (fields: readonly IdOrName[]) => string;

const FILL_IN_ADVICE =
	'Every document needs an ID and a name: fill in what is missing, or choose the field that has it.';

/** Parameters for the fields that every document has. */
export const PARAMETER_LABELS = { id: 'Document ID', name: 'Document Name' };

/**
 * ID and name of a document, as texts: exactly as they are, the digits of a whole number, or a date as ISO text.
 *
 * @throws InputError naming the field and, where it is known, the document
 */
export function readIdAndName(
	source: object,
	mapping: FieldMapping,
	adviceFor: MissingAdvice = () => FILL_IN_ADVICE,
): Record<IdOrName, string> {
	const id = fieldOf(source, mapping.id);
	const name = fieldOf(source, mapping.name);
	if (isNullOrBlankText(id))
		throw missingError(isNullOrEmptyText(name) ? ['id', 'name'] : ['id'], mapping, adviceFor);
	const text = exactId(id, () => describeField('id', mapping), OTHER_FIELD_ADVICE);
	if (typeof name === 'string' && name !== '') return { id: text, name };
	const of = ` of document ${quoted(text)}`;
	if (isNullOrEmptyText(name)) throw missingError(['name'], mapping, adviceFor, of);
	return {
		id: text,
		name: exactText(name, () => describeField('name', mapping) + of, OTHER_FIELD_ADVICE),
	};
}

/** The error of a document without ID, name or both. */
function missingError(
	fields: IdOrName[],
	mapping: FieldMapping,
	adviceFor: MissingAdvice,
	of = '',
) {
	const names = fields.map((field) => describeField(field, mapping)).join(' and ');
	const are = fields.length > 1 ? 'are' : 'is';
	const message = `${names.replace(' and The', ' and the')}${of} ${are} missing or empty`;
	const labels = fields.map((field) => labelOf(field, mapping)).join(' or ');
	return new InputError(message, adviceFor(fields), labels);
}

/** The parameter or the field that has the ID or the name. */
const labelOf = (field: IdOrName, mapping: FieldMapping): string =>
	quoted(mapping.hasParameters ? PARAMETER_LABELS[field] : mapping[field]);

/** What the ID or the name is called in messages. */
function describeField(field: IdOrName, mapping: FieldMapping): string {
	if (mapping.hasParameters) return labelOf(field, mapping);
	const what = mapping[field] === field ? '' : ` with the ${field === 'id' ? 'ID' : 'name'}`;
	return `The field ${labelOf(field, mapping)}${what}`;
}

const OTHER_FIELD_ADVICE = 'Choose a field that contains text.';

/** Description and URL of a document, as far as a record has them. */
export const optionalFieldsOf = (record: object, mapping: FieldMapping) =>
	nonEmptyMembers([
		['description', fieldOf(record, mapping.description)],
		['url', fieldOf(record, mapping.url)],
	]);

/** The ID of a record that cannot be used, as far as it has one in this field. */
export function idIn(record: unknown, field: string): string | undefined {
	const id = isRecord(record) ? fieldOf(record, field) : undefined;
	if (typeof id === 'string' && id !== '') return id;
	return Number.isSafeInteger(id) ? String(id) : undefined;
}
