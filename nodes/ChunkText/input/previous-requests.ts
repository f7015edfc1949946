import type { IDataObject } from 'n8n-workflow';

import { InputError } from '../../shared/service/input-error';
import { isNullOrEmptyText } from '../../shared/service/json';
import type { AwaitedText, SourceDocument } from './text-entry';

/** `texts` contains only the texts whose chunks are needed. */
export interface PreviousRequest {
	chunkingId: string;
	texts: AwaitedText[];
	/** Number of texts in the request, or undefined if the items do not contain this information. */
	textCount: number | undefined;
}

/**
 * Returns the earlier request that an item refers to.
 *
 * @param textPosition position of the text in the request, or empty for all texts
 * @throws InputError if the position is invalid
 */
export function previousRequest(
	json: IDataObject,
	itemIndex: number,
	chunkingId: string,
	textPosition: unknown,
): PreviousRequest {
	const position = parsePosition(textPosition);
	const documents = documentsIn(json);
	const texts =
		documents === undefined || position !== undefined
			? [awaitedText(itemIndex, position, documents)]
			: documents.map((_document, at) => awaitedText(itemIndex, at, documents));
	const { textsInRequest } = json;
	const textCount = typeof textsInRequest === 'number' ? textsInRequest : undefined;
	return { chunkingId, texts, textCount };
}

/**
 * Returns the documents in an item that represents all texts in a request. Submit returns such items for texts from a
 * file. The `documents` field of such an item contains the fields of each document.
 */
export function documentsIn(json: IDataObject): SourceDocument[] | undefined {
	const { documents, textsInRequest } = json;
	if (!Array.isArray(documents) || documents.length !== textsInRequest) return undefined;
	return (documents as IDataObject[]).map(({ id, ...fields }) => {
		return { id: String(id), fields, previousChunkCount: 0 };
	});
}

function awaitedText(
	itemIndex: number,
	position: number | undefined,
	documents: SourceDocument[] = [],
): AwaitedText {
	const document = position === undefined ? undefined : documents[position];
	return {
		items: [itemIndex],
		position,
		document,
		source: document && { id: document.id, ...document.fields },
	};
}

function parsePosition(value: unknown): number | undefined {
	if (isNullOrEmptyText(value)) return undefined;
	const position = typeof value === 'string' && value.trim() === '' ? NaN : Number(value);
	const isNumber = typeof value === 'number' || typeof value === 'string';
	if (isNumber && Number.isSafeInteger(position) && position >= 0) return position;
	throw new InputError(
		`The text position must be a whole number of at least 0, but it is ${JSON.stringify(value)}`,
		"Use the field 'textPosition' that 'Submit' returns. It can be empty if the request has one text.",
	);
}
