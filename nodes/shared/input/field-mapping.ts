import { fieldOf } from '../formats/fields';
import { isNullOrEmptyText, isRecord, nonEmptyMembers } from '../service/json';
import { InputError } from '../service/input-error';
import { exactId, exactText, withoutProtection } from '../service/push/document-id';
import { isNullOrBlankText, quoted } from '../service/strings';
import { properties, property, type WithParameter } from '../parameters/property';

/** Returns the definition of a parameter whose value is the name of a field in the records or items. */
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
		description: `Field or column (e.g. ${example} or meta.${example}) that contains the ${/^[A-Z]+$/.test(label) ? label : field}${advice}`,
	});

/** Each node defines when the editor shows these parameters. */
export const requiredFieldProperties = properties([
	fieldProperty('id', 'ID', 'sku'),
	fieldProperty('name', 'Name', 'title'),
]);

const RECOMMENDED = '. Recommended, but not required.';

export const recommendedFieldProperties = properties([
	fieldProperty('description', 'Description', 'summary', RECOMMENDED),
	fieldProperty('url', 'URL', 'link', RECOMMENDED),
]);

/**
 * The fields in a record or item that contain the document's ID, name, description and URL. Each value is a field name
 * or a dotted path. An empty string means that there is no such field.
 */
export interface FieldMapping extends Record<'id' | 'name' | 'description' | 'url', string> {
	/**
	 * Whether the user fills in the Document ID and Document Name parameters. If so, messages name these
	 * parameters instead of fields.
	 */
	hasParameters?: boolean;
}

interface MappingParameters extends WithParameter<'descriptionField' | 'urlField', string> {
	requiredText(name: 'idField' | 'nameField', itemIndex: number): string;
}

/**
 * Reads the parameters that say which fields contain a document's ID, name, description and URL.
 *
 * @throws InputError if 'ID Field' or 'Name Field' is empty
 */
export function readFieldMapping(parameters: MappingParameters, itemIndex: number): FieldMapping {
	return {
		...readItemMapping(parameters, itemIndex),
		description: parameters.get('descriptionField', itemIndex).trim(),
		url: parameters.get('urlField', itemIndex).trim(),
	};
}

/**
 * Reads the parameters that say which fields contain the ID and the name. The description and URL are expected in
 * fields named `description` and `url`.
 */
export const readItemMapping = (
	parameters: Pick<MappingParameters, 'requiredText'>,
	itemIndex: number,
): FieldMapping => ({
	id: parameters.requiredText('idField', itemIndex),
	name: parameters.requiredText('nameField', itemIndex),
	description: 'description',
	url: 'url',
});

/**
 * Returns the fields that every record needs, in the form that `checkFields` expects. Each field is paired with the
 * label of its parameter.
 */
export const requiredFields = ({ id, name }: FieldMapping): Array<[string, string]> => [
	[id, 'ID Field'],
	[name, 'Name Field'],
];

export type IdOrName = 'id' | 'name';

/**
 * Returns advice for a missing ID or name. This function is called only if one of them is missing. Calling it every
 * time would slow down runs with hundreds of thousands of documents.
 */
export type MissingAdvice = (fields: readonly IdOrName[]) => string;

const FILL_IN_ADVICE =
	'Every document needs an ID and a name. Fill in what is missing, or choose the field that contains it.';

export const PARAMETER_LABELS = { id: 'Document ID', name: 'Document Name' };

/**
 * Reads a document's ID and name as strings. Strings are returned unchanged, whole numbers as digits, and dates in ISO
 * format.
 *
 * @throws InputError that names the field. If the document's ID is known, the error also names the document
 */
export function readIdAndName(
	source: object,
	mapping: FieldMapping,
	adviceFor: MissingAdvice = () => FILL_IN_ADVICE,
): Record<IdOrName, string> {
	const id = withoutProtection(fieldOf(source, mapping.id));
	const name = fieldOf(source, mapping.name);
	if (isNullOrBlankText(id))
		throw missingError(isNullOrEmptyText(name) ? ['id', 'name'] : ['id'], mapping, adviceFor);
	const text = exactId(id, () => describeField('id', mapping), OTHER_FIELD_ADVICE);
	if (typeof name === 'string' && name !== '') return { id: text, name };
	if (isNullOrEmptyText(name)) throw missingError(['name'], mapping, adviceFor, text);
	return {
		id: text,
		name: exactText(name, () => describeField('name', mapping), OTHER_FIELD_ADVICE, text),
	};
}

function missingError(
	fields: IdOrName[],
	mapping: FieldMapping,
	adviceFor: MissingAdvice,
	documentId?: string,
) {
	const names = fields.map((field) => describeField(field, mapping)).join(' and ');
	const are = fields.length > 1 ? 'are' : 'is';
	const subject = names.replace(' and The', ' and the');
	const of = documentId === undefined ? '' : ` of document ${quoted(documentId)}`;
	const problem = `${are} missing or empty`;
	const missing = fields.map((field) => labelOf(field, mapping)).join(' or ');
	return new InputError(`${subject}${of} ${problem}`, adviceFor(fields), {
		missing,
		commonMessage: `${subject} ${problem}`,
	});
}

const labelOf = (field: IdOrName, mapping: FieldMapping): string =>
	quoted(mapping.hasParameters ? PARAMETER_LABELS[field] : mapping[field]);

/** Returns the beginning of a message, for example "The field 'sku' with the ID". The caller adds what is wrong. */
function describeField(field: IdOrName, mapping: FieldMapping): string {
	if (mapping.hasParameters) return labelOf(field, mapping);
	const what = mapping[field] === field ? '' : ` with the ${field === 'id' ? 'ID' : 'name'}`;
	return `The field ${labelOf(field, mapping)}${what}`;
}

const OTHER_FIELD_ADVICE = 'Choose a field that contains text.';

/** Returns a document's description and URL, if the record contains them. */
export const optionalFieldsOf = (record: object, mapping: FieldMapping) =>
	nonEmptyMembers([
		['description', fieldOf(record, mapping.description)],
		['url', fieldOf(record, mapping.url)],
	]);

/** Returns the ID of an invalid record if `field` contains an ID. */
export function idIn(record: unknown, field: string): string | undefined {
	const id = isRecord(record) ? withoutProtection(fieldOf(record, field)) : undefined;
	if (typeof id === 'string' && id.trim() !== '') return id;
	return Number.isSafeInteger(id) ? String(id) : undefined;
}
