import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';

import type { Route } from '../context';
import { failure, queryValue, rawBody } from '../http';

/** Describes the records in a sample file. Record numbers start at 1. */
interface Sample {
	count: number;
	/** The number of records per group. In each group, one record omits the `required` field, and one is not JSON. */
	badEvery: number;
	record(number: number): Record<string, string>;
	required: string;
}

const SAMPLES: Readonly<Record<string, Sample>> = {
	'documents.jsonl': {
		count: 1000,
		badEvery: 400,
		record: (number) => ({
			id: `bulk/${number}`,
			name: `Document ${number}`,
			description: `Number ${number} of a bulk load`,
			url: `https://example.com/bulk/${number}`,
			text: 'What the document says. '.repeat(30),
		}),
		required: 'name',
	},
	'fan-out.jsonl': {
		count: 1000,
		badEvery: Infinity,
		record: (number) => ({
			id: `fan-out/${number}`,
			name: `Document ${number}`,
			text: 'What the document says. '.repeat(30),
		}),
		required: 'name',
	},
	'corpus.jsonl': {
		count: 300,
		badEvery: 100,
		record: (number) => ({
			id: `corpus/${number}`,
			name: `Article ${number}`,
			url: `https://example.com/corpus/${number}`,
			text: ['Introduction', 'Details', 'Summary']
				.map((title) => `# ${title}\n${`${title} of article ${number}. `.repeat(20)}`)
				.join('\n'),
		}),
		required: 'text',
	},
};

/** Files that exist from the start. A workflow can replace them by storing files with the same names. */
const FIRST_FILES: Readonly<Record<string, string>> = {
	'products.csv': 'id,name,text\ncsv/1,Kettle,It boils.\ncsv/2,Toaster,It toasts.\n',
};

/** Articles with custom field names. As in many APIs, the route returns them in pages, with two articles per page. */
const ARTICLES = ['Gift cards', 'Opening hours', 'Parking', 'Repairs', 'Returns'].map((title) => ({
	key: `articles/${title.toLowerCase().replace(' ', '-')}`,
	title,
	link: `https://example.com/articles/${encodeURIComponent(title)}`,
	body: `# ${title}\nWhat to know.\n# Questions\nWhom to ask about: ${title}.`,
}));

const ARTICLES_PER_PAGE = 2;

function* sampleLines({ badEvery, record, required }: Sample, count: number): Generator<string> {
	for (let at = 1; at <= count; at++) {
		const { [required]: _omitted, ...incomplete } = record(at);
		if (at % badEvery === 0) yield `${JSON.stringify(incomplete)}\n`;
		else if (at % badEvery === badEvery / 2) yield `{"id": "${record(at).id}", "name": \n`;
		else yield `${JSON.stringify(record(at))}\n`;
	}
}

function firstFile(name: string): Uint8Array | undefined {
	const text = FIRST_FILES[name];
	return text === undefined ? undefined : Buffer.from(text);
}

const etagOf = (content: Uint8Array): string =>
	`"${createHash('sha256').update(content).digest('hex').slice(0, 32)}"`;

/**
 * Stores and returns files. This route is not part of the service's interface. It returns sample files of any length,
 * pages of articles, and files that workflows have stored.
 */
export const files: Route = (app, { stored }, config) => {
	for (const [name, sample] of Object.entries(SAMPLES)) {
		app.get(`/files/${name}`, { config }, async (request, reply) => {
			const count = Number(queryValue(request, 'count') ?? sample.count);
			const lines = Readable.from(sampleLines(sample, count));
			return reply
				.header('ETag', `"${name}-${count}"`)
				.type('application/x-ndjson')
				.send(lines);
		});
	}
	app.get('/files/articles', { config }, async (request) => {
		const end = Number(queryValue(request, 'page') ?? 1) * ARTICLES_PER_PAGE;
		return ARTICLES.slice(end - ARTICLES_PER_PAGE, end);
	});
	app.get<{ Params: { name: string } }>('/files/:name', { config }, async (request, reply) => {
		const { name } = request.params;
		const content = stored.get(name) ?? firstFile(name);
		if (!content) throw failure(404, `There is no file '${name}'`);
		return reply.header('ETag', etagOf(content)).type('application/octet-stream').send(content);
	});
	app.put<{ Params: { name: string } }>('/files/:name', { config }, async (request, reply) => {
		stored.set(request.params.name, rawBody(request));
		return reply.code(201).send({ stored: request.params.name });
	});
};
