import { seededRandom } from '../../sandbox/random';
import { step } from '../shared/progress';
import { pause } from '../shared/wait';
import type { Figures } from '../shared/report';
import { chooseDisturbances, DISTURBANCES, REFUSED_WORD } from './disturbances';
import { chunksOf, indexedOf, rowsOf, wrongDeletes, type SourceDocument } from './chunks';
import type { Lane } from './lane';
import { quiet, type SyncStage } from './stage';

const IDS = ['a', 'b', 'c', 'd', 'e', 'f'];

/** Few, so that a source often goes back to an earlier text. */
const WORDS = ['Almond', 'Birch', 'Cedar', REFUSED_WORD];

const MAX_SECTIONS = 4;

/** How long to wait for the response of a run that was stopped or killed. */
const INTERRUPTED_MS = 1500;

type Random = () => number;

/** A random text: mostly some sections, sometimes none. */
function sections(random: Random): string[] {
	const count = Math.floor(random() * (MAX_SECTIONS + 1));
	return Array.from({ length: count }, () => WORDS[Math.floor(random() * WORDS.length)]);
}

/** The source some time later: most documents are as before, some are new, changed or gone. */
function changed(source: SourceDocument[], random: Random): SourceDocument[] {
	const before = new Map(source.map((one) => [one.id, one]));
	return IDS.flatMap((id) => {
		const chance = random();
		const one = before.get(id);
		if (chance < 0.15) return [];
		if (one === undefined || chance < 0.55) return [{ id, sections: sections(random) }];
		return [one];
	});
}

/** A lane in a sequence: its source, and whether chunks may be left of which nobody knows. */
interface Course {
	lane: Lane;
	random: Random;
	source: SourceDocument[];
}

/**
 * Plays random sequences of runs, several at once: in each round every lane syncs a source of its own
 * while the same things go wrong. Each sequence ends with a clean run.
 *
 * @param sequences how many
 * @param seed the same seed gives the same sources and disturbances, though not the same moments
 */
export async function playSequences(
	stage: SyncStage,
	sequences: number,
	seed: number,
): Promise<Figures> {
	const { lanes, checks } = stage;
	const courses = lanes.map((lane) => ({ lane, source: [], random: () => 0 }) as Course);
	const figures: Record<string, number> = { runs: 0 };
	for (let first = 0; first < sequences; first += lanes.length) {
		const title = `Sequences ${first + 1} to ${first + lanes.length}`;
		const broken = await step(title, async () => {
			for (const [number, course] of courses.entries()) {
				course.random = seededRandom(`${seed}/${first + number}`);
			}
			return await playOne(stage, courses, seededRandom(`${seed}/rounds/${first}`), figures);
		});
		checks.add(`${title} (seed ${seed}) end in sync`, broken.length === 0, broken.join('; '));
	}
	return Object.entries(figures).map(([name, count]) => [name, `${count}`]);
}

/** One sequence in each lane; returns what was wrong. */
async function playOne(
	stage: SyncStage,
	courses: Course[],
	random: Random,
	figures: Record<string, number>,
): Promise<string[]> {
	const broken: string[] = [];
	const rounds = 4 + Math.floor(random() * 3);
	const story: string[] = [];
	let hidesRemovals = false;
	for (let round = 0; round < rounds; round += 1) {
		const names = chooseDisturbances(random);
		for (const course of courses) course.source = changed(course.source, course.random);
		story.push(names.join('+'));
		broken.push(...(await playRound(stage, courses, names, random)));
		hidesRemovals ||= names.some((name) => DISTURBANCES[name].hidesRemovals);
		for (const name of names) figures[name] = (figures[name] ?? 0) + courses.length;
		figures.runs += courses.length;
	}
	broken.push(...(await playCleanRun(stage, courses, hidesRemovals)));
	return broken.length === 0 ? [] : [story.join(', '), ...broken];
}

/** Every lane syncs its source while something goes wrong. */
async function playRound(
	stage: SyncStage,
	courses: Course[],
	names: string[],
	random: Random,
): Promise<string[]> {
	const { sandbox } = stage;
	const disturbances = names.map((name) => DISTURBANCES[name]);
	sandbox.requests.length = 0;
	for (const { before } of disturbances) before?.(stage, random);
	const calls = courses.flatMap(({ lane, source }) => {
		const times = disturbances.some(({ isTwice }) => isTwice) ? 2 : 1;
		return Array.from({ length: times }, async () => await lane.call(source));
	});
	await Promise.all(disturbances.map(async ({ during }) => await during?.(stage, random)));
	// A stopped execution may leave its caller without a response.
	const isInterrupted = disturbances.some(({ during }) => during !== undefined);
	await Promise.race([Promise.all(calls), ...(isInterrupted ? [pause(INTERRUPTED_MS)] : [])]);
	await settle(stage, courses);
	return lostChunks(stage, courses);
}

/** Nothing runs, nothing is in flight, and the service is well. */
async function settle(stage: SyncStage, courses: Course[]): Promise<void> {
	for (const { lane } of courses) await lane.settle();
	await quiet(stage);
	stage.sandbox.faults.clear();
	stage.sandbox.settings.resultShape = 'nested';
}

const lostChunks = ({ sandbox }: SyncStage, courses: Course[]): string[] =>
	courses.flatMap(({ lane, source }) =>
		wrongDeletes(lane.name, source, sandbox.requests).map((id) => `${id} was deleted`),
	);

/**
 * A run in which nothing goes wrong.
 *
 * @param changesAll whether every document changes before: only then is it known again which chunks are gone
 */
async function playCleanRun(
	stage: SyncStage,
	courses: Course[],
	changesAll: boolean,
): Promise<string[]> {
	const { sandbox } = stage;
	sandbox.requests.length = 0;
	const broken: string[] = [];
	for (const course of courses) {
		if (changesAll)
			course.source = course.source.map((one) => ({ ...one, sections: otherwise(one) }));
	}
	const results = await Promise.all(
		courses.map(async ({ lane, source }) => await lane.call(source)),
	);
	await settle(stage, courses);
	sandbox.commit();
	for (const [number, { lane, source }] of courses.entries()) {
		const status = results[number];
		if (status !== 200) broken.push(`${lane.name}: the clean run ended with ${status}`);
		broken.push(
			...differences(lane.name, indexedOf(lane.name, sandbox), chunksOf(lane.name, source)),
		);
		broken.push(
			...differences(`${lane.name} table`, await lane.rows(), rowsOf(lane.name, source)),
		);
	}
	return [...broken, ...lostChunks(stage, courses)];
}

/** Another text of as many sections, which is not one of the random ones. */
const otherwise = ({ sections: all }: SourceDocument): string[] =>
	all.map((section) => (section.endsWith('!') ? section.slice(0, -1) : `${section}!`));

function differences(what: string, seen: string[], expected: string[]): string[] {
	const missing = expected.filter((one) => !seen.includes(one));
	const strange = seen.filter((one) => !expected.includes(one));
	const isDouble = new Set(seen).size !== seen.length;
	return [
		...(missing.length > 0 ? [`${what} lacks ${missing.join(', ')}`] : []),
		...(strange.length > 0 ? [`${what} has ${strange.join(', ')}`] : []),
		...(isDouble ? [`${what} has something twice`] : []),
	];
}
