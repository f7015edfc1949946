import type { IDataObject } from 'n8n-workflow';

import { filled } from '../../shared/n8n/sources/document-fields';
import { fieldsOfItem } from '../../shared/n8n/sources/files';
import { listed } from '../../shared/n8n/sources/record-file';
import { InputError } from '../../shared/service/input-error';
import { isEmpty } from '../../shared/service/json';
import { quoted } from '../../shared/service/wording';
import type { ChunkParameters } from '../parameters';
import type { ChunkTask, SourceDocument } from './text';

const OPTIONAL_FIELDS = [
	['description', 'documentDescription'],
	['url', 'documentUrl'],
] as const;

/** A parameter that an item needs. */
export type Needed = 'documentId' | 'documentName' | 'text';

/**
 * Reads the document of an item.
 *
 * @param needed what it must have: a document whose text is empty needs no name
 * @param file its ID and name, if they are those of a text file
 * @throws InputError that names all parameters that are empty
 */
export function readDocument(
	{ run, parameters, mode }: ChunkTask,
	itemIndex: number,
	needed: readonly Needed[],
	file?: { id: string; name: string },
): SourceDocument {
	const json = fieldsOfItem(run, itemIndex);
	const advice = (labels: string) => adviceFor(labels, json, mode === 'perDocument');
	const empty = (file ? [] : needed).filter((name) => {
		const value = parameters.value(name, itemIndex);
		return isEmpty(value) || (name !== 'text' && String(value).trim() === '');
	});
	// A text without a document is an error of its own.
	if (empty.length > 0 && empty[0] !== 'text') throw emptyError(parameters, empty, advice);
	const id = file?.id ?? parameters.id('documentId', itemIndex);
	// Happens where the text is the only field: nothing could be updated or deleted by such an ID.
	const hasText = needed.includes('text');
	if (hasText && id.includes('\n') && parameters.value('text', itemIndex) === id)
		throw new InputError("'Document ID' is the text itself", advice("'Document ID'"));
	const previousChunkCount = parameters.number('options.previousChunkCount', itemIndex);
	if (!needed.includes('documentName')) return { id, fields: {}, previousChunkCount };
	const name = file?.name ?? parameters.text('documentName', itemIndex);
	const others = OPTIONAL_FIELDS.map(([field, option]): [string, unknown] => {
		const isAdded = parameters.isAdded('options', option);
		return [field, isAdded ? parameters.value(`options.${option}`, itemIndex) : json[field]];
	});
	return { id, fields: { name, ...(filled(others) as IDataObject) }, previousChunkCount };
}

function emptyError(
	parameters: ChunkParameters,
	empty: readonly Needed[],
	advice: (labels: string) => string,
): InputError {
	const labels = empty.map((name) => `'${parameters.label(name)}'`);
	const names = labels.join(', ').replace(/, ([^,]+)$/, ' and $1');
	return new InputError(`${names} ${labels.length > 1 ? 'are' : 'is'} empty`, advice(names));
}

/** @param labels of the parameters that are wrong, in quotes */
function adviceFor(labels: string, json: IDataObject, isPerDocument: boolean): string {
	const output = isPerDocument ? 'One Item per Document' : 'Documents Ready to Push';
	const names = Object.keys(json);
	const [only = ''] = names;
	if (names.length === 1)
		return `'${output}' needs it, but the only field of the item is ${quoted(only)}. Take ${labels} from an earlier node, such as {{ $('Read/Write Files from Disk').item.json.fileName }}, or choose another 'Output'.`;
	const fields = names.length > 0 ? ` The fields of the item are: ${listed(names)}.` : '';
	return `'${output}' needs it: point ${labels} to a field of the item, or choose another 'Output'.${fields}`;
}

/**
 * Marks documents that share an ID: a chunk that one of them no longer has may still belong to another.
 *
 * @param documents of all items, each with what its chunk IDs begin with
 * @returns a hint at those that also share the IDs of their chunks; undefined for none
 */
export function markShared(
	documents: ReadonlyArray<{ document: SourceDocument; chunkIds: string }>,
): string | undefined {
	const repeatedIds = repeated(documents.map(({ document }) => document.id));
	for (const { document } of documents) {
		if (!repeatedIds.has(document.id)) continue;
		document.previousChunkCount = 0;
		document.isShared = true;
	}
	const repeatedChunkIds = repeated(documents.map(({ chunkIds }) => chunkIds));
	const shared = new Set(
		documents.flatMap(({ document, chunkIds }) =>
			repeatedChunkIds.has(chunkIds) ? document.id : [],
		),
	);
	const [first] = shared;
	if (first === undefined) return undefined;
	const more = shared.size > 1 ? ` and ${shared.size - 1} more` : '';
	return `Items have the same 'Document ID' (${quoted(first)}${more}), so their chunks get the same IDs and replace each other in the index. Give each text a document ID of its own, or use 'List in a Field'.`;
}

function repeated(values: readonly string[]): Set<string> {
	const seen = new Set<string>();
	return new Set(values.filter((value) => seen.has(value) || !seen.add(value)));
}
