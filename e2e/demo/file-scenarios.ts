import path from 'node:path';

import { failOnBadFiles, storeFile } from './csv-scenarios';
import { SAMPLE_FILES } from './sample-files';
import type { Execution } from '../n8n/execution';
import type { Stage } from './stage';

/** Pushes a file of documents. Records that cannot be pushed are stored as files, and they make the run fail. */
export async function bulkLoad(stage: Stage): Promise<void> {
	const example = 'bulk-load-a-file';
	const execution = await stage.tryByHand(example);
	failsWith(stage, example, execution, '5 of 1000 records failed. The first failure: ');
	const [summary] = execution.items('Push Documents').map(({ json }) => json);
	const { records, pushed, failed } = summary ?? {};
	const indexed = stage.documents().filter(({ id }) => String(id).startsWith('bulk/'));
	stage.checks.add(
		'Every record of the file is pushed or failed',
		records === 1000 && pushed === 995 && failed === 5,
		`${String(pushed)} pushed, ${String(failed)} failed`,
	);
	stage.checks.add(
		'Every pushed record is in the index',
		indexed.length === 995,
		`${indexed.length}`,
	);
	const lines = await linesOf(stage, ['documents.failed.jsonl', 'documents.unreadable.jsonl']);
	stage.checks.add(
		'The failed records are stored, those that are no JSON by themselves',
		lines === '2,3',
		lines,
	);
	await failOnBadFiles(stage, example, 'Get File');
	const url = await storeFile(stage, 'good.jsonl', '{"id":"bulk/good","name":"Good"}\n');
	await stage.runWith(example, { 'Get File': { parameters: { url } } });
}

function failsWith(stage: Stage, example: string, execution: Execution, why: string): void {
	const { status, message = '' } = execution;
	stage.checks.add(
		`${example}: what failed fails the run, which says why`,
		status === 'error' && message.includes(why),
		`${status}: ${message}`,
	);
}

/**
 * Pushes a file in small rounds. Some records fail in every round except the first. In another run, the service
 * rejects everything.
 */
export async function pushInRounds(stage: Stage): Promise<void> {
	const example = 'push-a-large-file-with-progress';
	const options = { skipRecords: '={{ $json.records ?? 0 }}', maxRecords: 190 };
	const inRounds = { 'Push Documents': { parameters: { options } } };
	const execution = await stage.tryWith(example, inRounds);
	failsWith(stage, example, execution, 'Records failed, and ');
	const rounds = execution.items('Push Documents').map(({ json }) => json);
	const seen = rounds.map(({ records, pushed }) => `${String(pushed)} to ${String(records)}`);
	stage.checks.add(
		'The file is pushed in six rounds, each from where the last one ended',
		seen.join() === '190 to 190,189 to 380,189 to 570,189 to 760,189 to 950,49 to 1000',
		seen.join(),
	);
	const kept = [190, 380, 570, 760, 950].map((skipped) => `after-${skipped}-documents`);
	const names = kept.flatMap((name) => [`${name}.failed.jsonl`, `${name}.unreadable.jsonl`]);
	const lines = await linesOf(stage, names);
	stage.checks.add(
		'The failed records of each round are stored',
		lines.split(',').reduce((sum, count) => sum + Math.max(0, Number(count)), 0) === 5,
		lines,
	);
	const { faults } = stage.demo.sandbox;
	// The latency lets the node read the whole file before the service rejects the request.
	faults.add({ route: 'push', status: 401, latencyMs: 500 });
	const { status, message = '', items } = await stage.tryByHand(example);
	faults.clear();
	const isEnded = status === 'error' && items('Push Documents').length === 1;
	stage.checks.add(
		'A round that did not get further is the last one and fails the run',
		isEnded && message.includes('401'),
		message,
	);
	await failOnBadFiles(stage, example, 'Get File');
	const good = [1, 2, 3].map((number) => `{"id":"bulk/good-${number}","name":"Good"}\n`).join('');
	const url = await storeFile(stage, 'good.jsonl', good);
	options.maxRecords = 2;
	await stage.runWith(example, { ...inRounds, 'Get File': { parameters: { url } } });
	const rows = 'id,name,price\nbulk/good-4,A\nbulk/good-5,B,1\nbulk/good-6,C,2\n';
	const short = { parameters: { url: await storeFile(stage, 'rounds.csv', rows) } };
	const warned = await stage.tryWith(example, { ...inRounds, 'Get File': short });
	failsWith(stage, example, warned, 'fewer cells');
	stage.checks.add(
		'A warning in the first round fails the run after the last round',
		stage.documents().some(({ id }) => id === 'bulk/good-6'),
	);
}

/** Turns a file of articles into chunk files and pushes them. Checks that no item contains a vector. */
export async function ingestCorpus(stage: Stage): Promise<void> {
	const { checks } = stage;
	const example = 'ingest-a-large-corpus';
	const execution = await stage.tryByHand(example);
	failsWith(stage, example, execution, '6 of 300 records failed. The first failure: ');
	const items = execution.items('Chunk Text').map(({ json }) => json);
	const parts = items.filter(({ part }) => part !== undefined);
	const summary = items.find(({ part }) => part === undefined);
	const { records, chunked, failed, chunks } = summary ?? {};
	checks.add(
		'Every article of the corpus is chunked or failed',
		records === 300 && chunked === 294 && failed === 6,
		`${String(chunked)} chunked, ${String(failed)} failed`,
	);
	const written = parts.reduce((sum, part) => sum + Number(part.records), 0);
	checks.add(
		'The chunks are in several files',
		parts.length > 1 && written === chunks,
		`${written} chunks in ${parts.length} files`,
	);
	checks.add('No item has a vector', !JSON.stringify(items).includes('"vector"'));
	const indexed = stage.documents().filter(({ id }) => String(id).startsWith('corpus/'));
	const vectors = indexed.filter(({ vector }) => Array.isArray(vector));
	checks.add(
		'All chunks are in the index, with their vectors',
		indexed.length === written && vectors.length === written,
		`${vectors.length} of ${indexed.length} have one`,
	);
	const lines = await linesOf(stage, ['corpus.failed.jsonl', 'corpus.unreadable.jsonl']);
	checks.add('The failed articles are stored', lines === '3,3', lines);
	await storeResponses(stage, example);
	await failOnBadFiles(stage, example, 'Get Corpus');
	const text = '{"id":"corpus/good","name":"Good","text":"Good."}\n';
	const url = await storeFile(stage, 'good-corpus.jsonl', text);
	await stage.runWith(example, { 'Get Corpus': { parameters: { url } } });
}

/** Checks that an unusable response is stored, because the service might not return it a second time. */
async function storeResponses(stage: Stage, example: string): Promise<void> {
	const { faults } = stage.demo.sandbox;
	const chunkedData = [{ error: 'model overloaded' }];
	const body = JSON.stringify({ status: 'READY', chunkedData });
	faults.add({ route: 'results', status: 200, body, times: 1 });
	const execution = await stage.tryByHand(example);
	faults.clear();
	const stored = await storedFile(stage, 'corpus.responses.jsonl');
	stage.checks.add(
		'Responses that could not be used are stored',
		execution.status === 'error' && stored.includes('model overloaded'),
		stored,
	);
}

/**
 * Reads the sample files from disk. Checks that the index contains all paragraphs, and that each paragraph has a
 * vector.
 */
export async function chunkTextFiles(stage: Stage): Promise<void> {
	await stage.runByHand('chunk-text-files');
	const documents = stage.documents();
	for (const [name, text] of Object.entries(SAMPLE_FILES)) {
		const chunks = documents.filter(({ parentId }) => parentId === name);
		const found = chunks
			.filter(({ vector }) => Array.isArray(vector))
			.map(({ text: chunk }) => String(chunk).trim());
		const paragraphs = text.trim().split('\n\n');
		stage.checks.add(
			`The paragraphs of ${name} are in the index, with their vectors`,
			paragraphs.every((paragraph) => found.includes(paragraph)) &&
				chunks.length === paragraphs.length,
			found.join(' | '),
		);
	}
	const fileSelector = path.join(stage.demo.files, 'no-such-folder', '*.{txt,TXT,md,MD}');
	const empty = { 'Read Files': { parameters: { fileSelector } } };
	const execution = await stage.tryWith('chunk-text-files', empty);
	failsWith(stage, 'chunk-text-files', execution, 'file');
	await pushExtracted(stage);
}

/**
 * Files in test/files that n8n's Extract from File can read. Each entry also contains the options and the resulting
 * document names.
 */
const EXTRACTED: Array<
	[file: string, extract: object, push: object, names: string, error?: string]
> = [
	[
		'excel-english.csv',
		{},
		{ idField: 'ID', nameField: 'Name' },
		'Apples, red|Café ☕',
		'a spreadsheet has shortened',
	],
	[
		'excel-german.csv',
		// Extract from File does not support Windows-1252, so quotation marks become control characters.
		{ options: { delimiter: ';', encoding: 'latin1' } },
		{ idField: 'Artikel-Nr', nameField: 'Bezeichnung' },
		'Äpfel \x84Elstar\x93|Birnen',
	],
	['excel-unicode.csv', { options: { delimiter: '\t', encoding: 'utf16le' } }, {}, 'Žluťoučký'],
	['jira.csv', {}, { idField: 'Issue key', nameField: 'Summary' }, 'Login fails|Slow search'],
	[
		'jq-list.json',
		{ operation: 'fromJson' },
		{ documentSource: 'json', documentJson: '={{ $json.data }}' },
		'Number é|Two',
	],
];

/** Uses n8n's Extract from File to convert files from other programs into items. Then pushes the items. */
async function pushExtracted(stage: Stage): Promise<void> {
	const { checks, demo } = stage;
	const { api } = demo.n8n;
	const ours = demo.workflows['getting-started'].nodes;
	const push = ours.find(({ type }) => type.endsWith('.pushDocuments'));
	for (const [file, extract, parameters, names, error] of EXTRACTED) {
		const fileSelector = path.join(demo.files, 'real', file);
		const steps: Array<[name: string, type: string, parameters: object]> = [
			['Start', 'n8n-nodes-base.manualTrigger', {}],
			['Read', 'n8n-nodes-base.readWriteFile', { fileSelector }],
			['Extract', 'n8n-nodes-base.extractFromFile', extract],
			['Push', push?.type ?? '', parameters],
		];
		const nodes = steps.map(([name, type, own], at) => ({
			...{ id: name, name, type, parameters: { ...own } },
			...{ typeVersion: 1, position: [220 * at, 0], onError: 'continueRegularOutput' },
			...(name === 'Push' && push && { credentials: push.credentials }),
		}));
		const connections = Object.fromEntries(
			steps
				.slice(1)
				.map(([node], at) => [
					steps[at][0],
					{ main: [[{ node, type: 'main', index: 0 }]] },
				]),
		);
		const { id } = await api.saveWorkflow({ name: `Extract ${file}`, nodes, connections });
		const execution = await api.runManually(id, 'Start');
		await api.deleteWorkflow(id);
		const results = execution.items('Push').map(({ json }) => json);
		const errors = results.flatMap((json) => json.error ?? []);
		const pushed = results.filter((json) => json.pushed).map((json) => json.id);
		const found = stage.documents().filter((one) => pushed.includes(one.id));
		checks.add(
			`What Extract from File makes of ${file} is pushed, blank rows are skipped`,
			found.map(({ name }) => name).join('|') === names &&
				errors.length === (error ? 1 : 0) &&
				String(errors).includes(error ?? '') &&
				!JSON.stringify(found).includes('\uFEFF'),
			`${JSON.stringify(found)}, ${errors.join()}`,
		);
	}
}

async function linesOf(stage: Stage, names: string[]): Promise<string> {
	const contents = names.map(async (name) => await storedFile(stage, name));
	return (await Promise.all(contents)).map((text) => text.split('\n').length - 1).join();
}

async function storedFile(stage: Stage, name: string): Promise<string> {
	const response = await fetch(`${stage.demo.sandbox.url}/files/${name}`);
	return response.ok ? await response.text() : '';
}
