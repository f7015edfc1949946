/** A world: what goes in, how the node is set, and what the service does about it. All plain JSON. */
import type { IDataObject, OnError } from 'n8n-workflow';

import type { NodeKey, Settings } from './adapter';
import type { FaultRule } from './faults';
import type { FilePlan } from './files';
import { PLAIN_JOB, PLAIN_SERVICE, type JobPlan, type ServicePlan } from './service';

/** Chunk Text in one run, or in two: what the first one leaves over goes into the second. */
export type Flow = 'once' | 'submitThenGet' | 'waitThenGet' | 'waitThenResume';

export interface World {
	node: NodeKey;
	onError: OnError;
	/** Push and delete: the items as they are. Chunk: made from `texts`. */
	items: IDataObject[];
	/** Chunk: how many parts each text of each item has. */
	texts: number[][];
	/** Instead of both: each item has a file. */
	files?: FilePlan[];
	settings: Settings;
	flow: Flow;
	/** n8n's Retry On Fail: the node is run once more if it, or its first item, fails. */
	retries: boolean;
	service: ServicePlan;
	faults: FaultRule[];
	cancelAfterMs?: number;
}

export const PLAIN_WORLD: World = {
	node: 'push',
	onError: 'continueRegularOutput',
	items: [],
	texts: [],
	settings: {},
	flow: 'once',
	retries: false,
	service: PLAIN_SERVICE,
	faults: [],
};

/** A world that differs from a plain one only in what is given. */
export function worldOf(
	given: Partial<Omit<World, 'service'>> & { service?: Partial<ServicePlan> },
): World {
	return { ...PLAIN_WORLD, ...given, service: { ...PLAIN_SERVICE, ...given.service } };
}

/** What differs from a plain world, as {@link worldOf} takes it. */
export function differenceOf(world: World): object {
	const differs =
		(plain: object) =>
		([key, value]: [string, unknown]) =>
			JSON.stringify(value) !== JSON.stringify(plain[key as never]);
	const entries = Object.entries(world).filter(differs(PLAIN_WORLD));
	const service = Object.entries(world.service).filter(differs(PLAIN_SERVICE));
	return {
		...Object.fromEntries(entries),
		...(service.length > 0 && { service: Object.fromEntries(service) }),
	};
}

export const jobOf = (given: Partial<JobPlan>): JobPlan => ({ ...PLAIN_JOB, ...given });

export const NEVER: JobPlan = { ...PLAIN_JOB, end: 'never' };

export const COMMON: Settings = { maxAttempts: 2, timeout: 1, maxRefused: 2 };

/** How each node finds the records of its file. */
export const READING: Settings = {
	...COMMON,
	bytesPerFile: 1000,
	// Of several names, those count that the item has.
	inputField: 'data, data1',
	fileFormat: '={{ $json.format }}',
	listPath: '={{ $json.path }}',
	skipRecords: '={{ $json.skip }}',
	maxRecords: '={{ $json.max }}',
};
