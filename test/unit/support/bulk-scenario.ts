import type { Packed } from '../../../nodes/shared/sending/batcher';
import { bulk } from '../../../nodes/shared/sending/bulk';
import type { BulkOptions } from '../../../nodes/shared/sending/batch-sender';
import type { Diagnosis } from '../../../nodes/shared/sending/diagnosis';
import { Limiter } from '../../../nodes/shared/sending/limiter';
import { ServiceHealth } from '../../../nodes/shared/sending/retry-policy';
import type { RunStats } from '../../../nodes/shared/sending/run-state';
import { flat } from './slices';
import { diagnose, ServiceFailure } from '../../../nodes/shared/service/failure';
import { VirtualRun } from '../../../support/virtual-run';

export interface RequestInfo {
	request: number;
	attempts: number;
	bytes: number;
}

export interface Entry {
	/** The document's position in the input. The position is also the document's version. */
	position: number;
	id: string;
	text: string;
}

export type Fault =
	| 'none'
	| 'slow'
	| 'throttled'
	| 'throttled 3 s'
	| 'unavailable'
	| 'unavailable 2 s'
	| 'bad gateway 2 s'
	| 'reset'
	| 'denied';

export interface Scenario {
	entries: Entry[];
	maxCount?: number;
	maxBytes?: number;
	concurrency?: number;
	retryForMs?: number;
	stopOnFailure?: boolean;
	/** The first fault applies to the first request, the second fault to the second request, and so on. */
	faults?: Fault[];
	/** Maximum request size in bytes. Above this size, the service answers with 413. */
	sizeLimit?: number;
	/** The service responds with 400 to any request that contains one of these IDs. */
	poisoned?: string[];
	/** Positions of entries that cannot be converted to text. */
	unwritable?: number[];
	cancelAtMs?: number;
	seed?: number;
	latencyMs?: number;
}

export interface Sent {
	at: number;
	positions: number[];
	attempt: number;
}

export interface Ending {
	position: number;
	how: 'done' | 'failed' | 'skipped';
	error?: unknown;
	info?: RequestInfo;
}

export interface Outcome {
	stats?: RunStats;
	thrown?: unknown;
	endings: Ending[];
	sent: Sent[];
	index: Map<string, number>;
	violations: string[];
	/** Positions of the entries whose text has been created. */
	packed: number[];
	endedAt: number;
}

export const diagnosisOf = (error: unknown): Diagnosis => diagnose(error, { idempotent: true });

export const CANCEL = new Error('The execution was stopped');
export const ENVELOPE_BYTES = 2;
export const SEPARATOR_BYTES = 1;

export const entry = (id: string, position: number, bytes = 10): Entry => ({
	position,
	id,
	text: 'x'.repeat(bytes),
});

export const entries = (count: number, bytes = 10): Entry[] =>
	Array.from({ length: count }, (_, position) => entry(`id${position}`, position, bytes));

const status = (code: number, retryAfterMs?: number) =>
	new ServiceFailure(`status ${code}`, {
		kind: 'status',
		status: code,
		...(retryAfterMs !== undefined && { retryAfterMs }),
	});

const FAULTS: Partial<Record<Fault, () => Error>> = {
	throttled: () => status(429),
	'throttled 3 s': () => status(429, 3000),
	unavailable: () => status(503),
	'unavailable 2 s': () => status(503, 2000),
	'bad gateway 2 s': () => status(502, 2000),
	reset: () => new ServiceFailure('reset', { kind: 'transport', code: 'ECONNRESET' }),
	denied: () => status(401),
};

/** Returns the size of a request body. A single entry is sent as is, and several entries as a JSON array. */
export const bodyBytes = (batch: Array<{ text: string }>): number => {
	const texts = batch.map(({ text }) => text).join(',');
	return Buffer.byteLength(batch.length === 1 ? texts : `[${texts}]`);
};

/** Runs `bulk` in virtual time against a simulated service, which keeps an index. */
export async function runScenario(scenario: Scenario): Promise<Outcome> {
	const {
		maxCount = 10,
		maxBytes = 100_000,
		concurrency = 4,
		retryForMs = 60_000,
		stopOnFailure = false,
		faults = [],
		sizeLimit = Infinity,
		poisoned = [],
		unwritable = [],
		cancelAtMs,
		seed = 1,
		latencyMs,
	} = scenario;
	const run = new VirtualRun({ seed, stopsOnFailure: stopOnFailure });
	const { clock } = run;
	if (cancelAtMs !== undefined) run.cancelAt(cancelAtMs, CANCEL);
	const stop = run.stop.bind(run);
	run.stop = (reason) => {
		mustSendNothing ||= 'the failure that ended the run';
		stop(reason);
	};

	const outcome: Outcome = {
		endings: [],
		sent: [],
		index: new Map(),
		violations: [],
		packed: [],
		endedAt: 0,
	};
	const { endings, sent, index, violations } = outcome;
	const keysInFlight = new Set<string>();
	let inFlight = 0;
	let mustSendNothing = '';

	const latency = () => latencyMs ?? 1 + clock.random() * 200;
	const check = (holds: boolean, rule: string) => {
		if (!holds) violations.push(`request ${sent.length}: ${rule}`);
	};

	async function send(batch: Array<Packed<Entry>>, announced: number): Promise<string> {
		const ids = batch.map((packed) => packed.entry.id);
		const bytes = bodyBytes(batch);
		inFlight++;
		const positions = batch.map((packed) => packed.entry.position);
		const attempt =
			1 + sent.filter((each) => String(each.positions) === String(positions)).length;
		sent.push({ at: clock.now(), positions, attempt });
		const fault = faults[sent.length - 1] ?? 'none';
		if (cancelAtMs !== undefined && clock.now() > cancelAtMs) mustSendNothing = 'a cancel';
		check(mustSendNothing === '', `sent after ${mustSendNothing}`);
		check(inFlight <= concurrency, 'more at once than allowed');
		check(batch.length <= maxCount, 'too many entries');
		check(bytes <= maxBytes, 'too many bytes');
		check(bytes === announced, 'another size than the engine reckons');
		check(new Set(ids).size === ids.length, 'an id twice in a request');
		check(!ids.some((id) => keysInFlight.has(id)), 'an id twice in flight');
		for (const id of ids) keysInFlight.add(id);
		try {
			await clock.sleep(latency() * (fault === 'slow' ? 50 : 1));
			const error = FAULTS[fault]?.();
			if (error) throw error;
			if (bytes > sizeLimit) throw status(413);
			if (ids.some((id) => poisoned.includes(id))) throw status(400);
			for (const packed of batch) index.set(packed.entry.id, packed.entry.position);
			await clock.sleep(latency());
			return 'taken';
		} finally {
			inFlight--;
			for (const id of ids) keysInFlight.delete(id);
		}
	}

	const options: BulkOptions<Entry, string> = {
		keyOf: ({ id }) => id,
		textOf: ({ position, text }) => {
			outcome.packed.push(position);
			if (unwritable.includes(position)) throw new Error(`${position} has no text`);
			return text;
		},
		limits: {
			maxCount,
			maxBytes,
			envelopeBytes: ENVELOPE_BYTES,
			separatorBytes: SEPARATOR_BYTES,
		},
		concurrency,
		retryForMs,
		run,
		limiterClient: new Limiter().join(run, concurrency),
		health: new ServiceHealth(),
		send,
		diagnose: diagnosisOf,
		tooLarge: ({ id }, bytes) => new Error(`${id} has ${bytes} bytes`),
	};
	const consume = async () => {
		for await (const { entries, outcome: result, request, attempts, bytes } of flat(
			bulk([scenario.entries], options),
		)) {
			const isSkipped = !result.ok && (result.skipped || run.ended?.reason === CANCEL);
			const how = result.ok ? 'done' : isSkipped ? 'skipped' : 'failed';
			for (const { position } of entries) {
				endings.push({
					position,
					how,
					...(!result.ok && { error: result.reason }),
					...(how !== 'skipped' && { info: { request, attempts, bytes } }),
				});
			}
		}
		if (run.ended?.reason === CANCEL) throw CANCEL;
	};
	await clock.run(consume()).then(
		() => (outcome.stats = run.stats),
		(thrown: unknown) => (outcome.thrown = thrown),
	);
	outcome.endedAt = clock.now();
	const before = { endings: endings.length, sent: sent.length };
	await clock.drain();
	check(endings.length === before.endings, 'an entry ended after the run');
	check(sent.length === before.sent, 'sent after the run');
	return outcome;
}

export const ended = ({ endings }: Outcome, how: Ending['how']): number[] =>
	endings
		.filter((ending) => ending.how === how)
		.map(({ position }) => position)
		.sort((a, b) => a - b);

/** Returns the index that results from applying the accepted entries in input order. */
export function model(all: Entry[], outcome: Outcome): Map<string, number> {
	const accepted = new Set(ended(outcome, 'done'));
	return new Map(
		all.filter(({ position }) => accepted.has(position)).map((e) => [e.id, e.position]),
	);
}
