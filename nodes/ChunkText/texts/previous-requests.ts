import type { IDataObject } from 'n8n-workflow';

import { InputError } from '../../shared/service/input-error';
import { isEmpty } from '../../shared/service/json';
import type { SourceDocument, TextRef } from './text';

/** A chunking request submitted by an earlier run, with what items wait for. */
export interface PreviousRequest {
	chunkingId: string;
	refs: TextRef[];
	/** How many texts the request had, if an item says so. */
	textCount: number | undefined;
}

/**
 * Reads which requests an item stands for: several if several of its texts failed and it does not name
 * one.
 *
 * @param itemIndex number of the item
 * @param chunkingId the one that it names
 * @param given which text of the request it is; empty for all of them
 * @throws InputError for a position that cannot be used
 */
export function previousRequests(
	json: IDataObject,
	itemIndex: number,
	chunkingId: string,
	given: unknown,
): PreviousRequest[] {
	const position = parsePosition(given);
	const documents = documentsIn(json);
	const failed = position === undefined ? failedTextsIn(json, chunkingId) : [];
	if (failed.length > 0)
		return failed.map((text) => ({
			chunkingId: text.chunkingId,
			refs: [refOf(text, itemIndex, parsePosition(text.textPosition), documents)],
			textCount: numberIn(text.textsInRequest),
		}));
	const refs =
		documents === undefined || position !== undefined
			? [refOf(json, itemIndex, position, documents)]
			: documents.map((_document, at) => refOf({}, itemIndex, at, documents));
	return [{ chunkingId, refs, textCount: numberIn(json.textsInRequest) }];
}

/**
 * The documents of an item that stands for all texts of a request, as Submit returns it for texts from
 * a file: `documents` has the fields of each.
 */
export function documentsIn(json: IDataObject): SourceDocument[] | undefined {
	const { documents, textsInRequest } = json;
	if (!Array.isArray(documents) || documents.length !== textsInRequest) return undefined;
	return (documents as IDataObject[]).map(({ id, ...fields }) => {
		return { id: String(id), fields, previousChunkCount: 0 };
	});
}

type FailedText = IDataObject & { chunkingId: string };

/** The texts of a failed item, if it is that of this chunking ID. */
function failedTextsIn({ failedTexts }: IDataObject, chunkingId: string): FailedText[] {
	const texts = Array.isArray(failedTexts) ? (failedTexts as FailedText[]) : [];
	return texts[0]?.chunkingId === chunkingId ? texts : [];
}

const numberIn = (value: unknown): number | undefined =>
	typeof value === 'number' ? value : undefined;

function refOf(
	{ textIndex }: IDataObject,
	itemIndex: number,
	position: number | undefined,
	documents: SourceDocument[] = [],
): TextRef {
	const document = position === undefined ? undefined : documents[position];
	return {
		items: [itemIndex],
		position,
		index: numberIn(textIndex),
		document,
		source: document && { id: document.id, ...document.fields },
	};
}

function parsePosition(value: unknown): number | undefined {
	if (isEmpty(value)) return undefined;
	const position = typeof value === 'string' && value.trim() === '' ? NaN : Number(value);
	const isNumber = typeof value === 'number' || typeof value === 'string';
	if (isNumber && Number.isSafeInteger(position) && position >= 0) return position;
	throw new InputError(
		`The text position must be a whole number of at least 0, but it is ${JSON.stringify(value)}`,
		"Use the field 'textPosition' that 'Submit' returns. It can be empty if the request has one text.",
	);
}
