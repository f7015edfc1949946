import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { DEFAULT_RETRY_POLICY } from '../shared/flow/backoff';
import { LAST_LOOKS_MS, PollLoop } from '../shared/flow/poll';
import { runRequests, timeoutMs } from '../shared/n8n/bulk-requests';
import { addHint, addTroubleHint } from '../shared/n8n/hints';
import type { Results } from '../shared/n8n/results';
import { executionClock, isCancel } from '../shared/n8n/run';
import { aiService } from '../shared/n8n/services';
import { ServiceSession, sessionRun } from '../shared/n8n/service-session';
import type { SessionResponse } from '../shared/n8n/session';
import {
	DEFAULT_RESULTS_PATH,
	hasContent,
	isDone,
	parseChunkingReply,
	resultsPath,
	submitBody,
	submitPath,
	type ChunkingReply,
} from '../shared/service/chunking';
import { judge, mayBeGoingOn, ServiceFailure } from '../shared/service/failure';
import { InputError } from '../shared/service/input-error';
import { regexHints } from '../shared/service/python-regex';
import { ChunkingIds } from './chunking-ids';
import {
	countMismatch,
	fetchedBefore,
	noChunks,
	noChunkingId,
	noSuchText,
	outOfTime,
	statusError,
	unreadable,
} from './failures';
import type { ChunkOptions } from './options';
import type { ChunkOutput } from './output';
import { tooLarge, type FormerRequest, type TextEntry, type TextRef } from './texts';

/** A chunking request the service has taken. */
interface Job {
	chunkingId: string;
	session: ServiceSession;
	refs: TextRef[];
	status: string;
	/** How many texts it has, where that is known. */
	texts: number | undefined;
	/** Epoch ms; undefined where it was submitted by an earlier run. */
	submittedAt?: number;
}

/** A submission the service has taken, with the reply as it came. */
interface Submission {
	chunkingId: string;
	reply: ChunkingReply;
	body: unknown;
}

/** A service may need a moment until it knows a chunking ID it has just given out. */
const UNKNOWN_ID_GRACE_MS = 30_000;

/**
 * The chunking requests of one run: submits texts, fetches chunks, and tells the output what became
 * of each text. Knows all chunking IDs, so that none is lost however the run ends.
 */
export class ChunkingJobs {
	private readonly sessions = new Map<string, ServiceSession>();
	private readonly ids = new ChunkingIds();
	private readonly troubles = { retries: 0, splits: 0 };
	/** Why texts that go on unfinished may never finish. */
	private readonly lastFaults = new Set<string>();

	constructor(
		private readonly context: IExecuteFunctions,
		private readonly results: Results,
		private readonly options: ChunkOptions,
		private readonly output: ChunkOutput,
	) {
		results.progress = () => String(this.ids);
	}

	/**
	 * Opens the AI service, once for each scope.
	 *
	 * @throws InputError for an unusable credential
	 */
	async open(scopes: Iterable<string>): Promise<void> {
		for (const scope of new Set(scopes)) {
			const session = await ServiceSession.open(sessionRun(this.context), aiService(scope));
			this.sessions.set(scope, session);
		}
	}

	/** Submits texts and leaves them to Get Results. */
	async submit(entries: TextEntry[]): Promise<void> {
		await this.submitAll(entries, (job, { reply, body }) => {
			if (this.settle(job, reply, body) === 'pending') this.letGo(job);
		});
		this.hintAtTroubles();
	}

	/** Submits texts and waits for their chunks, and for those of former requests. */
	async submitAndWait(entries: TextEntry[], former: FormerRequest[]): Promise<void> {
		let submitting = entries.length > 0;
		const maxWaitMs = this.options.maxWaitSeconds * 1000;
		let deadline = submitting ? Infinity : Date.now() + maxWaitMs;
		const loop = this.pollLoop(() => deadline);
		for (const request of former) loop.add(this.jobOf(request));

		const submitted = this.submitAll(entries, (job, { reply, body }) => {
			if (this.settle(job, reply, body) === 'pending') loop.add(job);
			if (this.output.mustStop) loop.stop();
		}).finally(() => {
			submitting = false;
			deadline = Math.min(deadline, Date.now() + maxWaitMs);
			if (this.output.mustStop) loop.stop();
		});
		const [submission, polling] = await Promise.allSettled([
			submitted,
			loop.run(() => submitting),
		]);
		this.troubles.retries += loop.retries;
		this.hintAtTroubles();
		for (const outcome of [submission, polling]) {
			if (outcome.status === 'rejected') throw outcome.reason;
		}
	}

	/** Fetches former requests once each; those without chunks yet come out with their status. */
	async fetchOnce(former: FormerRequest[]): Promise<void> {
		const stats = await runRequests<Job, unknown>(this.context, this.results, this.options, {
			entries: former.map((request) => this.jobOf(request)),
			keyOf: ({ chunkingId }) => chunkingId,
			textOf: () => '',
			limits: { maxCount: 1, maxBytes: Infinity, envelope: 0, separator: 0 },
			tooLarge: ({ chunkingId }) =>
				new InputError(`"${chunkingId}" is too large`, 'Check the ID.'),
			send: async ([packed]) => {
				// Nothing would come out of it, and it may come only once.
				if (packed === undefined || this.output.mustStop) throw new Error('Not fetched');
				return (await this.fetch(packed.entry)).body;
			},
			onDone: ([job], body) => {
				if (!job) return;
				if (this.settle(job, parseChunkingReply(body), body) === 'pending') this.letGo(job);
			},
			onFailed: ([job], error) => job && this.fail(job, error),
			onSkipped: ([job], error) => job && this.fail(job, error),
		});
		this.troubles.retries += stats.retries;
		this.hintAtTroubles();
	}

	private jobOf({ chunkingId, scope, refs, texts }: FormerRequest): Job {
		this.ids.set(chunkingId, 'not finished');
		return { chunkingId, refs, texts, session: this.sessionOf(scope), status: 'SUBMITTED' };
	}

	private sessionOf(scope: string): ServiceSession {
		const session = this.sessions.get(scope);
		if (session === undefined) throw new Error(`No session for the scope ${scope}`);
		return session;
	}

	private async submitAll(
		entries: TextEntry[],
		onSubmitted: (job: Job, submission: Submission) => void,
	): Promise<void> {
		this.hintAtRegexes(entries);
		const { textsPerRequest, bytesPerRequest } = this.options;
		const maxBytes = bytesPerRequest;
		const notSubmitted = (failed: TextEntry[], error: unknown) => {
			const prefix = mayBeGoingOn(error)
				? 'It is not known whether the text was submitted'
				: 'The text was not submitted';
			for (const entry of failed) this.output.failed(entry, error, prefix);
		};
		const stats = await runRequests<TextEntry, Submission>(
			this.context,
			this.results,
			this.options,
			{
				entries: this.untilMustStop(entries),
				keyOf: ({ key }) => key,
				groupOf: ({ group }) => group,
				textOf: ({ text }) => text,
				limits: {
					maxCount: textsPerRequest,
					maxBytes,
					envelope: 0,
					separator: 0,
				},
				tooLarge: (_entry, bytes) => tooLarge('the text', bytes, maxBytes),
				send: async (batch) => await this.send(batch.map(({ entry }) => entry)),
				onDone: (batch, submission) => {
					const [first] = batch;
					if (first === undefined) return;
					const { chunkingId, reply } = submission;
					this.ids.set(chunkingId, 'not finished');
					const job: Job = {
						chunkingId,
						session: this.sessionOf(first.settings.scope),
						refs: batch.map((entry, position) => ({ ...refOf(entry), position })),
						status: reply.status,
						texts: batch.length,
						submittedAt: Date.now(),
					};
					onSubmitted(job, submission);
				},
				onFailed: notSubmitted,
				onSkipped: notSubmitted,
			},
			// The service would chunk what it had already taken a second time.
			false,
		);
		this.troubles.retries += stats.retries;
		this.troubles.splits += stats.splits;
	}

	private *untilMustStop(entries: TextEntry[]): Generator<TextEntry> {
		for (const entry of entries) {
			if (this.output.mustStop) return;
			yield entry;
		}
	}

	private async send(entries: TextEntry[]): Promise<Submission> {
		const [first] = entries;
		if (first === undefined) throw new Error('A request needs a text');
		const { settings } = first;
		const session = this.sessionOf(settings.scope);
		const { body } = await session.request({
			method: 'POST',
			path: submitPath(settings.chunker, settings.modelId),
			body: submitBody(
				settings,
				entries.map(({ text }) => text),
			),
			timeoutMs: timeoutMs(this.options),
		});
		const reply = parseChunkingReply(body);
		if (reply?.chunkingId === undefined) {
			const said = reply === undefined ? '' : session.words(body);
			throw reply?.status === 'ERROR' ? statusError(said) : noChunkingId(said);
		}
		return { chunkingId: reply.chunkingId, reply, body };
	}

	private async fetch({ chunkingId, session }: Job, leftMs = Infinity): Promise<SessionResponse> {
		return await session.request({
			method: 'GET',
			path: resultsPath(this.options.resultsPath ?? DEFAULT_RESULTS_PATH, chunkingId),
			timeoutMs: Math.min(timeoutMs(this.options), leftMs),
			isUnmasked: true,
		});
	}

	private pollLoop(deadline: () => number): PollLoop<Job> {
		const { firstIntervalSeconds, longestIntervalSeconds, maxWaitSeconds, concurrency } =
			this.options;
		const loop: PollLoop<Job> = new PollLoop<Job>({
			look: async (job) => {
				const leftMs = Math.min(
					Math.max(0, deadline() - Date.now()),
					maxWaitSeconds * 1000,
				);
				const { body, retryAfterMs } = await this.fetch(job, leftMs + LAST_LOOKS_MS);
				const reply = parseChunkingReply(body);
				// Such as the HTML page of a proxy: the next look may meet the service again.
				if (reply === undefined && body !== '') throw unreadable();
				const found = this.settle(job, reply, body);
				if (this.output.mustStop) loop.stop();
				return found === 'pending' && retryAfterMs !== undefined ? { retryAfterMs } : found;
			},
			judge: (error, job) => {
				const verdict = judge(error, true);
				return { ...verdict, retry: verdict.retry || maySettleLater(error, job) };
			},
			isFatal: isCancel,
			onFailed: (job, error) => {
				this.fail(job, error);
				if (this.output.mustStop) loop.stop();
			},
			onTimeout: (job, lastError) => {
				if (this.options.whenTimeRunsOut === 'output') {
					if (lastError instanceof Error) this.lastFaults.add(lastError.message);
					return this.letGo(job);
				}
				this.fail(job, outOfTime(maxWaitSeconds, job.status, lastError));
				if (this.output.mustStop) loop.stop();
			},
			intervals: {
				startMs: firstIntervalSeconds * 1000,
				capMs: longestIntervalSeconds * 1000,
			},
			policy: DEFAULT_RETRY_POLICY,
			deadline,
			concurrency,
			clock: executionClock(this.context),
		});
		return loop;
	}

	/** Takes what a reply says about a job (spec, States and transitions). */
	private settle(job: Job, reply: ChunkingReply | undefined, body: unknown): 'pending' | 'ended' {
		// Such as 204: nothing is there yet.
		if (body === '') return 'pending';
		if (reply === undefined) {
			this.fail(job, unreadable());
			return 'ended';
		}
		const { status, results } = reply;
		job.status = status;
		if (status === 'ERROR') {
			this.ids.set(job.chunkingId, 'failed');
			this.fail(job, statusError(job.session.words(body)));
			return 'ended';
		}
		if (this.output.isRaw && (isDone(reply) || hasContent(reply, body))) {
			this.ids.set(job.chunkingId, 'finished, but not put out');
			this.output.raw(job.refs, { chunkingId: job.chunkingId, ...(body as IDataObject) });
			return 'ended';
		}
		if (isDone(reply) && results !== undefined) {
			this.take(job, results, body);
			return 'ended';
		}
		if (status === 'RETRIEVED') {
			this.ids.set(job.chunkingId, 'failed');
			this.fail(job, fetchedBefore());
			return 'ended';
		}
		return 'pending';
	}

	/** The chunks are there: hands them to their texts. */
	private take(job: Job, results: NonNullable<ChunkingReply['results']>, body: unknown): void {
		const { chunkingId, refs, texts } = job;
		this.ids.set(chunkingId, 'finished, but not put out');
		if (texts !== undefined && results.length !== texts) {
			return this.fail(job, countMismatch(results.length, texts), body);
		}
		// Results may come only once: what an item cannot take is kept, with the first such item.
		let kept: unknown = body;
		const hand = (ref: TextRef, position: number) => {
			const chunks = results[position];
			if (chunks !== undefined) return this.output.done(ref, chunkingId, chunks);
			const entry = (body as { chunkedData: unknown[] }).chunkedData[position];
			const error =
				position < results.length
					? noChunks(job.session.words(entry))
					: noSuchText(position, results.length);
			this.output.failed(ref, error, prefixOf(job), chunkingId, kept);
			kept = undefined;
		};
		for (const ref of refs) {
			if (ref.position !== undefined) hand(ref, ref.position);
			else if (results.length === 0) this.output.done(ref, chunkingId, []);
			else if (results.length === 1) hand(ref, 0);
			else results.forEach((_chunks, index) => hand({ ...ref, textIndex: index }, index));
		}
	}

	private fail(job: Job, error: unknown, reply?: unknown): void {
		for (const [index, ref] of job.refs.entries()) {
			// Results may come only once: what did come is kept, with the first item.
			const kept = index === 0 ? reply : undefined;
			this.output.failed(ref, error, prefixOf(job), job.chunkingId, kept);
		}
	}

	/** The texts of a job come out unfinished. */
	private letGo({ chunkingId, refs, status, texts }: Job): void {
		for (const ref of refs) {
			this.output.pending(ref, chunkingId, status, texts);
		}
	}

	private hintAtTroubles(): void {
		addTroubleHint(this.context, this.troubles);
		for (const fault of this.lastFaults)
			addHint(this.context, `The last look failed: ${fault}`);
	}

	private hintAtRegexes(entries: TextEntry[]): void {
		const regexes = new Set(entries.map(({ settings }) => settings.chunkerConfig.regex));
		for (const regex of regexes) {
			if (typeof regex !== 'string') continue;
			for (const hint of regexHints(regex)) addHint(this.context, hint);
		}
	}
}

const refOf = ({ itemIndex, textIndex, text }: TextEntry): TextRef => ({
	itemIndex,
	text,
	...(textIndex !== undefined && { textIndex }),
});

const prefixOf = ({ chunkingId }: Job): string => `Chunking ${chunkingId}`;

/** Faults of a look that the usual judgement takes for final. */
function maySettleLater(error: unknown, { submittedAt }: Job): boolean {
	if (!(error instanceof ServiceFailure)) return false;
	if (error.kind === 'reply') return true;
	const isYoung = submittedAt !== undefined && Date.now() - submittedAt < UNKNOWN_ID_GRACE_MS;
	return error.httpStatus === 404 && isYoung;
}
