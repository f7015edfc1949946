import { countTokens } from './units';
import type { Job } from './jobs';
import { toCodePoints } from './spans';
import { timeSlices } from './time-slices';
import { makeVector } from './vectors';

/**
 * Builds the body of a results response that contains data (docs/service-interface.md, Chunking results). The JSON
 * is built piece by piece, because building 40,000 vectors in one step would block all other requests.
 */
export async function resultsBody(job: Job): Promise<Buffer> {
	const yieldToOthers = timeSlices();
	const { texts, vectorShape } = job.request;
	const entries: string[] = [];
	for (const [at, text] of texts.entries()) {
		const convert = toCodePoints(text);
		const chunks: string[] = [];
		const spans: string[] = [];
		const vectors: string[] = [];
		for (const span of job.spans?.[at] ?? []) {
			const chunk = text.slice(span[0], span[1]);
			const vector = makeVector(chunk, vectorShape).join(',');
			const tokens = `"tokensUsed":{"inputTokens":${countTokens(chunk)}}`;
			chunks.push(JSON.stringify(chunk));
			spans.push(`[${convert(span).join(',')}]`);
			vectors.push(`{${tokens},"vector":[${vector}]}`);
			await yieldToOthers();
		}
		const lists = Object.entries({ chunks, spans, vectors });
		entries.push(`{${lists.map(([name, list]) => `"${name}":[${list.join(',')}]`).join(',')}}`);
	}
	const head = `"chunkingId":"${job.chunkingId}","status":"READY"`;
	return Buffer.from(`{${head},"chunkedData":[${entries.join(',')}]}`);
}
