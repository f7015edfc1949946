/**
 * Random worlds from the command line.
 *
 * npm run test:chaos -- [--worlds 200] [--minutes 30] [--kind items|files] [--seed 1] [--path "0:1"]
 *   [--no-shrink]
 */
import { silence } from './logs';

import '../../support/setup';

import { parseArgs } from 'node:util';

import fc from 'fast-check';

import { violationsOf } from './run-world';
import type { Violation } from './invariants';
import { tolerated } from './known-defects';
import { differenceOf, type World } from './world';
import { WORLDS } from './worlds';

/** A world that breaks slowly is not made smaller for longer than this. */
const SHRINK_MS = 40_000;

const { values } = parseArgs({
	options: {
		worlds: { type: 'string' },
		minutes: { type: 'string' },
		kind: { type: 'string' },
		seed: { type: 'string' },
		path: { type: 'string' },
		'no-shrink': { type: 'boolean', default: false },
		known: { type: 'boolean', default: false },
	},
});

const print = (...lines: string[]): void => void process.stdout.write(lines.join('\n') + '\n');

const kindOf = ({ node, invariant }: Violation): string => `${node}: ${invariant}`;

type Kind = keyof typeof WORLDS;

/** Without a wish, every third world is one of files. */
function kindOfSeed(seed: number): Kind {
	const { kind = seed % 3 === 0 ? 'files' : 'items' } = values;
	if (kind in WORLDS) return kind as Kind;
	throw new Error(`--kind must be one of ${Object.keys(WORLDS).join(', ')}`);
}

class Broken extends Error {}

interface Failure {
	violations: Violation[];
	world: World;
	path: string;
}

/** Plays one world, and on a violation the smallest that still breaks the same. */
async function playSeed(kind: Kind, seed: number, path?: string): Promise<Failure | undefined> {
	let failure: Failure | undefined;
	let wanted: string | undefined;
	let playing: Promise<Violation[]> | undefined;
	const result = await fc.check(
		fc.asyncProperty(WORLDS[kind], async (world) => {
			playing = violationsOf(world);
			const violations = (await playing).filter(
				(violation) => values.known || !tolerated(violation),
			);
			const mine = violations.find(
				(violation) => wanted === undefined || kindOf(violation) === wanted,
			);
			if (mine === undefined) return;
			wanted = kindOf(mine);
			failure = { violations, world, path: '' };
			throw new Broken(mine.detail);
		}),
		{
			seed,
			numRuns: 1,
			...(path !== undefined && { path }),
			endOnFailure: values['no-shrink'] || path !== undefined,
			interruptAfterTimeLimit: SHRINK_MS,
		},
	);
	// The time limit leaves a world that is still going on.
	await playing;
	if (result.errorInstance !== null && !(result.errorInstance instanceof Broken)) {
		throw result.errorInstance;
	}
	return failure && { ...failure, path: path ?? result.counterexamplePath ?? '0' };
}

async function main(): Promise<number> {
	const first = values.seed === undefined ? Date.now() % 1_000_000_000 : Number(values.seed);
	const minutes = values.minutes === undefined ? Infinity : Number(values.minutes);
	const worlds = Number(
		values.worlds ??
			(values.path !== undefined ? 1 : values.minutes !== undefined ? Infinity : 200),
	);
	const endsAt = Date.now() + minutes * 60_000;
	const startedAt = Date.now();
	const counts = new Map<string, number>();
	const counted: Record<Kind, number> = { items: 0, files: 0 };
	let played = 0;
	let broken = 0;
	for (; played < worlds && Date.now() < endsAt; played += 1) {
		const seed = first + played;
		const world = kindOfSeed(seed);
		counted[world] += 1;
		const failure = await playSeed(world, seed, values.path);
		if (failure === undefined) continue;
		broken += 1;
		for (const violation of failure.violations) {
			const kind = kindOf(violation);
			counts.set(kind, (counts.get(kind) ?? 0) + 1);
			print(
				'',
				`${kind}: ${violation.detail}`,
				`  npm run test:chaos -- --kind ${world} --seed ${seed} --path "${failure.path}"`,
			);
			// One of each kind as a whole, since they are long.
			if (counts.get(kind) === 1) print(`  ${JSON.stringify(differenceOf(failure.world))}`);
		}
	}
	const seconds = Math.round((Date.now() - startedAt) / 1000);
	const { items, files } = counted;
	print(
		'',
		`${played} worlds (${items} of items, ${files} of files) from seed ${first} in ${seconds} s, ${broken} broken`,
	);
	for (const [kind, count] of counts) print(`${String(count).padStart(6)}  ${kind}`);
	return broken > 0 ? 1 : 0;
}

main().then(
	(code) => {
		silence();
		process.exit(code);
	},
	(error: unknown) => {
		print(String(error instanceof Error ? error.stack : error));
		process.exit(2);
	},
);
