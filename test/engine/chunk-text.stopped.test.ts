/**
 * Tests what Chunk Text writes to n8n's log when a user stops a run.
 */
import { texts, useChunkText } from '../../support/chunking';
import { eventually } from '../../support/eventually';
import { useNodeLog } from '../../support/node-log';

const captured = useNodeLog();

const { chunk, chunkingIds, polls } = useChunkText({ chunkDelayMs: 600_000 });

it('are the chunking IDs that were not fetched', async () => {
	// A job is polled only after the node knows its chunking ID. A job that is still being submitted has none to write.
	const polled = () => new Set(polls().map(({ path }) => path));
	const cancelWhen = eventually(() => polled().size === 3, polls);
	const result = await chunk(texts(3), { options: { textsPerRequest: 1 } }, { cancelWhen });
	expect(result.status).toBe('canceled');
	const written = captured.filter((line) => line.includes('Unfinished chunking IDs: '));
	expect(written.length).toBeGreaterThan(0);
	for (const id of chunkingIds()) expect(written.at(-1)).toContain(id);
	expect(chunkingIds()).toHaveLength(3);
});
