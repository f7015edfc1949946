/**
 * Chooses runs so that each two values of different factors occur together, and checks that each value has its effect: a
 * fault that no request meets, or an option that changes nothing, tests nothing.
 */
import { seededRandom } from '../../sandbox/random';
import { runs } from '../../support/runs';
import type { Expected } from './model';

export type Factors = Record<string, readonly string[]>;
export type Choice<F extends Factors> = { [Name in keyof F]: F[Name][number] };

interface Value {
	name: string;
	value: string;
}

/** How often a choice is begun again if its last factors have no allowed value. */
const TRIES = 20;

/**
 * Returns choices in which each two values that are allowed together occur together. The first value of a factor is its
 * default. The same seed always returns the same choices.
 *
 * @param isAllowed - decides about choices that are not complete yet
 */
export function pairwise<const F extends Factors>(
	factors: F,
	isAllowed: (choice: Partial<Choice<F>>) => boolean,
	seed: string,
): Array<Choice<F>> {
	const random = seededRandom(seed);
	const shuffled = <T>(list: readonly T[]): T[] =>
		list
			.map((one) => [random(), one] as const)
			.sort(([a], [b]) => a - b)
			.map(([, one]) => one);
	const values = Object.entries(factors).flatMap(([name, list]) =>
		list.map((value) => ({ name, value })),
	);
	const keyOf = (one: Value, other: Value) =>
		one.name < other.name
			? `${one.name} ${one.value} ${other.name} ${other.value}`
			: `${other.name} ${other.value} ${one.name} ${one.value}`;
	const open = new Map(
		values.flatMap((one) =>
			values
				.filter(({ name }) => name > one.name)
				.map((other) => [keyOf(one, other), [one, other]] as const),
		),
	);
	const complete = (first: Record<string, string>): Record<string, string> | undefined => {
		const choice = { ...first };
		for (const name of shuffled(Object.keys(factors).filter((each) => !(each in choice)))) {
			const news = (value: string) =>
				Object.entries(choice).filter(([other, chosen]) =>
					open.has(keyOf({ name, value }, { name: other, value: chosen })),
				).length;
			const [best] = shuffled(factors[name] ?? [])
				.filter((value) => isAllowed({ ...choice, [name]: value } as Partial<Choice<F>>))
				.sort((a, b) => news(b) - news(a));
			if (best === undefined) return undefined;
			choice[name] = best;
		}
		return choice;
	};
	const choices: Array<Choice<F>> = [];
	for (const pair of open.values()) {
		const first = Object.fromEntries(pair.map(({ name, value }) => [name, value]));
		if (!isAllowed(first as Partial<Choice<F>>)) continue;
		let choice: Record<string, string> | undefined;
		for (let tries = 0; !choice && tries < TRIES; tries++) choice = complete(first);
		if (!choice) continue;
		const chosen = Object.entries(choice).map(([name, value]) => ({ name, value }));
		for (const one of chosen) for (const other of chosen) open.delete(keyOf(one, other));
		choices.push(
			Object.fromEntries(
				Object.keys(factors).map((name) => [name, choice[name]]),
			) as Choice<F>,
		);
	}
	return choices;
}

/** Returns the choices that a profile runs: all, or some of them from everywhere in the list. */
export const someOf = <T>(choices: T[]): T[] => {
	const step = Math.max(1, choices.length / runs(choices.length));
	return choices.filter((_, at) => Math.floor(at / step) !== Math.floor((at - 1) / step));
};

/** Returns the values that are not the defaults. */
export const nameOf = <F extends Factors>(factors: F, choice: Choice<F>): string =>
	Object.entries(choice)
		.filter(([name, value]) => value !== factors[name]?.[0])
		.map(([name, value]) => `${name} ${value}`)
		.join(', ');

/**
 * Counts how often a value of a factor changes the prediction.
 */
export class Effects<F extends Factors> {
	private readonly counts = new Map<string, [effects: number, runs: number]>();

	constructor(
		private readonly factors: F,
		private readonly predictOf: (choice: Choice<F>) => Expected,
		/** Effects that a prediction does not show, for values such as `end: gzip`. */
		private readonly others: Record<string, (expected: Expected) => boolean> = {},
	) {}

	/** Compares the prediction with one in which the factor has its default. */
	note(choice: Choice<F>): void {
		const expected = this.predictOf(choice);
		const all = JSON.stringify(expected);
		for (const [name, [usual]] of Object.entries(this.factors)) {
			if (choice[name] === usual) continue;
			const other = this.others[`${name}: ${choice[name]}`];
			const hasEffect =
				other?.(expected) ??
				JSON.stringify(this.predictOf({ ...choice, [name]: usual })) !== all;
			const count = this.counts.get(`${name}: ${choice[name]}`) ?? [0, 0];
			this.counts.set(`${name}: ${choice[name]}`, count);
			count[1]++;
			if (hasEffect) count[0]++;
		}
	}

	/** Returns all counts. */
	table(): string[] {
		return [...this.counts].map(([name, [effects, runs]]) => `${name}: ${effects} of ${runs}`);
	}

	/** Returns the values that have an effect in less than half of their runs. */
	rare(): string[] {
		return [...this.counts]
			.filter(([, [effects, runs]]) => effects * 2 < runs)
			.map(([name, [effects, runs]]) => `${name}: ${effects} of ${runs}`);
	}
}
