import { Readable } from 'node:stream';

import type { Route } from '.';
import { failure, queryValue, rawBody } from '../http';

/** Documents of the sample file, unless the query asks for another number. */
const DEFAULT_COUNT = 1000;

/** One line in so many of the sample file cannot be pushed. */
const BAD_EVERY = 400;

/** The sample file: JSON Lines, with a document that has no name and a line that is no JSON here and there. */
function* sampleLines(count: number): Generator<string> {
	for (let at = 1; at <= count; at++) {
		const document = {
			id: `bulk/${at}`,
			name: `Document ${at}`,
			description: `Number ${at} of a bulk load`,
			url: `https://example.com/bulk/${at}`,
			text: 'What the document says. '.repeat(30),
		};
		const { name: _name, ...nameless } = document;
		if (at % BAD_EVERY === 0) yield `${JSON.stringify(nameless)}\n`;
		else if (at % BAD_EVERY === BAD_EVERY / 2) yield `{"id": "bulk/${at}", "name": \n`;
		else yield `${JSON.stringify(document)}\n`;
	}
}

/**
 * A place for files, which is no part of the interface: a file of documents of any length to load,
 * and whatever a workflow stores.
 */
export const files: Route = (app, { stored }, config) => {
	app.get('/files/documents.jsonl', { config }, async (request, reply) => {
		const count = Number(queryValue(request, 'count') ?? DEFAULT_COUNT);
		return reply.type('application/x-ndjson').send(Readable.from(sampleLines(count)));
	});
	app.get<{ Params: { name: string } }>('/files/:name', { config }, async (request, reply) => {
		const { name } = request.params;
		const content = stored.get(name);
		if (!content) throw failure(404, `There is no file '${name}'`);
		return reply.type('application/octet-stream').send(content);
	});
	app.put<{ Params: { name: string } }>('/files/:name', { config }, async (request, reply) => {
		stored.set(request.params.name, rawBody(request));
		return reply.code(201).send({ stored: request.params.name });
	});
};
