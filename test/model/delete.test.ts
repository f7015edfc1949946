import { isQuick } from '../../support/runs';
import { useWorld } from './driver';
import { predictDelete } from './delete';
import { runDelete } from './delete-driver';
import { DELETE, deleteOf, isDeleteAllowed } from './delete-runs';
import { Effects, nameOf, pairwise, someOf } from './runs';

const world = useWorld();
const choices = pairwise(DELETE, isDeleteAllowed, process.env.SEED ?? 'a');

it.each(someOf(choices).map((choice) => [nameOf(DELETE, choice), choice] as const))(
	'%s',
	async (_, choice) => {
		await runDelete(world, deleteOf(choice));
	},
);

// Only predictions are compared here, so one profile is enough.
(isQuick ? it.skip : it)('gives each value an effect in at least half of its runs', () => {
	const effects = new Effects(DELETE, (choice) => predictDelete(deleteOf(choice)), {
		'end: gzip': () => true,
		// The node reads another field, and finds the same IDs.
		'field: other': () => true,
		'concurrency: 8': ({ sent, figures }) => sent.length + figures.requests > 1,
		'onError: continueErrorOutput': ({ failed, files }) => failed.length + files.length > 0,
	});
	for (const choice of choices) effects.note(choice);
	if (process.env.EFFECTS) console.log(effects.table().join('\n'));
	expect(effects.rare()).toEqual([]);
});
