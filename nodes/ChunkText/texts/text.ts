import type { IDataObject } from 'n8n-workflow';

import { isRecord } from '../../shared/service/json';
import type { Run } from '../../shared/n8n/run/run';
import { mapInSlices } from '../../shared/n8n/sources/slices';
import type { ChunkSettings } from '../../shared/service/chunking/chunking';
import { InputError } from '../../shared/service/input-error';
import type { ChunkParameters } from '../parameters';
import { readSettings } from './settings';
import { MAX_PREVIOUS_CHUNKS, type SourceDocument } from './source-documents';

/** A text, or several, whose chunks an input item is waiting for. */
export interface TextRef {
	itemIndex: number;
	/** Position in the list of texts of its item, if the item has a list. */
	textIndex?: number;
	/** Position in its request; undefined stands for all texts of the request. */
	position?: number;
	/** The text, if it is known. */
	text?: string;
	/** The record it comes from, if that is not the item. */
	source?: IDataObject;
	/** Its document, if that does not come from the item. */
	document?: SourceDocument;
	/** Its place among all texts of the run, from 0, for output in their order. */
	place?: number;
}

/** Gives each text its place: the order of the items, and of the texts of an item. */
export function placeInOrder(refs: TextRef[]): void {
	const sorted = [...refs].sort(
		(one, other) =>
			one.itemIndex - other.itemIndex || (one.textIndex ?? 0) - (other.textIndex ?? 0),
	);
	for (const [place, ref] of sorted.entries()) ref.place = place;
}

/** A text to submit. Texts with the same settings may share a request. */
export interface TextEntry extends TextRef {
	text: string;
	settings: ChunkSettings;
	/** The same for equal settings. */
	group: string;
	/** Additional Text Fields, sent beside the text. */
	fields?: IDataObject;
	/** Bytes that it keeps in memory besides the text. */
	besides?: number;
}

/**
 * Reads the texts of all input items and how each is to be chunked. Items without a usable text fail.
 *
 * @param maxBytes maximum of a request
 * @param taken items that are fetched instead, or have failed already
 * @param documents those of the items, if they are wanted
 * @returns texts ordered by their settings, so that as many as possible share a request
 */
export async function readTexts(
	run: Run,
	parameters: ChunkParameters,
	maxBytes: number,
	taken: ReadonlySet<number> = new Set(),
	documents: ReadonlyMap<number, SourceDocument> = new Map(),
): Promise<TextEntry[]> {
	const groups = new Map<string, TextEntry[]>();
	for await (const [itemIndex] of run.eachItem()) {
		if (taken.has(itemIndex)) continue;
		try {
			const texts = await textsOf(run, parameters, itemIndex, maxBytes);
			checkPreviousChunks(documents.get(itemIndex), texts.length);
			const settings = readSettings(parameters, itemIndex);
			const group = JSON.stringify(settings);
			const entries = groups.get(group) ?? [];
			groups.set(group, entries);
			const shared = entries[0]?.settings ?? settings;
			const fieldsOf = readTextFields(parameters, itemIndex, texts.length);
			for (const [index, text] of texts.entries()) {
				entries.push({ ...text, ...withFields(fieldsOf(index)), settings: shared, group });
			}
		} catch (error) {
			run.refuse(itemIndex, error);
		}
	}
	return [...groups.values()].flat();
}

/** The fields of a text, and the memory they take; none if it has none. */
export function withFields(fields: IDataObject): Pick<TextEntry, 'fields' | 'besides'> {
	const isEmpty = Object.keys(fields).length === 0;
	return isEmpty ? {} : { fields, besides: Buffer.byteLength(JSON.stringify(fields)) };
}

/**
 * Reads Additional Text Fields of an item: one object for all of its texts, or a list with one for each.
 *
 * @param texts how many texts the item has
 * @returns gives the fields of each text by its position
 * @throws InputError for anything else
 */
function readTextFields(
	parameters: ChunkParameters,
	itemIndex: number,
	texts: number,
): (index: number) => IDataObject {
	const name = 'options.additionalTextFields';
	const value = parameters.value(name, itemIndex);
	const isList = Array.isArray(value) || (typeof value === 'string' && /^\s*\[/.test(value));
	if (!isList) {
		const shared = parameters.object(name, itemIndex);
		return () => shared;
	}
	const list = parameters.json(name, itemIndex) as unknown[];
	const label = parameters.label(name);
	if (!list.every((each) => isRecord(each) && !Array.isArray(each))) {
		throw new InputError(
			`'${label}' is not a JSON object or a list of JSON objects`,
			FIELDS_ADVICE,
		);
	}
	if (list.length !== texts) {
		const entries = list.length === 1 ? 'entry' : 'entries';
		throw new InputError(
			`'${label}' has ${count(list.length)} ${entries} for ${count(texts)} texts`,
			FIELDS_ADVICE,
		);
	}
	return (index) => list[index] as IDataObject;
}

const FIELDS_ADVICE =
	'Enter one JSON object for all texts of the item, or a list with one object for each.';

/** An item for each chunk that no longer exists could exhaust the memory of n8n. */
function checkPreviousChunks(document: SourceDocument | undefined, texts: number): void {
	const each = document?.previousChunkCount ?? 0;
	if (each * texts <= MAX_PREVIOUS_CHUNKS) return;
	throw new InputError(
		`'Previous Chunk Count' is ${count(each)} for each of ${count(texts)} texts, ${count(each * texts)} in total, more than the maximum of ${count(MAX_PREVIOUS_CHUNKS)}`,
		'Lower it, or split the list of texts into several items.',
	);
}

const count = (number: number): string => number.toLocaleString('en-US');

async function textsOf(
	run: Run,
	parameters: ChunkParameters,
	itemIndex: number,
	maxBytes: number,
): Promise<Array<TextRef & { text: string }>> {
	if (parameters.choice('textSource') === 'item') {
		const value = parameters.value('text', itemIndex);
		return [{ itemIndex, text: usableText(value, "'Text'", maxBytes) }];
	}
	const { field, list } = parameters.list('textsField', itemIndex, LIST_ADVICE);
	if (list.length === 0) {
		throw new InputError(`The field '${field}' is an empty list`, LIST_ADVICE);
	}
	const breathe = () => run.breathe();
	return await mapInSlices(list, breathe, (value, textIndex) => ({
		itemIndex,
		textIndex,
		text: usableText(
			value,
			`Text ${textIndex} of the field '${field}', counted from 0,`,
			maxBytes,
		),
	}));
}

const LIST_ADVICE =
	"Enter the name of a field that has a list of texts as 'List Field', or set 'Texts From' to 'One Text per Item'.";

/**
 * A text that a request can carry.
 *
 * @param what it is called in messages
 * @throws InputError for anything else
 */
export function usableText(value: unknown, what: string, maxBytes: number): string {
	if (typeof value === 'boolean' || Number.isFinite(value)) return String(value);
	if (typeof value === 'string' && value !== '') {
		const bytes = Buffer.byteLength(value);
		if (bytes > maxBytes) throw textTooLarge(what, bytes, maxBytes);
		return value;
	}
	const is = value === '' || value === undefined || value === null ? 'empty' : 'not text';
	throw new InputError(`${what} is ${is}`, 'Point it to the field with the text to chunk.');
}

/** The error of a text that no request can carry. */
export const textTooLarge = (what: string, bytes: number, maxBytes: number): InputError =>
	new InputError(
		`${what} has ${count(bytes)} bytes, more than the ${count(maxBytes)} a request may have`,
		"Split the text before this node, or raise the option 'Bytes per Request' if the service accepts more.",
	);
