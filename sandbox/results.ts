import { breather } from './breathe';
import { countTokens } from './units';
import type { Job } from './jobs';
import { toCodePoints } from './spans';
import type { SandboxSettings } from './settings';
import { makeVector } from './vectors';

/**
 * The body of a results response with data, in one of the two known shapes (docs/service-interface.md,
 * Chunking results). Built as JSON text piece by piece, because 40,000 vectors at once would hold up all other requests.
 */
export async function resultsBody(job: Job, settings: SandboxSettings): Promise<Buffer> {
	const breathe = breather();
	const { texts, dimension, quantization } = job.request;
	const nested = settings.resultShape === 'nested';
	const entries: string[] = [];
	const allVectors: string[] = [];
	for (const [at, text] of texts.entries()) {
		const convert = toCodePoints(text);
		const chunks: string[] = [];
		const spans: string[] = [];
		const vectors: string[] = [];
		for (const span of job.spans?.[at] ?? []) {
			const chunk = text.slice(span[0], span[1]);
			const vector = makeVector(chunk, dimension, quantization).join(',');
			const tokens = `"tokensUsed":{"inputTokens":${countTokens(chunk)}}`;
			chunks.push(JSON.stringify(chunk));
			spans.push(`[${convert(span).join(',')}]`);
			vectors.push(nested ? `{${tokens},"vector":[${vector}]}` : `{"vector":[${vector}]}`);
			await breathe();
		}
		const members = [`"chunks":[${chunks.join(',')}]`];
		if (nested) {
			members.push(`"spans":[${spans.join(',')}]`, `"vectors":[${vectors.join(',')}]`);
		} else {
			for (const vector of vectors) allVectors.push(vector);
		}
		entries.push(`{${members.join(',')}}`);
	}
	const head = `"chunkingId":"${job.chunkingId}","status":"READY"`;
	const tail = nested ? '' : `,"vector":[${allVectors.join(',')}]`;
	return Buffer.from(`{${head},"chunkedData":[${entries.join(',')}]${tail}}`);
}
