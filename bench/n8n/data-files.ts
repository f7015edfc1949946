import { once } from 'node:events';
import { createWriteStream, type WriteStream } from 'node:fs';
import { join } from 'node:path';

import { makeDocuments } from '../lib/documents';

/** Documents made at a time. */
const SLICE = 1000;

/** A text has about so many characters, in lines that make a chunk each. */
const TEXT_CHARACTERS = 4000;
const LINE_CHARACTERS = 1000;

async function write(stream: WriteStream, text: string): Promise<void> {
	if (!stream.write(text)) await once(stream, 'drain');
}

async function writeFile(
	folder: string,
	name: string,
	work: (add: (text: string) => Promise<void>) => Promise<void>,
): Promise<string> {
	const file = join(folder, name);
	const stream = createWriteStream(file);
	await work(async (text) => await write(stream, text));
	stream.end();
	await once(stream, 'close');
	return name;
}

type Documents = ReturnType<typeof makeDocuments>;

/** How documents are written in a file: what it begins and ends with, and what is between them. */
const FORMATS: Record<
	'jsonl' | 'json' | 'csv',
	{ head: string; text: (document: Documents[number]) => string; between: string; tail: string }
> = {
	jsonl: { head: '', text: (document) => JSON.stringify(document), between: '\n', tail: '\n' },
	json: { head: '[', text: (document) => JSON.stringify(document), between: ',\n', tail: ']' },
	csv: {
		head: 'id,name,description,url,category,price,body\n',
		text: ({ id, name, description, url, category, price, body }) =>
			[id, name, description, url, category, price, body].map((cell) => `"${cell}"`).join(),
		between: '\n',
		tail: '\n',
	},
};

/** Writes a file of documents of 1 KB; returns its name. */
export async function documentsFile(
	folder: string,
	count: number,
	format: keyof typeof FORMATS,
): Promise<string> {
	const { head, text, between, tail } = FORMATS[format];
	return await writeFile(folder, `documents-${count}.${format}`, async (add) => {
		await add(head);
		for (let first = 0; first < count; first += SLICE) {
			const documents = makeDocuments(Math.min(SLICE, count - first), 1024, first);
			await add((first > 0 ? between : '') + documents.map(text).join(between));
		}
		await add(tail);
	});
}

/** A line that is a chunk, with words of its own. */
function lineOf(text: number, line: number): string {
	const start = `Line ${line} of text ${text} `;
	const words = `says what number ${text * 31 + line} has to say. `;
	return (start + words.repeat(LINE_CHARACTERS / words.length + 1)).slice(0, LINE_CHARACTERS - 1);
}

/** Texts of a corpus, each with ID and name. */
export interface Corpus {
	file: string;
	texts: number;
	/** Chunks that the service makes of all texts. */
	chunks: number;
}

/** Writes texts of that many bytes altogether, as JSON Lines or as a JSON list. */
export async function corpusFile(
	folder: string,
	megabytes: number,
	format: 'jsonl' | 'json',
): Promise<Corpus> {
	const { head, between, tail } = FORMATS[format];
	const lines = TEXT_CHARACTERS / LINE_CHARACTERS;
	const texts = Math.ceil((megabytes * 1_000_000) / TEXT_CHARACTERS);
	const file = await writeFile(folder, `texts-${megabytes}.${format}`, async (add) => {
		await add(head);
		for (let text = 0; text < texts; text++) {
			const content = Array.from({ length: lines }, (_, line) => lineOf(text, line));
			const record = {
				id: `text-${text}`,
				name: `Text ${text}`,
				description: `What text ${text} is about`,
				url: `https://example.com/texts/${text}`,
				text: content.join('\n'),
			};
			await add((text > 0 ? between : '') + JSON.stringify(record));
		}
		await add(tail);
	});
	return { file, texts, chunks: texts * lines };
}
