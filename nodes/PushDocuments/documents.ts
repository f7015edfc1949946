import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { InputError } from '../shared/service/input-error';
import { prepareDocument, type DocumentRules, type PushDocument } from '../shared/service/push';

/** A document on its way, with the input item it came from. */
export interface Entry {
	itemIndex: number;
	document: PushDocument;
}

/** A document that cannot be sent, with the reason. */
export interface Refused {
	itemIndex: number;
	/** Its ID, where it has one. */
	id?: string;
	error: unknown;
}

/**
 * Reads the documents of all items and checks them, before anything is sent (spec, Push document).
 *
 * @param rules what to do to each document
 * @returns what can be sent, what cannot, and items whose list of documents is empty
 */
export function readDocuments(
	context: IExecuteFunctions,
	rules: DocumentRules,
): { entries: Entry[]; refused: Refused[]; empty: number[] } {
	const source = context.getNodeParameter('documentSource', 0) as string;
	const entries: Entry[] = [];
	const refused: Refused[] = [];
	const empty: number[] = [];
	context.getInputData().forEach((item, itemIndex) => {
		try {
			const documents = documentsOf(context, source, item.json, itemIndex);
			if (documents.length === 0) empty.push(itemIndex);
			for (const [position, document] of documents.entries()) {
				try {
					entries.push({ itemIndex, document: prepareDocument(document, rules) });
				} catch (error) {
					refused.push({
						itemIndex,
						...idOf(document),
						error: positioned(error, position, documents.length),
					});
				}
			}
		} catch (error) {
			refused.push({ itemIndex, error });
		}
	});
	return { entries, refused, empty };
}

function documentsOf(
	context: IExecuteFunctions,
	source: string,
	json: IDataObject,
	itemIndex: number,
): unknown[] {
	if (source === 'wholeItem') return [json];
	if (source === 'fields') return [mappedDocument(context, itemIndex)];
	const value = parsed(context.getNodeParameter('documentJson', itemIndex));
	return Array.isArray(value) ? value : [value];
}

function mappedDocument(context: IExecuteFunctions, itemIndex: number): IDataObject {
	const value = (name: string) =>
		context.getNodeParameter(name, itemIndex, '') as IDataObject[string];
	const document: IDataObject = { id: value('documentId'), name: value('documentName') };
	for (const [field, parameter] of [
		['description', 'documentDescription'],
		['url', 'documentUrl'],
	] as const) {
		const content = value(parameter);
		if (content !== '' && content !== undefined && content !== null) document[field] = content;
	}
	return { ...document, ...additionalFields(context, itemIndex) };
}

/** Parameters for the fields every document has. */
const PARAMETERS = new Map([
	['id', 'ID'],
	['name', 'Name'],
]);

/**
 * Fields beside those the node has a parameter for.
 *
 * @throws InputError for a field without a name, or with one that every document has already
 */
function additionalFields(context: IExecuteFunctions, itemIndex: number): IDataObject {
	const fields = context.getNodeParameter('additionalFields.field', itemIndex, []) as Array<{
		name: unknown;
		value: IDataObject[string];
	}>;
	const named = fields.map(({ name, value }): [string, IDataObject[string]] => {
		const field = typeof name === 'string' ? name : String(name ?? '');
		if (field.trim() === '') {
			throw new InputError(
				"An entry of 'Additional Fields' has no name",
				"Fill in its 'Name', or remove the entry.",
			);
		}
		const parameter = PARAMETERS.get(field);
		if (parameter !== undefined) {
			throw new InputError(
				`'Additional Fields' must not hold the field '${field}'`,
				`Use the parameter '${parameter}', and remove the entry.`,
			);
		}
		return [field, value];
	});
	// Also a field called __proto__ is a field then.
	return Object.fromEntries(named);
}

function parsed(value: unknown): unknown {
	if (typeof value !== 'string') return value;
	try {
		return JSON.parse(value);
	} catch (error) {
		throw unreadable(error);
	}
}

const unreadable = (error: unknown): InputError =>
	new InputError(
		`'Documents' is not valid JSON: ${(error as Error).message}`,
		'Give one object, or a list of objects, each with an id and a name.',
	);

function idOf(document: unknown): { id?: string } {
	const { id } = (document ?? {}) as { id?: unknown };
	return typeof id === 'string' && id !== '' ? { id } : {};
}

/** Says which document of a list it is. */
function positioned(error: unknown, position: number, documents: number): unknown {
	if (documents === 1 || !(error instanceof InputError)) return error;
	return new InputError(
		`Document ${position + 1} of the list: ${error.message}`,
		error.description,
	);
}
