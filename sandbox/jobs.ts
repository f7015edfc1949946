import { randomUUID } from 'node:crypto';

import { CHUNKERS } from './chunkers';
import type { SandboxSettings } from './settings';
import type { JobStatus, JobSummary } from './types';
import type { Span } from './units';
import type { VectorShape } from './vectors';

export interface ChunkRequest {
	chunker: string;
	modelId: string;
	texts: string[];
	config: Record<string, unknown>;
	vectorShape: VectorShape;
}

export interface Job {
	chunkingId: string;
	status: JobStatus;
	request: ChunkRequest;
	/** The spans of each text's chunks, in UTF-16 units. Undefined until the job is READY. */
	spans?: Span[][];
	message?: string;
}

/** Jobs that use this model end in ERROR. */
const BROKEN_MODEL = 'broken-model';

export class Jobs {
	private readonly jobs = new Map<string, Job>();

	private readonly timers = new Set<NodeJS.Timeout>();

	/** Increases with every call to `clear`. Jobs from earlier generations are ignored. */
	private generation = 0;

	chunksMade = 0;

	constructor(private readonly settings: SandboxSettings) {}

	submit(request: ChunkRequest): Job {
		const job: Job = { chunkingId: randomUUID(), status: 'SUBMITTED', request };
		this.jobs.set(job.chunkingId, job);
		void this.work(job);
		return job;
	}

	get(chunkingId: string): Job | undefined {
		return this.jobs.get(chunkingId);
	}

	list(): JobSummary[] {
		return [...this.jobs.values()].map(({ chunkingId, status, request }) => ({
			chunkingId,
			status,
			texts: request.texts.length,
		}));
	}

	/** Forgets all jobs. Unfinished jobs never finish. */
	clear(): void {
		this.jobs.clear();
		this.chunksMade = 0;
		this.generation += 1;
		for (const timer of this.timers) clearTimeout(timer);
		this.timers.clear();
	}

	private async work(job: Job): Promise<void> {
		const { generation } = this;
		const [outcome] = await Promise.allSettled([this.split(job.request), this.wait()]);
		if (generation !== this.generation) return;
		if (outcome.status === 'rejected') {
			job.message = (outcome.reason as Error).message;
			job.status = 'ERROR';
			return;
		}
		job.spans = this.cutOff(outcome.value);
		this.chunksMade += job.spans.reduce((sum, spans) => sum + spans.length, 0);
		job.status = 'READY';
	}

	private async wait(): Promise<void> {
		const milliseconds = this.settings.chunkDelayMs;
		if (milliseconds <= 0) return;
		await new Promise<void>((resolve) => {
			const timer = setTimeout(() => {
				this.timers.delete(timer);
				resolve();
			}, milliseconds);
			this.timers.add(timer);
		});
	}

	private async split(request: ChunkRequest): Promise<Span[][]> {
		const { chunker, modelId, texts, config } = request;
		if (modelId === BROKEN_MODEL) {
			throw new Error(`Model ${modelId} failed to embed the chunks`);
		}
		return await CHUNKERS[chunker].split(texts, config);
	}

	/** Silently removes chunks beyond `maxChunks`, as the service does. */
	private cutOff(all: Span[][]): Span[][] {
		let left = this.settings.maxChunks ?? Infinity;
		return all.map((spans) => {
			const kept = spans.slice(0, left);
			left -= kept.length;
			return kept;
		});
	}
}
