import type { IDataObject } from 'n8n-workflow';

import type { Run } from '../../shared/n8n/run/run';
import type { EntryOrigin } from '../../shared/n8n/sinks/sink';
import type { ChunkSettings } from '../../shared/service/chunking/chunking';
import { InputError } from '../../shared/service/input-error';
import { isNullOrEmptyText } from '../../shared/service/json';
import type { ChunkOptions, ChunkParameters } from '../parameters';
import { figure } from '../../shared/service/numbers';

/** What is returned for a text: chunks as documents of their own, plain chunks, or one item per document. */
export type OutputMode = 'documents' | 'chunks' | 'perDocument';

/** A run of Chunk Text with its parameters. */
export interface ChunkTask {
	run: Run;
	parameters: ChunkParameters;
	options: ChunkOptions;
	mode: OutputMode;
}

/** The document that a text belongs to, for outputs that are ready to push. */
export interface SourceDocument {
	id: string;
	/** `name` and, if given, `description` and `url`. */
	fields: IDataObject;
	/** How many chunks it had when it was last pushed. */
	previousChunkCount: number;
	/** Other items have the same ID, so that nobody knows which of its chunks are gone. */
	isShared?: true;
}

/** A text, or all texts of a request, whose chunks an input item is waiting for. */
export interface AwaitedText extends EntryOrigin {
	/** Position in its request; undefined stands for all texts of the request. */
	position?: number | undefined;
	/** The item stands for all texts of the request, and this is one of them. */
	isOneOfAll?: true;
	/** The text, if it is known. */
	text?: string | undefined;
	/** The record it comes from, if that is not the item. */
	source?: IDataObject | undefined;
	/** Its document, if that is wanted. */
	document?: SourceDocument | undefined;
}

/** A text to submit. */
export interface TextEntry extends AwaitedText {
	text: string;
	settings: ChunkSettings;
	/** The same for equal settings: such texts may share a request. */
	group: string;
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

/** The error of a text that no request can carry. */
export const textTooLarge = (what: string, bytes: number, maxBytes: number): InputError =>
	new InputError(
		`${what} has ${figure(bytes)} bytes, more than the ${figure(maxBytes)} that 'Bytes per Request' allows`,
		"Split the text before this node, or increase 'Bytes per Request' if the service accepts more.",
	);
