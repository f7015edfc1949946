import { seededRandom } from '../sandbox/random';

/** The names of some settings, and the names of their values. */
export type Factors = Record<string, readonly string[]>;
export type Choice<F extends Factors = Factors> = { [Name in keyof F]: F[Name][number] };

/**
 * Returns a list of choices in which each two values of different settings occur together at least once. Where this
 * leaves a choice, the first value of a setting is three times as likely as the others. The same seed always returns the
 * same list.
 */
export function everyPair<const F extends Factors>(factors: F, seed: string): Array<Choice<F>> {
	const random = seededRandom(seed);
	const shuffled = <T>(list: readonly T[]) =>
		list
			.map((one) => [random(), one] as const)
			.sort(([one], [other]) => one - other)
			.map(([, one]) => one);
	const names = Object.keys(factors);
	const keyOf = (...values: string[][]) => values.map(String).sort().join('; ');
	const left = new Map<string, string[][]>();
	for (const [at, name] of names.entries())
		for (const other of names.slice(at + 1))
			for (const value of factors[name] ?? [])
				for (const otherValue of factors[other] ?? []) {
					const pair = [
						[name, value],
						[other, otherValue],
					];
					left.set(keyOf(...pair), pair);
				}
	const choices: Array<Choice<F>> = [];
	for (const pair of left.values()) {
		const choice = Object.fromEntries(pair) as Record<string, string>;
		for (const name of shuffled(names.filter((one) => !(one in choice)))) {
			const isNew = (value: string) =>
				Object.entries(choice).filter((one) => left.has(keyOf([name, value], one))).length;
			const [first = '', ...others] = factors[name] ?? [];
			const values = shuffled([first, first, first, ...others]);
			choice[name] = values.reduce((best, value) =>
				isNew(value) > isNew(best) ? value : best,
			);
		}
		const chosen = Object.entries(choice);
		for (const one of chosen) for (const other of chosen) left.delete(keyOf(one, other));
		choices.push(Object.fromEntries(names.map((name) => [name, choice[name]])) as Choice<F>);
	}
	return choices;
}
