import { createReadStream } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basename, join } from 'node:path';

import type { StubCommand, StubStats } from './stub';

/** What the ID of a document stands behind in a body. */
const BEFORE_ID = Buffer.from('"id":"');
const QUOTE = 0x22;

const MIME_TYPES: Record<string, string> = {
	jsonl: 'application/x-ndjson',
	json: 'application/json',
	csv: 'text/csv',
};

const [folder] = process.argv.slice(2);
let stats: StubStats = { requests: 0, documents: 0, bytes: 0, distinct: 0 };
let ids = new Set<string>();

/** Notes the documents of a push, without parsing it: the clients are to be compared. */
function note(body: Buffer): void {
	stats.requests++;
	stats.bytes += body.length;
	for (let at = body.indexOf(BEFORE_ID); at >= 0; at = body.indexOf(BEFORE_ID, at)) {
		const from = at + BEFORE_ID.length;
		at = body.indexOf(QUOTE, from);
		ids.add(body.toString('latin1', from, at));
		stats.documents++;
	}
}

function receive(request: IncomingMessage, response: ServerResponse): void {
	const pieces: Buffer[] = [];
	request.on('data', (piece: Buffer) => pieces.push(piece));
	request.on('end', () => {
		if (request.method === 'POST') note(Buffer.concat(pieces));
		else stats.requests++;
		response.end();
	});
}

/** Serves a file of the folder, or takes whatever is sent. */
const server = createServer((request, response) => {
	const name = basename(request.url ?? '');
	if (!request.url?.startsWith('/files/')) return receive(request, response);
	const type = MIME_TYPES[name.split('.').at(-1) ?? ''];
	response.setHeader('Content-Type', type ?? 'application/octet-stream');
	createReadStream(join(folder, name))
		.on('error', () => response.writeHead(404).end())
		.pipe(response);
});

server.listen(0, '127.0.0.1', () => {
	const { port } = server.address() as AddressInfo;
	process.send?.({ url: `http://127.0.0.1:${port}` });
});

process.on('message', (command: StubCommand) => {
	if (command === 'reset') {
		stats = { requests: 0, documents: 0, bytes: 0, distinct: 0 };
		ids = new Set();
	}
	process.send?.({ ...stats, distinct: ids.size });
});

// The parent has gone, or wants no more of it.
process.once('disconnect', () => process.exit(0));
