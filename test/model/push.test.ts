import { predictPush } from './push';
import { usePush } from './push-driver';
import { isPushAllowed, PUSH, pushOf } from './push-runs';
import { Effects, pairwise } from './runs';

const runPush = usePush();
const choices = pairwise(PUSH, isPushAllowed, process.env.SEED ?? 'a');

const shown = (choice: (typeof choices)[number]): string =>
	Object.entries(choice).filter(([name, value]) => value !== PUSH[name as 'source'][0]).map(([name, value]) => `${name} ${value}`).join(', ');

it.each(choices.map((choice) => [shown(choice), choice] as const))('%s', async (_, choice) => {
	await runPush(pushOf(choice));
});

it('gives each value an effect in at least half of its runs', () => {
	const effects = new Effects(PUSH, (choice) => predictPush(pushOf(choice)), isPushAllowed);
	for (const choice of choices) effects.note(choice);
	if (process.env.EFFECTS) console.log(effects.table().join('\n'));
	expect(effects.rare()).toEqual([]);
});
