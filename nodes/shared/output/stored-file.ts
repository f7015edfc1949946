import type { IBinaryData } from 'n8n-workflow';

import { InputError, messageOf } from '../service/input-error';
import type { Run } from '../run/run';

const STORAGE_ADVICE = 'Check the storage where n8n keeps files, for example its free space.';

/**
 * Stores a file for an output item. If n8n cannot store the file, the file's content is put into the item instead. The
 * run then ends, because storing another file would fail too.
 */
export async function storeFile(
	run: Run,
	buffer: Buffer,
	fileName: string,
	mimeType: string,
): Promise<IBinaryData> {
	try {
		return await run.context.helpers.prepareBinaryData(buffer, fileName, mimeType);
	} catch (error) {
		const message = `n8n could not store the file '${fileName}': ${messageOf(error)}`;
		run.stop(new InputError(message, STORAGE_ADVICE));
		return { data: buffer.toString('base64'), mimeType, fileName };
	}
}

/**
 * Returns a file's name without its folder and extension, for example `documents` for
 * `exports/documents.jsonl.gz`.
 */
export function stemOf(name: string): string {
	const last = name.split(/[\\/]/).at(-1) ?? '';
	return last.replace(/\.gz$/i, '').replace(/(?<=.)\.[^.]*$/, '') || 'records';
}
