import { runChunk } from './chunk-driver';
import { CHUNK, chunkOf } from './chunk-runs';
import { useWorld } from './driver';
const world = useWorld();
const defaults = Object.fromEntries(Object.entries(CHUNK).map(([n, [v]]) => [n, v]));
it.each((process.env.CHOICES ?? '').split(';').map((one) => [one]))('%s', async (text) => {
	const choice = {
		...defaults,
		...Object.fromEntries(
			text
				.split(',')
				.filter(Boolean)
				.map((p) => p.trim().split('=') as [string, string]),
		),
	};
	await runChunk(world, chunkOf(choice as never));
});
