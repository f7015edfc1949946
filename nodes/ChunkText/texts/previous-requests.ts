import type { IDataObject } from 'n8n-workflow';

import type { Run } from '../../shared/n8n/run/run';
import { refuseItem } from '../../shared/n8n/sources/source';
import { resultsPath } from '../../shared/service/chunking/chunking';
import { InputError } from '../../shared/service/input-error';
import type { ChunkParameters } from '../parameters';
import { readScope } from './settings';
import { documentsIn } from './source-documents';
import { isEmpty, isRecord } from '../../shared/service/json';
import type { SourceDocument, TextRef } from './text';

/** A chunking request submitted by an earlier run, with the items that wait for it. */
export interface PreviousRequest {
	chunkingId: string;
	scope: string;
	refs: TextRef[];
	/** How many texts the request had, if an item says so. */
	textCount?: number;
}

/** Where items say which request they stand for. */
export interface IdSource {
	/** The chunking ID of an item, '' for none. */
	idOf: (itemIndex: number) => string;
	/** Which text of the request the item is; empty for all of them. */
	positionOf: (itemIndex: number) => unknown;
}

/**
 * Reads which earlier chunking requests the items stand for, each request once. Items with an unusable
 * chunking ID fail.
 *
 * @param documents those of the items, if they are wanted
 * @param taken gets the items that stand for a request, and those that failed
 */
export async function readPreviousRequests(
	run: Run,
	parameters: ChunkParameters,
	path: string,
	{ idOf, positionOf }: IdSource,
	documents: ReadonlyMap<number, SourceDocument>,
	taken: Set<number>,
): Promise<PreviousRequest[]> {
	const requests = new Map<string, PreviousRequest>();
	for await (const [itemIndex, { json }] of run.eachItem()) {
		if (taken.has(itemIndex)) continue;
		try {
			const id = idOf(itemIndex);
			if (id === '') continue;
			const scope = readScope(parameters, itemIndex);
			const position = parsePosition(positionOf(itemIndex));
			const wanted = wantedBy(json, itemIndex, id.trim(), position);
			// Fails for an ID that cannot be part of a path.
			for (const { chunkingId } of wanted) resultsPath(path, chunkingId);
			for (const { chunkingId, refs, textCount } of wanted) {
				// If items ask for different scopes the first one decides: results may be served once only.
				// A response counts as that of the request whatever the letter case of its ID.
				const key = chunkingId.toLowerCase();
				const request = requests.get(key) ?? { chunkingId, scope, refs: [] };
				requests.set(key, request);
				if (textCount !== undefined) request.textCount = textCount;
				request.refs.push(...refs);
			}
		} catch (error) {
			refuseItem(run, itemIndex, error, documents.get(itemIndex)?.id);
		}
		taken.add(itemIndex);
	}
	return [...requests.values()];
}

type Wanted = Omit<PreviousRequest, 'scope'>;

/** The requests an item stands for: several if several of its texts failed and it does not name one. */
function wantedBy(
	json: IDataObject,
	itemIndex: number,
	chunkingId: string,
	position: number | undefined,
): Wanted[] {
	const documents = documentsIn(json);
	const failed = position === undefined ? failedTextsIn(json, chunkingId) : undefined;
	if (failed === undefined) {
		const refs =
			documents !== undefined && position === undefined
				? documents.map((_document, place) => refOf({}, itemIndex, place, documents))
				: [refOf(json, itemIndex, position, documents)];
		return [{ chunkingId, refs, ...textCountOf(json) }];
	}
	return failed.map((text) => ({
		chunkingId: text.chunkingId,
		refs: [refOf(text, itemIndex, parsePosition(text.textPosition), documents)],
		...textCountOf(text),
	}));
}

type FailedText = IDataObject & { chunkingId: string };

/** The texts of a failed item, if it is that of this chunking ID. */
function failedTextsIn({ failedTexts }: IDataObject, chunkingId: string): FailedText[] | undefined {
	if (!Array.isArray(failedTexts)) return undefined;
	const texts = (failedTexts as unknown[]).filter(
		(text): text is FailedText => isRecord(text) && typeof text.chunkingId === 'string',
	);
	return texts[0]?.chunkingId === chunkingId ? texts : undefined;
}

const textCountOf = ({ textsInRequest }: IDataObject): { textCount?: number } =>
	typeof textsInRequest === 'number' ? { textCount: textsInRequest } : {};

/** One text, with its document if the item has those of all texts of the request. */
function refOf(
	{ textIndex }: IDataObject,
	itemIndex: number,
	position: number | undefined,
	documents: SourceDocument[] | undefined,
): TextRef {
	const document = position === undefined ? undefined : documents?.[position];
	return {
		items: [itemIndex],
		...(position !== undefined && { position }),
		...(typeof textIndex === 'number' && { index: textIndex }),
		...(document && { document, source: { id: document.id, ...document.fields } }),
	};
}

function parsePosition(value: unknown): number | undefined {
	if (isEmpty(value)) return undefined;
	const isNumber =
		typeof value === 'number' || (typeof value === 'string' && value.trim() !== '');
	const position = Number(value);
	if (isNumber && Number.isSafeInteger(position) && position >= 0) return position;
	throw new InputError(
		`'Text Position' must be a whole number from 0, but it is ${JSON.stringify(value)}`,
		"Use the field 'textPosition' that 'Submit' returns. Leave it empty only if the request has one text.",
	);
}
