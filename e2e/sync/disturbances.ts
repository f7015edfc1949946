import type { FaultRule } from '../../sandbox';
import { pause } from '../shared/wait';
import type { Lane } from './lane';
import type { SyncStage } from './stage';

/** A word that texts have which the service refuses while `failingTexts` lasts. */
export const REFUSED_WORD = 'Forbidden';

/** How long after its start a run is stopped or killed, at most. */
const MAX_RUN_MS = 3500;

/** What happens while runs are under way. */
export interface Disturbance {
	/** Changes the service before the runs start. */
	before?(stage: SyncStage, random: () => number): void;
	/** Happens beside the runs. */
	during?(stage: SyncStage, random: () => number): Promise<void>;
	/** Whether the lanes are called twice at once. */
	isTwice?: boolean;
	/** Whether chunks may be returned of which nobody knows if these are all. */
	hidesRemovals?: boolean;
}

/** What a request may meet. `afterWork` and `midBody` take effect although they look like a failure. */
const FAULTS: Array<Omit<FaultRule, 'route'>> = [
	{ status: 500 },
	{ status: 429, retryAfter: '0' },
	{ reset: 'beforeResponse' },
	{ reset: 'afterWork' },
	{ reset: 'midBody' },
	{ status: 400 },
];

const ROUTES = ['submit', 'results', 'push', 'delete', 'delete', 'push'] as const;

const pick = <T>(list: readonly T[], random: () => number): T =>
	list[Math.floor(random() * list.length)];

/** Some requests fail, on one or several routes, from some request on. */
function addFaults({ sandbox }: SyncStage, random: () => number): void {
	const rules = 1 + Math.floor(random() * 3);
	for (let rule = 0; rule < rules; rule += 1) {
		sandbox.faults.add({
			route: pick(ROUTES, random),
			...pick(FAULTS, random),
			skip: Math.floor(random() * 4),
			probability: pick([0.3, 0.6, 1], random),
			times: 1 + Math.floor(random() * 8),
		});
	}
}

const later = async (random: () => number) => await pause(random() * MAX_RUN_MS);

/** Every disturbance by its name. */
export const DISTURBANCES: Record<string, Disturbance> = {
	nothing: {},
	faults: { before: addFaults },
	failingTexts: {
		before: ({ sandbox }) =>
			sandbox.faults.add({ route: 'submit', status: 400, whenBodyContains: REFUSED_WORD }),
	},
	noSpans: {
		before: ({ sandbox }) => (sandbox.settings.resultShape = 'topLevelVector'),
		hidesRemovals: true,
	},
	stopped: {
		during: async ({ lanes }, random) => {
			await later(random);
			await Promise.all(lanes.map(async (lane: Lane) => await lane.stop()));
		},
	},
	killed: {
		during: async (stage, random) => {
			await later(random);
			await stage.killN8n();
		},
	},
	twice: { isTwice: true },
};

/** How often each is chosen: a killed n8n takes long to start again. */
const CHOICES = [
	['nothing'],
	['faults'],
	['faults'],
	['failingTexts'],
	['failingTexts', 'faults'],
	['noSpans'],
	['noSpans', 'faults'],
	['stopped'],
	['stopped', 'faults'],
	['killed'],
	['killed', 'faults'],
	['twice'],
	['twice', 'faults'],
];

/** The names of what happens in one round of runs. */
export const chooseDisturbances = (random: () => number): string[] => pick(CHOICES, random);
