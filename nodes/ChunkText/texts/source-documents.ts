import type { IDataObject } from 'n8n-workflow';

import type { Run } from '../../shared/n8n/run/run';
import { filled } from '../../shared/n8n/sources/document-fields';
import { listed } from '../../shared/n8n/sources/record-file';
import { refuseItem } from '../../shared/n8n/sources/source';
import { InputError } from '../../shared/service/input-error';
import { isEmpty } from '../../shared/service/json';
import { quoted } from '../../shared/service/wording';
import type { ChunkParameters } from '../parameters';
import type { SourceDocument } from './text';
import { textInFile } from './text-in-file';

/** Maximum of previous chunks of an item, of all its texts together. */
export const MAX_PREVIOUS_CHUNKS = 100_000;

/**
 * The documents of an item that stands for all texts of a request, as Submit returns it for texts from
 * a file: `documents` has the fields of each.
 */
export function documentsIn(json: IDataObject): SourceDocument[] | undefined {
	const { documents, textsInRequest } = json;
	if (!Array.isArray(documents) || documents.length !== textsInRequest) return undefined;
	const read = (documents as IDataObject[]).flatMap(({ id, ...fields }) =>
		typeof id === 'string' ? { id, fields, previousChunkCount: 0 } : [],
	);
	return read.length === documents.length ? read : undefined;
}

/**
 * Reads the documents of all items; items without a usable ID or name fail, and those whose text
 * is probably in a file. Items that stand for a request and have the `documents` of its texts are left out.
 *
 * @param idOf the chunking ID of an item that stands for a request, '' for none
 * @param refused gets the items that failed
 */
export async function readSourceDocuments(
	run: Run,
	parameters: ChunkParameters,
	idOf: (itemIndex: number) => string,
	refused: Set<number>,
): Promise<Map<number, SourceDocument>> {
	const documents = new Map<number, SourceDocument>();
	const keys: string[] = [];
	for await (const [itemIndex, { json }] of run.eachItem()) {
		if (refused.has(itemIndex)) continue;
		const hasText = () => parameters.choice('textSource') === 'item' && idOf(itemIndex) === '';
		let inFile: InputError | undefined;
		try {
			if (documentsIn(json) && idOf(itemIndex) !== '') continue;
			const problem = textInFile(run, parameters, itemIndex);
			const isExcused = () => hasEmptyText(parameters, itemIndex) || idOf(itemIndex) !== '';
			if (problem && !isExcused()) throw (inFile = problem);
			const document = sourceDocument(parameters, itemIndex, json, hasText);
			const { textIndex } = json;
			// Submit returns an item for each text of a list, all with the same document ID.
			const isOfList = typeof textIndex === 'number' && idOf(itemIndex) !== '';
			keys.push(isOfList ? `${document.id}#${textIndex}.` : `${document.id}#`);
			documents.set(itemIndex, document);
		} catch (error) {
			refused.add(itemIndex);
			const reason = inFile ?? emptyTogether(parameters, itemIndex, json, hasText) ?? error;
			refuseItem(run, itemIndex, reason, documentIdOf(parameters, itemIndex));
		}
	}
	separate(run, documents, keys);
	return documents;
}

/**
 * Marks documents with the same ID. They share their chunk IDs, so a chunk that one of them no longer has
 * may still belong to another.
 *
 * @param keys what the chunk IDs of each item begin with
 */
function separate(run: Run, documents: Map<number, SourceDocument>, keys: string[]): void {
	const ids = [...documents.values()].map(({ id }) => id);
	const repeatedIds = repeated(ids);
	for (const document of documents.values()) {
		if (!repeatedIds.has(document.id)) continue;
		document.previousChunkCount = 0;
		document.isShared = true;
	}
	const repeatedKeys = repeated(keys);
	const shared = [...new Set(ids.filter((_id, index) => repeatedKeys.has(keys[index] ?? '')))];
	if (shared.length === 0) return;
	run.hint(
		`Items have the same 'Document ID' (${quoted(shared[0] ?? '')}${shared.length > 1 ? ` and ${shared.length - 1} more` : ''}), so their chunks get the same IDs and replace each other in the index. Give each text a document ID of its own, or use 'List in a Field'.`,
	);
}

/** What is in a list more than once. */
function repeated(list: string[]): Set<string> {
	const seen = new Set<string>();
	const again = new Set<string>();
	for (const value of list) (seen.has(value) ? again : seen).add(value);
	return again;
}

/** The document ID of an item that fails, as far as it has one. */
function documentIdOf(parameters: ChunkParameters, itemIndex: number): string | undefined {
	try {
		return parameters.id('documentId', itemIndex, '');
	} catch {
		return undefined;
	}
}

/** The error of an item of which several parameters are empty, so that one run names them all. */
function emptyTogether(
	parameters: ChunkParameters,
	itemIndex: number,
	json: IDataObject,
	hasText: () => boolean,
): InputError | undefined {
	try {
		// Then it needs no name.
		if (hasEmptyText(parameters, itemIndex)) return undefined;
		const needed = ['documentId', 'documentName', ...(hasText() ? ['text'] : [])] as const;
		const labels = needed
			.filter((name) => isEmpty(parameters.value(name, itemIndex)))
			.map((name) => `'${parameters.label(name)}'`);
		if (labels.length < 2) return undefined;
		const names = `${labels.slice(0, -1).join(', ')} and ${labels.at(-1)}`;
		return new InputError(`${names} are empty`, adviceFor(parameters, names, json));
	} catch {
		return undefined;
	}
}

/** @param hasText whether the parameter Text has the text of the item */
function sourceDocument(
	parameters: ChunkParameters,
	itemIndex: number,
	json: IDataObject,
	hasText: () => boolean,
): SourceDocument {
	const idAdvice = adviceFor(parameters, "'Document ID'", json);
	const id = parameters.id('documentId', itemIndex, idAdvice);
	// Happens where the text is the only field: nothing could be updated or deleted by such an ID.
	if (id.includes('\n') && hasText() && parameters.value('text', itemIndex) === id)
		throw new InputError("'Document ID' is the text itself", idAdvice);
	const previousChunkCount = parameters.number('options.previousChunkCount', itemIndex);
	if (hasEmptyText(parameters, itemIndex)) {
		return { id, fields: {}, previousChunkCount, isEmpty: true };
	}
	const nameAdvice = adviceFor(parameters, "'Document Name'", json);
	const name = parameters.requiredText('documentName', itemIndex, nameAdvice);
	const others = filled(
		OPTIONAL_FIELDS.map(([field, option]) => {
			const isAdded = parameters.isAdded('options', option);
			return [
				field,
				isAdded ? parameters.value(`options.${option}`, itemIndex) : json[field],
			];
		}),
	);
	return { id, fields: { name, ...(others as IDataObject) }, previousChunkCount };
}

/**
 * Whether the text of an item is empty, which is no failure with one item per document: its chunks are
 * removed. A missing text points to a wrong expression, because of which nothing may be deleted.
 */
const hasEmptyText = (parameters: ChunkParameters, itemIndex: number): boolean =>
	parameters.choice('output') === 'perDocument' &&
	parameters.choice('textSource') === 'item' &&
	parameters.value('text', itemIndex) === '';

const OPTIONAL_FIELDS = [
	['description', 'documentDescription'],
	['url', 'documentUrl'],
] as const;

/** @param labels of the parameters that are wrong, in quotes */
function adviceFor(parameters: ChunkParameters, labels: string, json: IDataObject): string {
	const isPerDocument = parameters.choice('output') === 'perDocument';
	const output = isPerDocument ? 'One Item per Document' : 'Documents Ready to Push';
	const names = Object.keys(json);
	const [only = ''] = names;
	if (names.length === 1)
		return `'${output}' needs it, but the only field of the item is ${quoted(only)}. Take ${labels} from an earlier node, such as {{ $('Read/Write Files from Disk').item.json.fileName }}, or choose another 'Output'.`;
	const fields = names.length > 0 ? ` The fields of the item are: ${listed(names)}.` : '';
	return `'${output}' needs it: point ${labels} to a field of the item, or choose another 'Output'.${fields}`;
}
