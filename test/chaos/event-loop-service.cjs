/**
 * The service in a process of its own, so that its work is not taken for the nodes'. It accepts
 * everything at once. Sends its port to the parent.
 */
const { createServer } = require('node:http');
const { randomUUID } = require('node:crypto');

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
	if (url.startsWith('/ai/') && method === 'POST') {
		const chunkingId = randomUUID();
		/** @type {Array<{ text: string }>} */
		const batch = JSON.parse(body).batch;
		jobs.set(
			chunkingId,
			batch.map(({ text }) => text),
		);
		return { chunkingId, status: 'SUBMITTED' };
	}
	if (url.startsWith('/ai/')) {
		const chunkingId = url.split('/').pop() ?? '';
		const texts = jobs.get(chunkingId) ?? [];
		return {
			chunkingId,
			status: 'READY',
			chunkedData: texts.map((text) => ({
				chunks: [text],
				spans: [[0, text.length]],
				vectors: [
					{
						tokensUsed: { inputTokens: 3 },
						vector: [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8],
					},
				],
			})),
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
		response.writeHead(200, { 'Content-Type': 'application/json' });
		response.end(JSON.stringify(answer(method, url, Buffer.concat(chunks).toString())));
	});
});
server.listen(0, '127.0.0.1', () => {
	const address = server.address();
	process.send?.(typeof address === 'object' ? address?.port : undefined);
});
process.on('disconnect', () => process.exit(0));
