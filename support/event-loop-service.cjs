/**
 * A service that accepts everything at once, or answers with N under `/status/N`. A text that begins
 * with a number becomes as many chunks, with the quantized vectors of the largest documented results. Runs in a process of its own and sends its port to the parent.
 */
const { createServer } = require('node:http');
const { randomUUID } = require('node:crypto');

const VECTOR = Array.from({ length: 32 }, (_, index) => Math.round(127 * Math.sin(index)));
/** Many texts have many vectors: writing and reading all of those would take most of the time. */
const SHORT_VECTOR = VECTOR.slice(0, 8);

/** @type {Map<string, string[]>} */
const jobs = new Map();

/**
 * @param {string} method
 * @param {string} url
 * @param {string} body
 * @returns {unknown}
 */
function answer(method, url, body) {
	if (url.startsWith('/oauth2/')) {
		return {
			token_type: 'Bearer',
			expires_in: 3600,
			access_token: 'a'.repeat(500),
			scope: 'machinelearning.predict',
		};
	}
	if (url.includes('/ai/') && method === 'POST') {
		const chunkingId = randomUUID();
		/** @type {Array<{ text: string }>} */
		const batch = JSON.parse(body).batch;
		jobs.set(
			chunkingId,
			batch.map(({ text }) => text),
		);
		return { chunkingId, status: 'SUBMITTED' };
	}
	if (url.includes('/ai/')) {
		const chunkingId = url.split('/').pop() ?? '';
		const texts = jobs.get(chunkingId) ?? [];
		return {
			chunkingId,
			status: 'READY',
			chunkedData: texts.map((text) => {
				const count = parseInt(text, 10);
				const chunks = Array(count || 1).fill(text);
				const vector = count ? VECTOR : SHORT_VECTOR;
				return {
					chunks,
					spans: chunks.map((_, index) => [index, index + 1]),
					vectors: chunks.map(() => ({ tokensUsed: { inputTokens: 3 }, vector })),
				};
			}),
		};
	}
	return { status: 'accepted' };
}

const server = createServer((request, response) => {
	/** @type {Buffer[]} */
	const chunks = [];
	request.on('data', (chunk) => chunks.push(chunk));
	request.on('end', () => {
		const { method = '', url = '' } = request;
		const status = Number(/\/status\/(\d+)/.exec(url)?.[1] ?? 200);
		response.writeHead(status, { 'Content-Type': 'application/json' });
		response.end(JSON.stringify(answer(method, url, Buffer.concat(chunks).toString())));
	});
});
server.listen(0, '127.0.0.1', () => {
	const address = server.address();
	process.send?.(typeof address === 'object' ? address?.port : undefined);
});
process.on('disconnect', () => process.exit(0));
