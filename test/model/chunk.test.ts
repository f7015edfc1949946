import { isQuick } from '../../support/runs';
import { predictChunk } from './chunk';
import { runChunk } from './chunk-driver';
import { CHUNK, chunkOf, isChunkAllowed } from './chunk-runs';
import { useWorld } from './driver';
import { Effects, nameOf, pairwise, someOf } from './runs';

const world = useWorld();
const choices = pairwise(CHUNK, isChunkAllowed, process.env.SEED ?? 'a');

it.each(someOf(choices).map((choice) => [nameOf(CHUNK, choice), choice] as const))(
	'%s',
	async (_, choice) => {
		await runChunk(world, chunkOf(choice));
	},
);

// Only predictions are compared here, so one profile is enough.
(isQuick ? it.skip : it)('gives each value an effect in at least half of its runs', () => {
	const effects = new Effects(CHUNK, (choice) => predictChunk(chunkOf(choice)), {
		'end: gzip': () => true,
		// The node reads other fields, and finds the same values.
		'names: other': () => true,
		// Without it, the node asks only once.
		'wait: yes': () => true,
		'concurrency: 8': ({ sent, figures }) => sent.length + figures.requests > 1,
		'onError: continueErrorOutput': ({ failed, files }) => failed.length + files.length > 0,
	});
	for (const choice of choices) effects.note(choice);
	if (process.env.EFFECTS) console.log(effects.table().join('\n'));
	expect(effects.rare()).toEqual([]);
});
