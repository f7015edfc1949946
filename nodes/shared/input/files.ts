import type { IBinaryData } from 'n8n-workflow';

import type { Bytes } from '../formats/bytes';
import { textOf, type TextOptions } from '../formats/text';
import { InputError } from '../service/input-error';
import { isRecord } from '../service/json';
import { quoted } from '../service/strings';
import type { Run } from '../run/run';
import { fileProperty } from './file-properties';

/** JSON field in which n8n keeps files if the workflow's binary mode is `combined`. */
export const FILES_IN_JSON = '_files';

/** Number of bytes to read from n8n's storage at a time. Fewer but larger reads take n8n less time. */
const READ_BYTES = 256 * 1024;

export interface InputFile {
	/** The file's name, or the name of its binary field if the file has no name. */
	name: string;
	isNamed: boolean;
	mimeType: string;
	/**
	 * Opens the file, which n8n stores either outside the item or as base64 inside the item.
	 *
	 * @returns the text in pieces (see `textOf`). Reading fails when the run ends. The caller must close the file, even
	 *   after reading it to the end
	 */
	open(options: TextOptions): Promise<{ text: AsyncIterable<string>; close(): void }>;
}

/**
 * Finds a file in an input item without reading the file.
 *
 * @param location name of the binary field, or the file itself if an expression returned it (`Parameters.file`)
 * @throws InputError if the item has no such file
 */
export function inputFile(run: Run, itemIndex: number, location: string | IBinaryData): InputFile {
	const binary = typeof location === 'string' ? fileIn(run, itemIndex, location) : location;
	return {
		name: binary.fileName || (typeof location === 'string' ? location : 'file'),
		isNamed: Boolean(binary.fileName),
		mimeType: binary.mimeType,
		open: async (options) => await openBinary(run, binary, options),
	};
}

async function openBinary(
	run: Run,
	{ id, data }: IBinaryData,
	options: TextOptions,
): ReturnType<InputFile['open']> {
	const yieldToOthers = async () => {
		await run.yieldToOthers();
		if (run.ended) throw run.ended.reason;
	};
	if (id === undefined)
		return { text: textOf(decodeBase64(data), yieldToOthers, options), close: () => undefined };
	const stream = await run.context.helpers.getBinaryStream(id, READ_BYTES);
	const close = () => void stream.destroy();
	// When the run ends, the stream is closed to make reading fail. Otherwise, the run would wait for storage that has
	// stalled.
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

/** Returns an item's files by field, including the files that n8n keeps in the JSON. */
function filesIn(run: Run, itemIndex: number): Record<string, unknown> {
	const { binary = {}, json = {} } = run.items[itemIndex] ?? {};
	const inJson = json[FILES_IN_JSON];
	if (inJson === undefined) return binary;
	return { ...(isRecord(inJson) ? inJson : {}), ...binary };
}

/** Returns the names of the fields that contain an item's files. */
export const fileFieldsOf = (run: Run, itemIndex: number): string[] =>
	Object.entries(filesIn(run, itemIndex)).flatMap(([name, file]) => (isFile(file) ? name : []));

export function isFile(value: unknown): value is IBinaryData {
	return isRecord(value) && 'mimeType' in value && ('data' in value || 'id' in value);
}

const fieldName = (field: string): string =>
	field.startsWith(`${FILES_IN_JSON}.`) ? field.slice(FILES_IN_JSON.length + 1) : field;

export const hasFile = (run: Run, itemIndex: number, field: string): boolean =>
	findFile(filesIn(run, itemIndex), fieldName(field)) !== undefined;

function findFile(files: Record<string, unknown>, name: string): IBinaryData | undefined {
	const file = Object.hasOwn(files, name) ? files[name] : undefined;
	return isFile(file) ? file : undefined;
}

function fileIn(run: Run, itemIndex: number, field: string): IBinaryData {
	const files = filesIn(run, itemIndex);
	const name = fieldName(field);
	const found = findFile(files, name);
	if (found) return found;
	// An earlier node can output files with failed records. The advice does not list these files, because nobody would
	// choose them as the input of this node.
	const names = Object.keys(files).filter((other) => !FAILED_RECORDS_FIELD.test(other));
	throw new InputError(
		`The item has no file in the field ${quoted(name)}`,
		names.length === 0
			? `Connect a node that outputs a file, such as 'Read/Write Files from Disk', or HTTP Request with 'Response Format' set to 'File'. If the data is in the items themselves, do not choose a file as their source.`
			: `Its files are in: ${names.map(quoted).join(', ')}. Enter one of these as '${fileProperty.displayName}'.`,
	);
}

const FAILED_RECORDS_FIELD = /^(?:failed|unreadable|responses)\d*$/;

/**
 * Decodes a file that is stored in the item itself, for example by a Code node. The file is decoded in
 * slices, because decoding it in one step would block n8n and keep the whole file in memory. The base64 text
 * may contain line breaks.
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
