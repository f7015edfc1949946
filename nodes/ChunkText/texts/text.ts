import type { IDataObject } from 'n8n-workflow';

import { figure } from '../../shared/n8n/run/hints';
import { itemOf, type Placed } from '../../shared/n8n/sinks/sink';
import type { Session } from '../../shared/n8n/session/session';
import type { ChunkSettings } from '../../shared/service/chunking/chunking';
import { InputError } from '../../shared/service/input-error';
import { isEmpty } from '../../shared/service/json';

/** The document that a text belongs to, for outputs that are ready to push. */
export interface SourceDocument {
	id: string;
	/** `name` and, if given, `description` and `url`. */
	fields: IDataObject;
	/** How many chunks it had when it was last pushed. */
	previousChunkCount: number;
	/** Other items have the same ID, so that nobody knows which of its chunks are gone. */
	isShared?: true;
	/** Its text is empty: it has no chunks. Only with one item per document. */
	isEmpty?: true;
}

/** A request that failed, of which the service may have returned something nobody could use. */
export interface FailedRequest {
	readonly chunkingId: string;
	readonly session: Session;
	readonly response: unknown;
}

/** A text, or several, whose chunks an input item is waiting for. */
export interface TextRef extends Placed {
	/** Position in its request; undefined stands for all texts of the request. */
	position?: number;
	/** The text, if it is known. */
	text?: string;
	/** The record it comes from, if that is not the item. */
	source?: IDataObject;
	/** Its document, if that is wanted. */
	document?: SourceDocument;
	/** Of the whole record it comes from, in UTF-8. */
	bytes?: number;
	/** Its place among all texts of the run, from 0, for output in their order. */
	place?: number;
	/** Requests of earlier tries of the node that it was in: it is submitted again. */
	failedBefore?: readonly FailedRequest[];
}

/** Gives each text its place: the order of the items, and of the texts of an item. */
export function placeInOrder(refs: TextRef[]): void {
	const sorted = [...refs].sort(
		(one, other) => itemOf(one) - itemOf(other) || (one.index ?? 0) - (other.index ?? 0),
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

/** The fields of a text, and the memory they take; none if it has none. */
export function withFields(fields: IDataObject): Pick<TextEntry, 'fields' | 'besides'> {
	const isEmpty = Object.keys(fields).length === 0;
	return isEmpty ? {} : { fields, besides: Buffer.byteLength(JSON.stringify(fields)) };
}

/**
 * A text that a request can carry.
 *
 * @param what it is called in messages
 * @param advice what to do about something else
 * @throws InputError for anything else
 */
export function usableText(
	value: unknown,
	what: string,
	maxBytes: number,
	advice = 'Point it to the field with the text to chunk.',
): string {
	if (typeof value === 'boolean' || Number.isFinite(value)) return String(value);
	if (typeof value === 'string' && value !== '') {
		const bytes = Buffer.byteLength(value);
		if (bytes > maxBytes) throw textTooLarge(what, bytes, maxBytes);
		return value;
	}
	const is = isEmpty(value) ? 'empty' : 'not text';
	throw new InputError(`${what} is ${is}`, advice);
}

/** The error of a text that no request can carry. */
export const textTooLarge = (what: string, bytes: number, maxBytes: number): InputError =>
	new InputError(
		`${what} has ${figure(bytes)} bytes, more than the ${figure(maxBytes)} a request may have`,
		"Split the text before this node, or raise the option 'Bytes per Request' if the service accepts more.",
	);
