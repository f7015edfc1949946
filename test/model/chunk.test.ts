import { isQuick } from '../../support/runs';
import { predictChunk } from './chunk';
import { runChunk } from './chunk-driver';
import { CHUNK, chunkOf, isChunkAllowed } from './chunk-runs';
import { useWorld } from './driver';
import { Effects, nameOf, pairwise, someOf } from './runs';

const world = useWorld();
const choices = pairwise(CHUNK, isChunkAllowed, process.env.SEED ?? 'a');

it('count', () => console.log(choices.length));
it.each(someOf(choices).map((choice) => [nameOf(CHUNK, choice), choice] as const))(
	'%s',
	async (_, choice) => {
		await runChunk(world, chunkOf(choice));
	},
);
