import { print, table, whole } from '../lib/table';
import { throughFiles } from './chunk';
import { corpusFile, documentsFile } from './data-files';
import { warmServer } from './push';
import type { FileMode } from './server';
import type { Stage } from './stage';
import { checkDocuments, COLUMNS, mb, rowOf } from './stage';
import { getFile, push } from './workflows';

/** On disk, where files are read in pieces; in the database and in the item, where they are not. */
const MODES: FileMode[] = ['filesystem', 'database', 'default'];

/** Texts become about five times as many bytes of chunks. */
const TEXTS_SHARE = 0.2;

/** Large files in every place where n8n can keep them. */
export async function benchModes(stage: Stage): Promise<void> {
	const { ai, folder, options, server, stub } = stage;
	const documents = await documentsFile(folder, options.modeMegabytes * 1000, 'jsonl');
	const corpus = await corpusFile(folder, options.modeMegabytes * TEXTS_SHARE, 'jsonl');
	const rows = [];
	for (const mode of MODES) {
		await warmServer(stage, mode);
		const pushing = `${options.modeMegabytes} MB of documents, ${mode}`;
		const pushed = await server.measure(pushing, [
			getFile(`${stub.files}/${documents}`),
			push({ documentSource: 'file' }),
		]);
		rows.push([pushing, mb((await stub.stats()).bytes), ...rowOf(pushed, ['Push Documents'])]);
		await checkDocuments(stage, pushing, options.modeMegabytes * 1000);

		await warmServer(stage, mode);
		await ai.reset();
		const chunking = `${whole(corpus.chunks)} chunks through files, ${mode}`;
		const chunked = await server.measure(
			chunking,
			throughFiles(`${stub.files}/${corpus.file}`),
		);
		rows.push([
			chunking,
			mb((await stub.stats()).bytes),
			...rowOf(chunked, ['Chunk Text', 'Push Documents']),
		]);
		await checkDocuments(stage, chunking, corpus.chunks);
	}
	print('', '### Where n8n keeps files', '', table(['', 'pushed', ...COLUMNS], rows));
}
