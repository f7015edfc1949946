/**
 * The service as the interface describes it, without HTTP: what a request takes effect on and what
 * is answered. It keeps the truth that results are held against.
 */
import { randomUUID } from 'node:crypto';

import { accessToken, secretsOf, type Secrets } from './canaries';

export type Route = 'token' | 'submit' | 'results' | 'push' | 'delete' | 'migrate';

/** A text to chunk: `key` names it, and each of its parts carries the key. */
export interface TextPlan {
	key: string;
	parts: number;
}

/** How a job of the chunking service goes. */
export interface JobPlan {
	/** So many polls say that it is not ready. */
	polls: number;
	/** The status until then; null leaves it out. */
	pendingStatus: string | null;
	/** What pending responses carry: nothing, an empty list, no chunks for each text, or the first chunk already. */
	pendingData: 'none' | 'emptyList' | 'emptyTexts' | 'firstChunk';
	end: 'ready' | 'error' | 'errorWithData' | 'failed' | 'never';
	/** READY or RETRIEVED, in any case. */
	readyStatus: string;
	shape: 'current' | 'older' | 'noSpans' | 'unknown' | 'missingEntry';
	/** What the service omits of the last text of a job. */
	truncate: 'nothing' | 'tail' | 'whole';
	/** Results are served once; later requests get the status alone. */
	once: boolean;
	/** How the first results differ from JSON that can be read. */
	damage: Damage;
	/** How many vectors come with the chunks, the first one wrong: of a text, or of all if they share a list. */
	vectors: 'all' | 'oneLess' | 'oneMore' | 'nullForOne' | 'none';
	/** Entries with spans come in the opposite order. */
	isReversed: boolean;
}

export type Damage =
	| 'nothing'
	| 'nan'
	| 'infinity'
	| 'truncated'
	| 'trailingBytes'
	| 'controlCharacter'
	| 'jsonInString';

export const PLAIN_JOB: JobPlan = {
	polls: 1,
	pendingStatus: 'SUBMITTED',
	pendingData: 'none',
	end: 'ready',
	readyStatus: 'READY',
	shape: 'current',
	truncate: 'nothing',
	once: false,
	damage: 'nothing',
	vectors: 'all',
	isReversed: false,
};

/** Too many requests: the service takes none for a while, and later only so many. */
export interface Busy {
	status: 429 | 503;
	/** Of each refusal, in whole seconds; 503 always has one. */
	retryAfterSeconds?: number;
	/** From the first request on. */
	refusesAllForMs: number;
	/** In each interval, to the end. */
	requestsPerInterval: number;
	/** Instead of all that: one request of so many is refused. */
	oneOf?: number;
}

const BUSY_INTERVAL_MS = 50;

/** Requests that are sent again for as long as it takes; a poll is bounded by Max Wait. */
const BUSY_ROUTES: Record<Busy['status'], Route[]> = {
	429: ['submit', 'push', 'delete', 'migrate'],
	// Of other requests it is unknown whether they took effect.
	503: ['push', 'delete'],
};

export interface ServicePlan {
	busy?: Busy;
	/** Jobs take these plans in turn. */
	jobs: JobPlan[];
	/** A text that fails its whole job. */
	badTexts: string[];
	/** Once the chunks of a job were fetched, later requests get its chunking ID, and under that its chunks. */
	repeatsIds: boolean;
	/** A new token revokes the previous ones. */
	revokesTokens: boolean;
	/** A document with this field makes the service refuse the whole request. */
	refusesPoison: boolean;
	maxPushBytes: number;
	/** How a push is answered; `echo` repeats each document, its members in another order. */
	pushAnswer: 'none' | 'status' | 'perDocument' | 'echo';
	/** How a document is rejected within a response of success. */
	rejection:
		| 'status'
		| 'textStatus'
		| 'errorsBeside'
		| 'listedTwice'
		| 'numericId'
		/** By the IDs of the documents. */
		| 'keyed'
		/** A line of JSON for each document. */
		| 'lines'
		/** How many, in words. */
		| 'words';
	unknownId: 'notFound' | 'success';
	indexed: string[];
	/** The key and the password are numbers, which the service may repeat as such. */
	hasNumericSecrets: boolean;
}

export const PLAIN_SERVICE: ServicePlan = {
	jobs: [PLAIN_JOB],
	badTexts: [],
	repeatsIds: false,
	revokesTokens: false,
	refusesPoison: false,
	maxPushBytes: 5_000_000,
	pushAnswer: 'perDocument',
	rejection: 'status',
	unknownId: 'success',
	indexed: [],
	hasNumericSecrets: false,
};

export interface Answer {
	status: number;
	/** undefined sends no body. */
	json?: unknown;
	/** Sent in place of the JSON. */
	text?: string;
	/** Called when the whole response has gone out in a readable form. */
	delivered?: () => void;
}

interface Job {
	id: string;
	keys: string[];
	texts: string[];
	plan: JobPlan;
	pollsLeft: number;
	retrieved: boolean;
	bad: boolean;
	/** Results went out damaged, and do so once. */
	wasDamaged: boolean;
	/** Results have reached a client. */
	hasArrived: boolean;
}

/** What happened to one text. */
export interface TextTruth {
	key: string;
	/** Jobs the text is in, in order of their submission. */
	jobs: string[];
	/** Chunks that were delivered. */
	delivered: Set<string>;
	/** All of its chunks were delivered by a job that had finished. */
	complete: boolean;
	parts: number;
}

/** What happened to one version of a document. */
export interface DocumentTruth {
	accepted: number;
	rejected: number;
}

/** What happened, told by the service. */
export class Truth {
	readonly texts = new Map<string, TextTruth>();
	/** By the document's field `version`, which differs for each. */
	readonly documents = new Map<string, DocumentTruth>();
	/** The version the index holds of each ID. */
	readonly index = new Map<string, string>();
	readonly deletedIds = new Set<string>();
	readonly requestedDeletes: string[] = [];
	readonly commits = { count: 0 };
	readonly migrations = { requests: 0, effects: 0 };
	/** Texts submitted again though a submission had taken effect. */
	readonly resubmitted: Array<{ key: string; isExcused: boolean }> = [];
	readonly migratedAgain = { count: 0 };
	/** Jobs whose submission response was delivered. */
	readonly knownJobs = new Set<string>();
	/** Requests to somewhere else, such as the target of a redirect, with the secrets they carried. */
	readonly strayRequests: string[] = [];
	/** Requests that broke a limit the options set. */
	readonly oversized: string[] = [];
	readonly tokens: string[] = [];

	document(version: string): DocumentTruth {
		const known = this.documents.get(version);
		if (known) return known;
		const created = { accepted: 0, rejected: 0 };
		this.documents.set(version, created);
		return created;
	}
}

export const chunkText = (key: string, part: number): string =>
	`<<${key}p${part}>> Wörter 漢字 😀 über part ${part}.`;

export const textOf = ({ key, parts }: TextPlan): string =>
	Array.from({ length: parts }, (_, part) => chunkText(key, part)).join('\n');

/** The key of a text and the number of the part a chunk is. */
export const MARKER = /<<(i(\d+)t(\d+))p(\d+)>>/g;

/** The vector of a chunk, which no other chunk has. */
export function vectorOf(chunk: string): number[] {
	const [, , item, at, part] = [...chunk.matchAll(MARKER)][0] ?? [];
	return [item, at, part].map(Number);
}

const STRANGE_VECTOR = [99, 99, 99];

function damaged(body: string, damage: Damage): string {
	switch (damage) {
		case 'nothing':
			return body;
		case 'nan':
			return body.replace('"vector":[', '"vector":[NaN,');
		case 'infinity':
			return body.replace('"vector":[', '"vector":[-Infinity,');
		case 'truncated':
			return body.slice(0, Math.floor(body.length * 0.7));
		case 'trailingBytes':
			return `${body}}, and more`;
		case 'controlCharacter':
			return body.replace('"chunks":["', '"chunks":["\u0007');
		case 'jsonInString':
			return JSON.stringify(body);
	}
}

/** Members in the opposite order, at every level. */
function inOtherOrder(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(inOtherOrder);
	if (typeof value !== 'object' || value === null) return value;
	const members = Object.entries(value).map(([name, member]) => [name, inOtherOrder(member)]);
	return Object.fromEntries(members.reverse()) as unknown;
}

const FINISHED = { READY: true, RETRIEVED: true };

const characters = (text: string): number => [...text].length;

/** All that a CSV file has is text. */
const isTrue = (value: unknown): boolean => value === true || value === 'true';

/** The five endpoints, and the place results are fetched from. */
export class Service {
	readonly truth = new Truth();
	readonly jobs = new Map<string, Job>();
	private jobCount = 0;
	private validTokens: string[] = [];
	/** Ends of worlds: jobs that would never finish do so now. */
	finishAll = false;
	/** Whatever was wrong with the service is over: it accepts everything, and new jobs go well. */
	isHealed = false;
	private busySince: number | undefined;
	private interval = 0;
	private inInterval = 0;
	private sinceRefusal = 0;
	readonly secrets: Secrets;

	constructor(
		readonly plan: ServicePlan,
		private readonly name: string,
	) {
		this.secrets = secretsOf(plan.hasNumericSecrets);
		for (const id of plan.indexed) this.truth.index.set(id, 'before');
	}

	issueToken(): Answer {
		const token = accessToken(this.name, this.truth.tokens.length);
		this.truth.tokens.push(token);
		this.validTokens = this.plan.revokesTokens ? [token] : [...this.validTokens, token];
		return {
			status: 200,
			json: {
				token_type: 'Bearer',
				expires_in: 3600,
				access_token: token,
				scope: 'machinelearning.predict',
			},
		};
	}

	isValidToken(token: string): boolean {
		return this.validTokens.includes(token);
	}

	/** Without effect, only what was sent is read. */
	submit(body: unknown, effect: boolean): Answer {
		const texts = ((body as { batch?: Array<{ text?: unknown }> }).batch ?? []).map(
			({ text }) => String(text),
		);
		const keys = texts.map((text) => {
			const [match] = text.matchAll(MARKER);
			return match?.[1] ?? 'unknown';
		});
		for (const key of keys) {
			const known = this.truth.texts.get(key);
			// What failed is submitted again by the user's wish.
			if (this.isHealed) continue;
			if (known !== undefined && known.jobs.length > 0 && !this.mayResubmit(known, keys)) {
				this.truth.resubmitted.push({ key, isExcused: this.isFailed(known) });
			}
		}
		if (!effect) return { status: 200 };
		const fetched = [...this.jobs.values()].find(({ hasArrived }) => hasArrived);
		const own = this.createJob(texts, keys);
		const { id } = this.plan.repeatsIds && !this.isHealed && fetched ? fetched : own;
		return {
			status: 200,
			json: { chunkingId: id, status: 'SUBMITTED' },
			delivered: () => void this.truth.knownJobs.add(id),
		};
	}

	/** Only alone, and only after each of its jobs has failed. */
	private mayResubmit(text: TextTruth, keys: string[]): boolean {
		return (
			keys.length === 1 &&
			text.jobs.every((id) => {
				const job = this.jobs.get(id);
				return job !== undefined && this.hasFailed(job) && job.keys.length > 1;
			})
		);
	}

	/** Nothing can come of what was submitted before, as far as a client can tell. */
	private isFailed({ jobs }: TextTruth): boolean {
		return jobs.every((id) => {
			const job = this.jobs.get(id);
			if (job === undefined || !this.truth.knownJobs.has(id) || this.hasFailed(job))
				return true;
			const isLost = job.plan.once && job.retrieved && !job.hasArrived;
			const isOdd = ['unknown', 'missingEntry'].includes(job.plan.shape);
			return isLost || isOdd || job.wasDamaged;
		});
	}

	/** Whether a request comes too soon. Each request is counted. */
	isTooMuch(route: Route): boolean {
		const { busy } = this.plan;
		if (busy === undefined || this.isHealed) return false;
		if (!BUSY_ROUTES[busy.status].includes(route)) return false;
		if (busy.oneOf !== undefined) {
			this.sinceRefusal = (this.sinceRefusal + 1) % busy.oneOf;
			return this.sinceRefusal === 0;
		}
		const now = performance.now();
		this.busySince ??= now;
		const interval = Math.floor((now - this.busySince) / BUSY_INTERVAL_MS);
		if (interval !== this.interval) this.inInterval = 0;
		this.interval = interval;
		this.inInterval += 1;
		const isPhase = now - this.busySince < busy.refusesAllForMs;
		return isPhase || this.inInterval > busy.requestsPerInterval;
	}

	/** Whether a job may still be polled: it has neither failed nor given its chunks away. */
	isOpen(id: string): boolean {
		const job = this.jobs.get(id);
		return job !== undefined && !job.retrieved && !this.hasFailed(job);
	}

	private hasFailed({ bad, plan, pollsLeft }: Job): boolean {
		return pollsLeft <= 0 && (bad || ['error', 'errorWithData', 'failed'].includes(plan.end));
	}

	createJob(texts: string[], keys: string[]): Job {
		const planned = this.plan.jobs[this.jobCount % this.plan.jobs.length];
		const plan = (this.isHealed ? undefined : planned) ?? PLAIN_JOB;
		this.jobCount += 1;
		const job: Job = {
			id: randomUUID(),
			keys,
			texts,
			plan,
			pollsLeft: plan.polls,
			retrieved: false,
			wasDamaged: false,
			hasArrived: false,
			bad: !this.isHealed && keys.some((key) => this.plan.badTexts.includes(key)),
		};
		this.jobs.set(job.id, job);
		keys.forEach((key, at) => {
			const known = this.truth.texts.get(key) ?? {
				key,
				jobs: [],
				delivered: new Set<string>(),
				complete: false,
				parts: texts[at].split('\n').length,
			};
			known.jobs.push(job.id);
			this.truth.texts.set(key, known);
		});
		return job;
	}

	/** One poll. Without effect nothing changes, as if it had never been asked. */
	results(chunkingId: string, effect: boolean): Answer {
		const job = this.jobs.get(chunkingId);
		if (job === undefined) return { status: 404, json: { message: 'No such job' } };
		const { plan } = job;
		if (plan.end === 'never' ? !this.finishAll : job.pollsLeft > 0) {
			if (effect) job.pollsLeft -= 1;
			return this.pendingAnswer(job);
		}
		if (job.bad || plan.end === 'error') {
			return {
				status: 200,
				json: { chunkingId, status: 'ERROR', message: 'The model failed on a text' },
			};
		}
		if (plan.end === 'failed') return { status: 200, json: { chunkingId, status: 'FAILED' } };
		if (plan.once && job.retrieved)
			return { status: 200, json: { chunkingId, status: 'RETRIEVED' } };
		if (effect) job.retrieved = true;
		const failed = plan.end === 'errorWithData';
		const status = failed ? 'ERROR' : plan.readyStatus;
		const json = { chunkingId, status, ...this.resultOf(job) };
		const text = job.wasDamaged ? undefined : this.damagedText(job, json);
		if (effect && text !== undefined) job.wasDamaged = true;
		const isReadable = text === undefined || ['nan', 'infinity'].includes(plan.damage);
		const isFinished = !failed && plan.shape !== 'unknown' && isReadable;
		return {
			status: 200,
			json,
			...(text !== undefined && { text }),
			delivered: () => this.deliver(job, isFinished, text ?? JSON.stringify(json)),
		};
	}

	private damagedText({ plan: { damage } }: Job, json: object): string | undefined {
		const whole = JSON.stringify(json);
		const text = damaged(whole, damage);
		return text === whole ? undefined : text;
	}

	private pendingAnswer(job: Job): Answer {
		const { plan, id } = job;
		const [first] = job.texts.length > 0 ? this.chunksOf(job, 0) : [];
		const withFirst = plan.pendingData === 'firstChunk' && first !== undefined;
		const status =
			plan.pendingStatus === null || plan.pendingStatus.toUpperCase() in FINISHED
				? 'SUBMITTED'
				: plan.pendingStatus;
		return {
			status: 200,
			json: {
				chunkingId: id,
				status,
				...(plan.pendingData === 'emptyList' && { chunkedData: [] }),
				...(plan.pendingData === 'emptyTexts' && {
					chunkedData: job.texts.map(() => ({ chunks: [], spans: [], vectors: [] })),
				}),
				...(withFirst && { chunkedData: [{ chunks: [first] }] }),
			},
			...(withFirst && {
				delivered: () => void this.truth.texts.get(job.keys[0])?.delivered.add(first),
			}),
		};
	}

	/** The chunks of a text that the service returns, which may be fewer than it has. */
	private chunksOf({ plan, texts }: Job, at: number): string[] {
		const parts = texts[at].split('\n');
		if (at < texts.length - 1 || plan.truncate === 'nothing') return parts;
		return plan.truncate === 'whole' ? [] : parts.slice(0, -1);
	}

	private resultOf(job: Job): object {
		const { plan, texts } = job;
		const inOrder = texts.map((_, at) => this.chunksOf(job, at));
		const all = plan.isReversed ? inOrder.reverse() : inOrder;
		if (plan.shape === 'unknown') {
			return { answer: { passages: all.map((chunks) => chunks.map((body) => ({ body }))) } };
		}
		const kept = plan.shape === 'missingEntry' && all.length > 1 ? all.slice(0, -1) : all;
		if (plan.shape === 'older') {
			return {
				chunkedData: kept.map((chunks) => ({ chunks })),
				vector: this.vectorsOf(job, kept.flat()),
			};
		}
		const hasSpans = plan.shape !== 'noSpans';
		const chunkedData = kept.map((chunks) => ({
			chunks,
			...(hasSpans && { spans: this.spansOf(chunks) }),
			...(plan.vectors !== 'none' && { vectors: this.vectorsOf(job, chunks) }),
		}));
		return { chunkedData };
	}

	private vectorsOf({ plan }: Job, chunks: string[]): unknown[] {
		const of = (vector: number[]) => ({ tokensUsed: { inputTokens: 3 }, vector });
		const vectors = chunks.map((chunk) => of(vectorOf(chunk)));
		switch (plan.vectors) {
			case 'all':
				return vectors;
			case 'oneLess':
				return vectors.slice(1);
			case 'oneMore':
				return [of(STRANGE_VECTOR), ...vectors];
			case 'nullForOne':
				return [null, ...vectors.slice(1)];
			case 'none':
				return [];
		}
	}

	private spansOf(chunks: string[]): Array<[number, number]> {
		let start = 0;
		return chunks.map((chunk) => {
			const end = start + characters(chunk);
			const span: [number, number] = [start, end];
			start = end + 1;
			return span;
		});
	}

	/**
	 * @param finished whether a client can read that these are all chunks
	 * @param sent the body, which may lack the end
	 */
	private deliver(job: Job, finished: boolean, sent: string): void {
		job.hasArrived = true;
		const missing = job.plan.shape === 'missingEntry' && job.texts.length > 1;
		job.keys.forEach((key, at) => {
			if (missing && at === job.keys.length - 1) return;
			const text = this.truth.texts.get(key);
			const chunks = this.chunksOf(job, at);
			// The results of a later job take the place of what could not be used of earlier ones.
			if (finished && text && text.jobs.at(-1) === job.id) text.delivered.clear();
			for (const chunk of chunks) {
				if (sent.includes(chunk.slice(0, chunk.indexOf('>>') + 2)))
					text?.delivered.add(chunk);
			}
			if (text && finished && chunks.length === text.parts) text.complete = true;
		});
	}

	/** @param tells whether a client that reads a success gets to know what was rejected: else nothing is */
	push(body: string, effect: boolean, tells: boolean): Answer {
		const { maxPushBytes, refusesPoison } = this.plan;
		const refuses = !this.isHealed;
		if (refuses && Buffer.byteLength(body) > maxPushBytes) return { status: 413 };
		const parsed = JSON.parse(body) as unknown;
		const documents = (Array.isArray(parsed) ? parsed : [parsed]) as Array<
			Record<string, unknown>
		>;
		const isPoisoned = refusesPoison && documents.some(({ poison }) => isTrue(poison));
		if (refuses && isPoisoned) {
			return { status: 400, json: { message: 'A document cannot be indexed' } };
		}
		if (!effect) return { status: 200 };
		const rejected = documents.filter(({ id, version, reject }) => {
			const truth = this.truth.document(String(version));
			// What was accepted once is not rejected when it comes again.
			if (refuses && isTrue(reject) && tells && truth.accepted === 0) {
				truth.rejected += 1;
				return true;
			}
			truth.accepted += 1;
			this.truth.index.set(String(id), String(version));
			return false;
		});
		return this.pushAnswer(documents, rejected);
	}

	private pushAnswer(
		documents: Array<Record<string, unknown>>,
		rejected: Array<Record<string, unknown>>,
	): Answer {
		// A service that rejects a document has to say so.
		const isShort = ['none', 'status'].includes(this.plan.pushAnswer);
		if (rejected.length === 0 && isShort) {
			return this.plan.pushAnswer === 'none'
				? { status: 204 }
				: { status: 200, json: { status: 'accepted' } };
		}
		const accepted = documents.filter((document) => !rejected.includes(document));
		const fine = accepted.map(({ id }) => ({ id, status: 200 }));
		const reason = 'The field is not indexed';
		const bad = rejected.map(({ id }) => ({ id, status: 422, error: reason }));
		if (this.plan.pushAnswer === 'echo') {
			const echoed = documents.map((document) => ({
				...(inOtherOrder(document) as object),
				...(rejected.includes(document) && { status: 422, error: reason }),
			}));
			return { status: 200, json: { documents: echoed } };
		}
		const everything = [...fine, ...bad];
		switch (this.plan.rejection) {
			case 'status':
				return { status: 200, json: { documents: everything } };
			case 'textStatus':
				return {
					status: 200,
					json: {
						documents: everything.map(({ id, status }) => ({
							id,
							status: String(status),
						})),
					},
				};
			case 'errorsBeside':
				return {
					status: 200,
					json: {
						documents: documents.map(({ id }) => ({ id })),
						errors: rejected.map(({ id }) => ({ id, message: reason })),
					},
				};
			case 'listedTwice':
				return {
					status: 200,
					json: {
						documents: [...bad, ...documents.map(({ id }) => ({ id, status: 200 }))],
					},
				};
			case 'keyed':
				return {
					status: 200,
					json: {
						results: Object.fromEntries(
							everything.map(({ id, ...said }) => [String(id), said]),
						),
					},
				};
			case 'lines':
				return {
					status: 200,
					json: everything,
					text: everything.map((entry) => JSON.stringify(entry)).join('\n'),
				};
			case 'words': {
				const text = rejected.length === 0 ? 'OK' : `${rejected.length} documents rejected`;
				return { status: 200, json: text, text };
			}
			case 'numericId':
				return {
					status: 200,
					json: {
						documents: everything.map((entry) => ({
							...entry,
							id: /^[1-9]\d{0,9}$/.test(String(entry.id))
								? Number(entry.id)
								: entry.id,
						})),
					},
				};
		}
	}

	delete(id: string, commit: boolean, effect: boolean): Answer {
		this.truth.requestedDeletes.push(id);
		if (!effect) return { status: 200 };
		const known = this.truth.index.delete(id);
		if (known || this.plan.unknownId === 'success') this.truth.deletedIds.add(id);
		if (commit && (known || this.plan.unknownId === 'success')) this.truth.commits.count += 1;
		return known || this.plan.unknownId === 'success'
			? { status: 200, json: { id, deleted: true } }
			: { status: 404, json: { message: 'No such document' } };
	}

	migrate(effect: boolean): Answer {
		this.truth.migrations.requests += 1;
		if (!effect) return { status: 200 };
		this.truth.migrations.effects += 1;
		return { status: 200, json: { converted: 3 } };
	}
}
