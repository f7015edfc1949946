import type { IBinaryKeyData, IDataObject } from 'n8n-workflow';

import { FORMATS, type RecordFile, type RecordFormat } from '../../records/format';
import { LINES, PartWriter, type Frame, type Part } from '../../records/part-writer';
import { detached, type SourceRecord } from '../../records/record';
import type { Failure } from '../run/results';
import type { Run } from '../run/run';
import { jsonInSteps } from '../run/slices';
import { storeFile, stemOf } from './stored-file';

/** Files of one kind: failed records, those that cannot be parsed, responses that could not be used. */
type Kind = 'failed' | 'unreadable' | 'responses';

/** Records in files of limited size. */
interface PartFiles {
	writer: PartWriter;
	format: RecordFormat;
	/** `{ field, fileName, records, bytes }` of each file. */
	files: IDataObject[];
}

/** Through the record, its response, a list in that, an entry and a list of vectors. */
const LEVELS_TO_VECTORS = 5;

/**
 * Writes the failed records of a file, unchanged, to files of limited size in the same format. The item of the file
 * returns these files in its binary fields `failed`, `failed2` and so on. Records that cannot be parsed go into files
 * of their own, so that the other files can be read again as they are.
 */
export class FailedRecords {
	/** The files, by their field. */
	readonly binary: IBinaryKeyData = {};
	private readonly kinds = new Map<Kind, PartFiles>();

	/**
	 * @param source of a JSON file: files of failed records have the list at the same place
	 * @param maxBytes of a file; a larger record gets a file of its own
	 */
	constructor(
		private readonly run: Run,
		private readonly source: RecordFile,
		private readonly maxBytes: number,
	) {}

	async keep({ text, error }: SourceRecord): Promise<void> {
		await this.write(error ? 'unreadable' : 'failed', detached(text));
	}

	/**
	 * Keeps the response that a failure has, if any: the service may not deliver it again. It may be large,
	 * so each vector is written in a step.
	 */
	async keepResponse({ record }: SourceRecord, { id, json }: Failure): Promise<void> {
		if (json?.response === undefined) return;
		const entry = { record, ...(id !== undefined && { id }), ...json };
		const yieldToOthers = () => this.run.yieldToOthers();
		await this.write('responses', await jsonInSteps(entry, LEVELS_TO_VECTORS, yieldToOthers));
	}

	/** All records have been added. */
	async close(): Promise<void> {
		for (const [kind, files] of this.kinds) await this.save(kind, files, files.writer.end());
	}

	/** Members of the summary: `{ field, fileName, records, bytes, unreadable? }` of each file. */
	json(): IDataObject {
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
		// Before n8n stores it: meanwhile another file may be complete.
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

/** A JSON file with a list at a dotted path; '' if the file is the list. */
function listAt(path: string): Frame {
	const names = path === '' ? [] : path.split('.');
	const opening = names.map((name) => `{${JSON.stringify(name)}:`).join('');
	return { before: `${opening}[\n`, between: ',\n', after: `\n]${'}'.repeat(names.length)}\n` };
}
