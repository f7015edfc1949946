import { predictDelete } from './delete';
import { useDelete } from './delete-driver';
import { DELETE, deleteOf, isDeleteAllowed } from './delete-runs';
import { Effects, nameOf, pairwise } from './runs';

const runDelete = useDelete();
const choices = pairwise(DELETE, isDeleteAllowed, process.env.SEED ?? 'a');

it.each(choices.map((choice) => [nameOf(DELETE, choice), choice] as const))('%s', async (_, choice) => {
	await runDelete(deleteOf(choice));
});

it('gives each value an effect in at least half of its runs', () => {
	const effects = new Effects(DELETE, (choice) => predictDelete(deleteOf(choice)), {
		'end: gzip': () => true,
		'concurrency: 8': ({ sent, figures }) => sent.length + figures.requests > 1,
		'onError: continueErrorOutput': ({ failed, files }) => failed.length + files.length > 0,
	});
	for (const choice of choices) effects.note(choice);
	if (process.env.EFFECTS) console.log(effects.table().join('\n'));
	expect(effects.rare()).toEqual([]);
});
