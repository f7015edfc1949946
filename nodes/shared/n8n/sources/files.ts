import type { IBinaryData, IDataObject } from 'n8n-workflow';

import type { Bytes } from '../../records/bytes';
import { textOf, type TextOptions } from '../../records/text';
import { InputError } from '../../service/input-error';
import { quoted } from '../../service/outcome-messages';
import { isNullOrEmptyText, isRecord } from '../../service/json';
import type { Run } from '../run/run';
import { fileProperty } from './file-properties';

/** Where n8n keeps files if the workflow's binary mode is `combined`. */
const FILES_IN_JSON = '_files';

const BYTE_ORDER_MARK = '\uFEFF';

/** Bytes read from n8n's storage at a time: fewer, larger reads take less of n8n's time. */
const READ_BYTES = 256 * 1024;

/** A file of an input item. */
export interface InputFile {
	/** Its name, or that of its field. */
	name: string;
	/** Whether it has a name of its own. */
	isNamed: boolean;
	mimeType: string;
	/** Opens it: n8n keeps it outside the item, or as base64 in it. */
	open(options: TextOptions): Promise<OpenFile>;
}

/** An open file, to be closed whether it was read to its end or not. */
interface OpenFile {
	/** See `textOf`. It ends with the run, whatever reads it. */
	text: AsyncIterable<string>;
	close(): void;
}

/**
 * A file of an input item. Nothing is read yet.
 *
 * @param location the name of its field or, from an expression, the file itself (`Parameters.file`)
 * @throws InputError if the item has no such file
 */
export function inputFile(run: Run, itemIndex: number, location: string | IBinaryData): InputFile {
	const binary = typeof location === 'string' ? fileIn(run, itemIndex, location) : location;
	return {
		name: binary.fileName || (typeof location === 'string' ? location : 'file'),
		isNamed: !isNullOrEmptyText(binary.fileName),
		mimeType: binary.mimeType,
		open: async (options) => await openBinary(run, binary, options),
	};
}

async function openBinary(
	run: Run,
	{ id, data }: IBinaryData,
	options: TextOptions,
): Promise<OpenFile> {
	const yieldToOthers = async () => {
		await run.yieldToOthers();
		if (run.ended) throw run.ended.reason;
	};
	if (id === undefined)
		return { text: textOf(decodeBase64(data), yieldToOthers, options), close: () => undefined };
	const stream = await run.context.helpers.getBinaryStream(id, READ_BYTES);
	const close = () => void stream.destroy();
	// Storage that stalls must not hold up a run that has ended: reading fails then.
	const stopListening = run.onEnd(close);
	if (run.ended) close();
	return {
		text: textOf(stream as Bytes, yieldToOthers, options),
		close: () => {
			stopListening();
			close();
		},
	};
}

/** The fields of an item, as `ownFields` returns them. */
export const fieldsOfItem = ({ items }: Run, itemIndex: number): IDataObject =>
	dataFields(items[itemIndex]?.json ?? {});

/**
 * The fields of an item's JSON, without the files that n8n may keep among them, and without the byte order
 * mark that n8n's Extract from File leaves in the name of the first column.
 */
export function dataFields(json: IDataObject): IDataObject {
	const first = firstName(json);
	const isMarked = first.startsWith(BYTE_ORDER_MARK);
	const files = json[FILES_IN_JSON];
	const hasFiles = files !== undefined && isRecord(files) && Object.values(files).every(isFile);
	if (!isMarked && !hasFiles) return json;
	const { [first]: marked, ...others } = json;
	const fields: IDataObject = isMarked ? { [first.slice(1)]: marked, ...others } : { ...json };
	if (hasFiles) delete fields[FILES_IN_JSON];
	return fields;
}

/** The name of the first field, which nearly all items of a run are asked for. */
function firstName(json: IDataObject): string {
	for (const name in json) return name;
	return '';
}

/** The files of an item by their fields, also where n8n keeps them in the JSON. */
function filesIn(run: Run, itemIndex: number): Record<string, unknown> {
	const { binary = {}, json = {} } = run.items[itemIndex] ?? {};
	const inJson = json[FILES_IN_JSON];
	return { ...(isRecord(inJson) ? inJson : {}), ...binary };
}

const fieldName = (field: string): string =>
	field.startsWith(`${FILES_IN_JSON}.`) ? field.slice(FILES_IN_JSON.length + 1) : field;

/** Names of the fields in which an item has files. */
export const fileFieldsOf = (run: Run, itemIndex: number): string[] =>
	Object.entries(filesIn(run, itemIndex)).flatMap(([name, file]) => (isFile(file) ? name : []));

/** Whether an item has a file in this field. */
export const hasFile = (run: Run, itemIndex: number, field: string): boolean =>
	fileFieldsOf(run, itemIndex).includes(fieldName(field));

function fileIn(run: Run, itemIndex: number, field: string): IBinaryData {
	const files = filesIn(run, itemIndex);
	const name = fieldName(field);
	const found = Object.hasOwn(files, name) ? files[name] : undefined;
	if (isFile(found)) return found;
	// Nobody means the files of failed records that our nodes return.
	const names = Object.keys(files).filter((other) => !FAILED_RECORDS_FIELD.test(other));
	throw new InputError(
		`The item has no file in the field ${quoted(name)}`,
		names.length === 0
			? `Connect a node that outputs a file, such as 'Read/Write Files from Disk', or HTTP Request with 'Response Format' set to 'File'.`
			: `Its files are in: ${names.map(quoted).join(', ')}. Enter one of these as '${fileProperty.displayName}'.`,
	);
}

/** Fields of files with failed records, records that cannot be parsed, or responses. */
const FAILED_RECORDS_FIELD = /^(?:failed|unreadable|responses)\d*$/;

/** Whether a value is a file as n8n describes it. */
function isFile(value: unknown): value is IBinaryData {
	return isRecord(value) && 'mimeType' in value && ('data' in value || 'id' in value);
}

/**
 * A file that an item has itself, such as one that a Code node made. It is decoded in slices, since a
 * whole file at once blocks n8n and keeps that memory until all of it is read. Base64 may have line breaks.
 */
async function* decodeBase64(base64: string): AsyncGenerator<Uint8Array> {
	let rest = '';
	for (let from = 0; from < base64.length; from += READ_BYTES) {
		const slice = base64.slice(from, from + READ_BYTES);
		const characters = rest + (slice.includes('\n') ? slice.replace(/\s/g, '') : slice);
		rest = characters.slice(characters.length - (characters.length % 4));
		yield Buffer.from(characters.slice(0, characters.length - rest.length), 'base64');
	}
	yield Buffer.from(rest, 'base64');
}
