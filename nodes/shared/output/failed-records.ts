import type { IBinaryKeyData, IDataObject } from 'n8n-workflow';

import { FORMATS, type RecordFormat } from '../formats/format';
import { LINES, PartWriter, type Frame, type Part } from '../formats/part-writer';
import { detach, type SourceRecord } from '../formats/record';
import type { Failure } from '../run/results';
import type { Run } from '../run/run';
import { jsonInSteps } from '../run/slices';
import type { RecordFile } from './record-file';
import { storeFile, stemOf } from './stored-file';

/** The kinds of output files: failed records, records that cannot be parsed, and unusable responses. */
type Kind = 'failed' | 'unreadable' | 'responses';

interface PartFiles {
	writer: PartWriter;
	format: RecordFormat;
	/** Descriptions of the files: `{ field, fileName, records, bytes }`. */
	files: IDataObject[];
}

/**
 * Number of levels above a vector in the output: the entry, the response, the list of texts, the text, and the list of
 * vectors.
 */
const LEVELS_TO_VECTORS = 5;

/**
 * Writes a file's failed records to files of limited size. The records stay unchanged, and these files have the format
 * of the input file. The file's summary item contains these files in its binary fields `failed`, `failed2` and so on.
 * Records that cannot be parsed are written to separate files, so that the node can read the other failed records
 * again.
 */
export class FailedRecords {
	private readonly binary: IBinaryKeyData = {};
	private readonly kinds = new Map<Kind, PartFiles>();

	/**
	 * @param source input file. An output file has the same format. If the format is JSON, the records in an output
	 *   file are in a list at the same dotted path as in the input file
	 * @param maxBytes maximum size of an output file. A larger record gets its own file.
	 */
	constructor(
		private readonly run: Run,
		private readonly source: RecordFile,
		private readonly maxBytes: number,
	) {}

	async keep({ text, error }: SourceRecord): Promise<void> {
		await this.write(error ? 'unreadable' : 'failed', detach(text));
	}

	/**
	 * The service might not return the response again. The response may contain many vectors, so each vector is written
	 * in a separate step.
	 */
	async keepResponse({ record }: SourceRecord, { id, json }: Failure): Promise<void> {
		if (json?.response === undefined) return;
		const entry = { record, ...(id !== undefined && { id }), ...json };
		const yieldToOthers = () => this.run.yieldToOthers();
		await this.write('responses', await jsonInSteps(entry, LEVELS_TO_VECTORS, yieldToOthers));
	}

	/**
	 * Stores the files that are not full yet. This function is called after all records have been added.
	 *
	 * @returns all files, and the summary fields that describe each file: `{ field, fileName, records, bytes,
	 *   unreadable? }`
	 */
	async close(): Promise<{ binary: IBinaryKeyData; json: IDataObject }> {
		for (const [kind, files] of this.kinds) await this.save(kind, files, files.writer.end());
		return { binary: this.binary, json: this.json() };
	}

	private json(): IDataObject {
		const of = (kind: Kind) => this.kinds.get(kind)?.files ?? [];
		const unreadable = of('unreadable').map((file) => ({ ...file, unreadable: true }));
		const deadLetters = [...of('failed'), ...unreadable];
		const responses = of('responses');
		return {
			...(deadLetters.length > 0 && { deadLetters }),
			...(responses.length > 0 && { responses }),
		};
	}

	private async write(kind: Kind, text: string): Promise<void> {
		const files = this.kinds.get(kind) ?? this.begin(kind);
		this.kinds.set(kind, files);
		await this.save(kind, files, files.writer.add(text));
	}

	private begin(kind: Kind): PartFiles {
		const areResponses = kind === 'responses';
		const writer = new PartWriter(this.maxBytes, areResponses ? LINES : this.frame());
		return { writer, format: areResponses ? 'jsonLines' : this.source.format, files: [] };
	}

	private async save(
		kind: Kind,
		{ files, format }: PartFiles,
		part: Part | undefined,
	): Promise<void> {
		if (part === undefined) return;
		const { extensions, mimeTypes } = FORMATS[format];
		const field = files.length === 0 ? kind : `${kind}${files.length + 1}`;
		const fileName = `${stemOf(this.source.name)}.${field}.${extensions[0]}`;
		const { buffer, records } = part;
		// The file is listed before n8n stores it. Otherwise, the next file might be listed before this one.
		files.push({ field, fileName, records, bytes: buffer.length });
		const mimeType = mimeTypes[0] ?? 'text/plain';
		this.binary[field] = await storeFile(this.run, buffer, fileName, mimeType);
	}

	private frame(): Frame {
		if (FORMATS[this.source.format].isList) return listAt(this.source.path);
		const { header } = this.source.reader;
		return header === undefined ? LINES : { ...LINES, before: `${header}\n` };
	}
}

/**
 * Returns the JSON text before, between and after the records of a file. The records are in a list at the given dotted
 * path. An empty path means that the whole file is the list.
 */
function listAt(path: string): Frame {
	const names = path === '' ? [] : path.split('.');
	const opening = names.map((name) => `{${JSON.stringify(name)}:`).join('');
	return { before: `${opening}[\n`, between: ',\n', after: `\n]${'}'.repeat(names.length)}\n` };
}
