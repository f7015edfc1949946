import type { IDataObject } from 'n8n-workflow';

import { withoutFiles } from '../shared/n8n/files';
import type { Run } from '../shared/n8n/run';
import { InputError } from '../shared/service/input-error';
import { prepareDocument, type DocumentRules, type PushDocument } from '../shared/service/push';
import type { PushOptions, PushParameters } from './properties';

/** A document to push, and the input item it comes from. */
export interface Entry {
	itemIndex: number;
	document: PushDocument;
}

/** Is told what is found while documents are read. */
export interface DocumentObserver {
	/** A document as the item has it, before fields were excluded. */
	found(source: object): void;
	emptyList(itemIndex: number): void;
}

/**
 * Reads the documents of all input items and checks their fields (docs/service-interface.md, Push).
 * What cannot be pushed fails its item at once. Nothing more is read once the run has ended.
 */
export async function* readDocuments(
	run: Run,
	parameters: PushParameters,
	options: PushOptions,
	observer: DocumentObserver,
): AsyncGenerator<Entry, void, undefined> {
	const rules = rulesOf(options);
	for await (const [itemIndex] of run.eachItem()) {
		const sources = sourcesOf(run, parameters, itemIndex);
		if (sources?.length === 0) observer.emptyList(itemIndex);
		for (const [position, source] of (sources ?? []).entries()) {
			if (position > 0) await run.breathe();
			if (run.ended) return;
			try {
				const document = prepareDocument(source, rules);
				observer.found(source as object);
				yield { itemIndex, document };
			} catch (error) {
				run.refuse(itemIndex, inList(error, position, sources?.length), idOf(source));
			}
		}
	}
}

/** What is done to documents before they are checked. */
export const rulesOf = ({
	convertToString,
	excludeFields,
	dropEmpty,
}: PushOptions): DocumentRules => ({
	nonStrings: convertToString ? 'convert' : 'fail',
	excludeFields: excludeFields.filter((name) => !REQUIRED.has(name)),
	dropEmpty,
});

/** The documents of an item as they come in; undefined if it has none that can be read. */
function sourcesOf(run: Run, parameters: PushParameters, itemIndex: number): unknown[] | undefined {
	try {
		const source = parameters.choice('documentSource');
		if (source === 'wholeItem') return [withoutFiles(run.items[itemIndex]?.json ?? {})];
		if (source === 'fields') return [mappedDocument(parameters, itemIndex)];
		const value = parameters.json('documentJson', itemIndex, JSON_ADVICE);
		return Array.isArray(value) ? value : [value];
	} catch (error) {
		run.refuse(itemIndex, error);
		return undefined;
	}
}

const JSON_ADVICE = 'Enter one object, or a list of objects, each with an id and a name.';

function mappedDocument(parameters: PushParameters, itemIndex: number): IDataObject {
	const value = (name: `document${'Id' | 'Name' | 'Description' | 'Url'}`) =>
		parameters.value(name, itemIndex) as IDataObject[string];
	const document: IDataObject = { id: value('documentId'), name: value('documentName') };
	for (const [field, content] of [
		['description', value('documentDescription')],
		['url', value('documentUrl')],
	] as const) {
		if (content !== '' && content !== undefined && content !== null) document[field] = content;
	}
	return { ...document, ...additionalFields(parameters, itemIndex) };
}

/** Parameters for the fields that every document has. */
const REQUIRED = new Map([
	['id', 'ID'],
	['name', 'Name'],
]);

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

function idOf(source: unknown): { id?: string } {
	const { id } = (source ?? {}) as { id?: unknown };
	return typeof id === 'string' && id !== '' ? { id } : {};
}

/** Says which document of a list it is. */
function inList(error: unknown, position: number, length = 1): unknown {
	if (length === 1 || !(error instanceof InputError)) return error;
	return new InputError(
		`Document ${position + 1} of the list: ${error.message}`,
		error.description,
	);
}
