import type { IBinaryData, IDataObject } from 'n8n-workflow';

import type { Bytes } from '../../records/bytes';
import { InputError } from '../../service/input-error';
import { quoted } from '../../service/wording';
import { isRecord } from '../../service/json';
import type { Run } from '../run/run';

/** Where n8n keeps files if the workflow's binary mode is `combined`. */
const FILES_IN_JSON = '_files';

/** Characters of base64 that are decoded at a time. */
const BASE64_SLICE_CHARACTERS = 64 * 1024;

/** Bytes read from n8n's storage at a time: fewer, larger reads take less of n8n's time. */
const READ_BYTES = 256 * 1024;

/** A file of an input item. */
export interface InputFile {
	/** Its name, or that of its field. */
	name: string;
	mimeType: string;
	/** Opens it: n8n keeps it outside the item, or as base64 in it. */
	open(): Promise<OpenFile>;
}

/** An open file, to be closed whether it was read to its end or not. */
interface OpenFile {
	bytes: Bytes;
	close(): void;
}

/**
 * A file of an input item. Nothing is read yet.
 *
 * @param where the name of its field or, from an expression, the file itself (`Parameters.file`)
 * @param label of the parameter that says where
 * @throws InputError if the item has no such file
 */
export function inputFile(
	run: Run,
	itemIndex: number,
	where: string | IBinaryData,
	label: string,
): InputFile {
	const binary = typeof where === 'string' ? fileIn(run, itemIndex, where, label) : where;
	return {
		name: binary.fileName ?? (typeof where === 'string' ? where : 'file'),
		mimeType: binary.mimeType,
		open: async () => await opened(run, binary),
	};
}

async function opened(run: Run, { id, data }: IBinaryData): Promise<OpenFile> {
	if (id === undefined) return { bytes: decoded(data), close: () => undefined };
	const stream = await run.context.helpers.getBinaryStream(id, READ_BYTES);
	const close = () => void stream.destroy();
	// Storage that stalls must not hold up a run that has ended: reading fails then.
	const stopListening = run.onEnd(close);
	if (run.ended) close();
	return {
		bytes: stream as Bytes,
		close: () => {
			stopListening();
			close();
		},
	};
}

/** The JSON of an item without the files that n8n keeps in it. */
export function withoutFiles(json: IDataObject): IDataObject {
	const files = json[FILES_IN_JSON];
	if (!isRecord(files) || !Object.values(files).every(isFile)) return json;
	const others = { ...json };
	delete others[FILES_IN_JSON];
	return others;
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

function fileIn(run: Run, itemIndex: number, field: string, label: string): IBinaryData {
	const files = filesIn(run, itemIndex);
	const name = fieldName(field);
	const found = Object.hasOwn(files, name) ? files[name] : undefined;
	if (isFile(found)) return found;
	// Nobody means the files of failed records that our nodes return.
	const names = Object.keys(files).filter((other) => !BESIDES.test(other));
	throw new InputError(
		`The item has no file in the field ${quoted(name)}`,
		names.length === 0
			? `Connect a node that outputs a file, such as 'Read/Write Files from Disk', or HTTP Request with 'Response Format' set to 'File'.`
			: `Its files are in: ${names.map(quoted).join(', ')}. Enter one of these as '${label}'.`,
	);
}

/** Fields of files with failed records, records that cannot be parsed, or responses. */
const BESIDES = /^(?:failed|unreadable|responses)\d*$/;

/** Whether a value is a file as n8n describes it. */
function isFile(value: unknown): value is IBinaryData {
	return isRecord(value) && 'mimeType' in value && ('data' in value || 'id' in value);
}

/** Decodes base64 slice by slice, so that the file is not held twice. */
async function* decoded(base64: string): AsyncGenerator<Uint8Array> {
	let rest = '';
	for (let from = 0; from < base64.length; from += BASE64_SLICE_CHARACTERS) {
		const slice = base64.slice(from, from + BASE64_SLICE_CHARACTERS);
		const bytes = Buffer.from(slice, 'base64');
		// If all characters count, as in what n8n stores, the slice is whole bytes.
		if (rest === '' && bytes.length === (slice.length / 4) * 3) {
			yield bytes;
			continue;
		}
		// Base64 may have line breaks, and only four characters are whole bytes.
		const text = rest + slice.replace(/\s+/g, '');
		const whole = text.length - (text.length % 4);
		rest = text.slice(whole);
		yield Buffer.from(text.slice(0, whole), 'base64');
	}
	if (rest !== '') yield Buffer.from(rest, 'base64');
}
