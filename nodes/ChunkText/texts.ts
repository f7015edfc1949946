import type { IExecuteFunctions } from 'n8n-workflow';

import { fieldOf } from '../shared/n8n/fields';
import type { Results } from '../shared/n8n/results';
import { resultsPath, type ChunkSettings } from '../shared/service/chunking';
import { InputError } from '../shared/service/input-error';
import { readScope, readSettings } from './settings';

/** Something an input item wants the chunks of. */
export interface TextRef {
	itemIndex: number;
	/** Place among the texts of its item, where the item has a list of them. */
	textIndex?: number;
	/** Place among the texts of its request; undefined stands for all of them. */
	position?: number;
	/** The text, where it is known. */
	text?: string;
}

/** A text to be submitted. Texts with the same settings may share a request. */
export interface TextEntry extends TextRef {
	text: string;
	settings: ChunkSettings;
	/** The same for equal settings. */
	group: string;
	/** Place among all texts of the run. */
	key: string;
}

/** A chunking request that was submitted before, with the items that wait for it. */
export interface FormerRequest {
	chunkingId: string;
	scope: string;
	refs: TextRef[];
	/** How many texts the request had, where an item tells. */
	texts?: number;
}

/**
 * Reads the texts of all input items and how each is to be chunked. Items without a usable text
 * fail.
 *
 * @param maxBytes more than a request may have
 * @param taken items that are fetched instead, or have failed already
 * @returns texts ordered by their settings, so that as many as possible share a request
 */
export function readTexts(
	context: IExecuteFunctions,
	results: Results,
	maxBytes: number,
	taken: ReadonlySet<number> = new Set(),
): TextEntry[] {
	const groups = new Map<string, TextEntry[]>();
	let number = 0;
	context.getInputData().forEach((_item, itemIndex) => {
		if (taken.has(itemIndex)) return;
		try {
			const texts = textsOf(context, itemIndex, maxBytes);
			const settings = readSettings(context, itemIndex);
			const group = JSON.stringify(settings);
			const entries = groups.get(group) ?? [];
			groups.set(group, entries);
			const shared = entries[0]?.settings ?? settings;
			for (const ref of texts) {
				entries.push({ ...ref, settings: shared, group, key: String(number++) });
			}
		} catch (error) {
			results.fail(itemIndex, error, { prefix: `Item ${itemIndex}` });
		}
	});
	return [...groups.values()].flat();
}

function textsOf(
	context: IExecuteFunctions,
	itemIndex: number,
	maxBytes: number,
): Array<TextRef & { text: string }> {
	if (context.getNodeParameter('textSource', 0) === 'expression') {
		const value = context.getNodeParameter('text', itemIndex, '') as unknown;
		return [{ itemIndex, text: textOf(value, "'Text'", maxBytes) }];
	}
	const field = context.getNodeParameter('textsField', itemIndex) as string;
	const list = fieldOf(context.getInputData()[itemIndex]?.json ?? {}, field);
	if (!Array.isArray(list) || list.length === 0) {
		throw new InputError(
			`The field '${field}' is ${Array.isArray(list) ? 'an empty list' : 'not a list'}`,
			"Enter the name of a field with a list of texts as 'List Field', or take the text from an expression.",
		);
	}
	return list.map((value: unknown, textIndex) => ({
		itemIndex,
		textIndex,
		text: textOf(value, `Text ${textIndex} of the field '${field}'`, maxBytes),
	}));
}

function textOf(value: unknown, what: string, maxBytes: number): string {
	if (typeof value === 'number' || typeof value === 'boolean') return String(value);
	if (typeof value === 'string' && value !== '') {
		const bytes = Buffer.byteLength(value);
		if (bytes > maxBytes) throw tooLarge(what, bytes, maxBytes);
		return value;
	}
	const is = value === '' || value === undefined || value === null ? 'empty' : 'not a text';
	throw new InputError(`${what} is ${is}`, 'Point it to the field that holds the text to chunk.');
}

/** A text that no request may carry. */
export const tooLarge = (what: string, bytes: number, maxBytes: number): InputError =>
	new InputError(
		`${what} has ${bytes.toLocaleString('en-US')} bytes, more than the ${maxBytes.toLocaleString('en-US')} a request may have`,
		"Split the text before this node, or raise the option 'Bytes per Request' if the service takes more.",
	);

/**
 * Reads which chunking requests the items stand for, each request once. Items with an unusable
 * chunking ID fail.
 *
 * @param idOf the chunking ID of an item, '' for none
 * @param positionOf which text of the request the item is, undefined or '' for all
 * @param taken gets the items that stand for one, and those that failed
 */
export function readFormerRequests(
	context: IExecuteFunctions,
	results: Results,
	path: string,
	idOf: (itemIndex: number) => unknown,
	positionOf: (itemIndex: number) => unknown,
	taken = new Set<number>(),
): FormerRequest[] {
	const requests = new Map<string, FormerRequest>();
	context.getInputData().forEach(({ json }, itemIndex) => {
		if (taken.has(itemIndex)) return;
		try {
			const id = idOf(itemIndex);
			if (id === '') return;
			const chunkingId = ['string', 'number'].includes(typeof id) ? String(id).trim() : '';
			resultsPath(path, chunkingId);
			const scope = readScope(context, itemIndex);
			const position = parsePosition(positionOf(itemIndex));
			// Of items that ask for different scopes the first one decides: a second fetch may
			// find nothing.
			const request = requests.get(chunkingId) ?? { chunkingId, scope, refs: [] };
			requests.set(chunkingId, request);
			// Where Submit has put it.
			if (typeof json.textsInRequest === 'number') request.texts = json.textsInRequest;
			const ref: TextRef = { itemIndex };
			if (position !== undefined) ref.position = position;
			// Tells the texts of one document apart.
			if (typeof json.textIndex === 'number') ref.textIndex = json.textIndex;
			request.refs.push(ref);
			taken.add(itemIndex);
		} catch (error) {
			taken.add(itemIndex);
			results.fail(itemIndex, error, { prefix: `Item ${itemIndex}` });
		}
	});
	return [...requests.values()];
}

function parsePosition(value: unknown): number | undefined {
	if (value === undefined || value === null || value === '') return undefined;
	const isNumber =
		typeof value === 'number' || (typeof value === 'string' && value.trim() !== '');
	const position = Number(value);
	if (isNumber && Number.isInteger(position) && position >= 0) return position;
	throw new InputError(
		`'Text Position' must be a whole number from 0 on, but it is ${JSON.stringify(value)}`,
		"Take it from the output of 'Submit', or leave it empty for all texts of the request.",
	);
}
