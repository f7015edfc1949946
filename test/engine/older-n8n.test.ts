/**
 * Before version 2.34, n8n's `sleep` ignores the signal that ends it early. Requests that wait for their turn must not wait
 * for such a timer, which would be 24 days for a submission, and for a poll the longest time of a job.
 */
import * as n8n from 'n8n-workflow';

import { texts, useChunkText } from '../../support/chunking';

const { sandbox, chunk } = useChunkText();

const sleep = async (ms: number) => await new Promise((end) => setTimeout(end, ms).unref());

beforeEach(() => {
	jest.spyOn(n8n as { sleep: unknown }, 'sleep', 'get').mockReturnValue(sleep);
});

afterEach(() => jest.restoreAllMocks());

it.each([1, 3])('all texts are chunked with %s requests at the same time', async (concurrency) => {
	sandbox().settings.chunkDelayMs = 300;
	const result = await chunk(texts(60), { options: { textsPerRequest: 1, concurrency } });
	expect(result.status).toBe('success');
	expect(result.output).toHaveLength(60);
});
