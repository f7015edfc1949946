import { isQuick } from '../../support/runs';
import { useWorld } from './driver';
import { predictPush } from './push';
import { runPush } from './push-driver';
import { isPushAllowed, PUSH, pushOf } from './push-runs';
import { Effects, nameOf, pairwise, someOf } from './runs';

const world = useWorld();
const choices = pairwise(PUSH, isPushAllowed, process.env.SEED ?? 'a');

it.each(someOf(choices).map((choice) => [nameOf(PUSH, choice), choice] as const))(
	'%s',
	async (_, choice) => {
		await runPush(world, pushOf(choice));
	},
);

// Only predictions are compared here, so one profile is enough.
(isQuick ? it.skip : it)('gives each value an effect in at least half of its runs', () => {
	const effects = new Effects(PUSH, (choice) => predictPush(pushOf(choice)), {
		'end: gzip': () => true,
		'concurrency: 4': ({ sent, figures }) => sent.length + figures.requests > 1,
		'onError: continueErrorOutput': ({ failed, files }) => failed.length + files.length > 0,
	});
	for (const choice of choices) effects.note(choice);
	if (process.env.EFFECTS) console.log(effects.table().join('\n'));
	expect(effects.rare()).toEqual([]);
});
