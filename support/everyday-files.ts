import { gzipSync } from 'node:zlib';

import type { IDataObject, INodeExecutionData, INodeParameters } from 'n8n-workflow';

import { DeleteDocument } from '../nodes/DeleteDocument/DeleteDocument.node';
import { PushDocuments } from '../nodes/PushDocuments/PushDocuments.node';
import { DEMO } from '../sandbox';
import { useFiles } from './binary-data';
import { useChunkText } from './chunking';
import type { RunResult } from './engine';
import { CONTINUE, hintsOf, jsonOf, nodeRunner } from './sandbox';

export interface PushedFile {
	json: IDataObject;
	failures: string[];
	/** All hints, except those that only say how many records failed. */
	hints: string[];
	documents: Array<Record<string, unknown>>;
}

/** Sets up a sandbox and the three nodes that read files, for all tests in a file. */
export function useEverydayFiles() {
	const files = useFiles();
	const { sandbox, chunk, credentials } = useChunkText({ vectorSize: 3 });
	const runPush = nodeRunner(new PushDocuments(), credentials, { documentSource: 'file' });
	const runDelete = nodeRunner(new DeleteDocument(), credentials, { idSource: 'file' });
	/** @param extension '' for a plain file, or `.gz` for a compressed file */
	const item = async (
		content: string | Buffer,
		name: string,
		extension = '',
	): Promise<INodeExecutionData> =>
		await files.item(
			extension === '' ? content : gzipSync(content),
			name + extension,
			'text/plain',
		);
	const push = async (
		content: string | Buffer,
		name = 'd.csv',
		parameters: INodeParameters = {},
		extension = '',
	): Promise<PushedFile> => {
		const result = await runPush([await item(content, name, extension)], parameters, CONTINUE);
		return { ...outcomeOf(result), documents: sandbox().documents(DEMO.endpoint) };
	};
	return { files, sandbox, chunk, runPush, runDelete, item, push };
}

function outcomeOf(result: RunResult): Omit<PushedFile, 'documents'> {
	const [json = {}] = jsonOf(result.output);
	const failures = (json.failures as IDataObject[] | undefined) ?? (json.error ? [json] : []);
	return {
		json,
		failures: failures.map(({ error }) => String(error)),
		hints: hintsOf(result)
			.filter((hint) => !/^\d+ records? of .* failed/.test(hint))
			.map((hint) => hint.replaceAll('.gz', '')),
	};
}

export const idsOf = (documents: Array<Record<string, unknown>>): unknown[] =>
	documents.map(({ id }) => id);

/** Builds a file from parts. Each part is a string or a list of bytes. Strings are encoded as UTF-8. */
export const bytes = (...parts: Array<string | number[]>): Buffer =>
	Buffer.concat(parts.map((part) => Buffer.from(part as string)));
