import type { IDataObject } from 'n8n-workflow';

import type { EntryOrigin } from '../../shared/output/sink';
import type { ChunkSettings } from '../../shared/service/chunking/chunking';
import { InputError } from '../../shared/service/input-error';
import { isNullOrEmptyText, isoDate } from '../../shared/service/json';
import { figure } from '../../shared/service/strings';
import type { ChunkTask } from '../parameters';
import { joinPages, type PagedText, type Pages } from './pages';

/** Set only if the node returns documents. */
export interface SourceDocument {
	id: string;
	/** Contains `name`. Also contains `description` and `url` if the document has them. */
	fields: IDataObject;
	/** Further fields of each chunk. None of them has the name of a field that a chunk gets from the node. */
	added?: IDataObject;
	previousChunkCount: number;
	/**
	 * Whether other items have the same document ID. If they do, the IDs of their chunks cannot be told apart, so the
	 * node cannot tell which of this document's earlier chunks no longer exist.
	 */
	isShared?: true;
}

/**
 * A text that an input item refers to. The node returns the chunks of this text. If `position` is undefined, the object
 * represents all texts in a request.
 */
export interface AwaitedText extends EntryOrigin {
	position?: number | undefined;
	/** Set if the input item represents all texts in a request and this text is one of them. */
	isOneOfAll?: true;
	text?: string | undefined;
	pages?: Pages | undefined;
	/** Set if the text is one of several texts of a large document. `of` is the document's entry. */
	part?: { of: TextEntry; index: number; total: number };
	settings?: ChunkSettings;
	source?: IDataObject | undefined;
	document?: SourceDocument | undefined;
}

export interface TextEntry extends AwaitedText {
	text: string;
	settings: ChunkSettings;
	/** A key that is the same for equal settings. Texts with the same key can share a request. */
	group: string;
	/** The further texts of a document that is too large for one text. */
	following?: PagedText[];
}

/** Returns the texts to submit for an entry. Most entries have only one. */
export function textsOf(entry: TextEntry): TextEntry[] {
	const { following = [], ...first } = entry;
	if (following.length === 0) return [entry];
	const texts = [first, ...following.map((text) => ({ ...first, ...text, record: undefined }))];
	return texts.map((text, index) => ({
		...text,
		part: { of: entry, index, total: texts.length },
	}));
}

/**
 * Converts a value to text that can be sent in a request.
 *
 * @param what subject of the error message
 * @param advice advice for an invalid value
 * @returns the text, and further texts if the value is a list of pages that is too large for one text
 * @throws InputError if the value is neither text nor a list of pages, or is too large
 */
export function usableText(
	value: unknown,
	what: string,
	{ options: { bytesPerRequest: maxBytes }, done }: Pick<ChunkTask, 'options' | 'done'>,
	advice = POINT_TO_TEXT,
): Pick<TextEntry, 'text' | 'pages' | 'following'> {
	if (typeof value === 'boolean' || Number.isFinite(value)) return { text: String(value) };
	if (Array.isArray(value) && value.length > 0) {
		// Only a task that waits for the chunks can join the chunks of a document that was cut.
		const maxPart = done === 'chunked' ? maxBytes : Infinity;
		const [first, ...following] = joinPages(value, what, maxPart);
		if (first && following.length > 0) return { ...first, following };
		if (first) return { ...first, text: withinLimit(first.text, what, maxBytes) };
	}
	const text = isoDate(value) ?? value;
	if (typeof text === 'string' && text !== '') return { text: withinLimit(text, what, maxBytes) };
	const isEmpty = isNullOrEmptyText(value) || Array.isArray(value);
	throw new InputError(
		`${what} ${isEmpty ? 'is empty' : 'must be a string or a list of pages'}`,
		advice,
	);
}

function withinLimit(text: string, what: string, maxBytes: number): string {
	const bytes = Buffer.byteLength(text);
	if (bytes > maxBytes) throw textTooLarge(what, bytes, maxBytes);
	return text;
}

export const POINT_TO_TEXT = 'Drag the field with the text to chunk here, or enter the text.';

/** Returns the error for a text that is too large for any request. */
export const textTooLarge = (what: string, bytes: number, maxBytes: number): InputError =>
	new InputError(
		`${what} has ${figure(bytes)} bytes, more than the ${figure(maxBytes)} that 'Bytes per Request' allows`,
		"Split the text before this node, or increase 'Bytes per Request' if the service accepts more.",
		{
			commonMessage: `${what} has more bytes than the ${figure(maxBytes)} that 'Bytes per Request' allows`,
		},
	);
