import type { IDataObject } from 'n8n-workflow';

import type { EntryOrigin } from '../../shared/output/sink';
import type { ChunkSettings } from '../../shared/service/chunking/chunking';
import { InputError } from '../../shared/service/input-error';
import { isNullOrEmptyText } from '../../shared/service/json';
import { figure } from '../../shared/service/strings';

/** Set only if the node returns documents. */
export interface SourceDocument {
	id: string;
	/** Contains `name`. Also contains `description` and `url` if the document has them. */
	fields: IDataObject;
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
	source?: IDataObject | undefined;
	document?: SourceDocument | undefined;
}

export interface TextEntry extends AwaitedText {
	text: string;
	settings: ChunkSettings;
	/** A key that is the same for equal settings. Texts with the same key can share a request. */
	group: string;
}

/**
 * Converts a value to text that can be sent in a request.
 *
 * @param what subject of the error message
 * @param advice advice for an invalid value
 * @throws InputError if the value is not text or is too large
 */
export function usableText(
	value: unknown,
	what: string,
	maxBytes: number,
	advice = POINT_TO_TEXT,
): string {
	if (typeof value === 'boolean' || Number.isFinite(value)) return String(value);
	if (typeof value === 'string' && value !== '') {
		const bytes = Buffer.byteLength(value);
		if (bytes > maxBytes) throw textTooLarge(what, bytes, maxBytes);
		return value;
	}
	throw new InputError(
		`${what} ${isNullOrEmptyText(value) ? 'is empty' : 'must be a string'}`,
		advice,
	);
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
