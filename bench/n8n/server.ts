import path from 'node:path';

import type { Execution } from '../../e2e/n8n/execution';
import { nodeTimes, type NodeTime } from '../../e2e/n8n/event-log';
import {
	longestBlock,
	startMeasuredN8n,
	type LongestBlock,
	type MeasuredN8n,
} from '../../e2e/n8n/measure';
import { installPackage, type PackedPackage } from '../../e2e/n8n/package';
import type { CpuProfile } from '../../e2e/n8n/profile';
import type { CredentialValues } from '../../e2e/n8n/workflow';
import type { Credentials } from '../../e2e/service/templates';
import type { Command } from '../../e2e/shared/command';
import { CACHE } from '../../e2e/shared/paths';
import { freePort } from '../../e2e/shared/ports';
import { say, seconds } from '../../e2e/shared/progress';
import { pause } from '../../e2e/shared/wait';
import { TRIGGER, workflowOf, type Step } from './workflows';

/** No run takes longer. */
const RUN_WITHIN_MS = 30 * 60_000;

/** After the end of an execution, until n8n has stored its data and written its event log. */
const SETTLE_MS = 500;

/** Where n8n keeps files, as it calls it; `default` is the memory. */
export type FileMode = 'filesystem' | 'database' | 'default';

/** A run of a workflow. */
export interface Run {
	executionId: string;
	status: string;
	/** From its start to its end. */
	ms: number;
	/** When each node ran. */
	nodes: Record<string, NodeTime>;
}

/** What a run took from n8n. */
export interface MeasuredRun extends Run {
	/** Processor time of n8n's main thread. */
	cpuMs: number;
	idleRssBytes: number;
	peakAboveIdleBytes: number;
	databaseGrowthBytes: number;
	/** Longest block of the event loop during the execution, and while a node ran. */
	block: LongestBlock;
	blockWithin(node: string): LongestBlock;
}

/** How long a node took, in milliseconds. */
export const msOf = ({ nodes }: Run, node: string): number =>
	(nodes[node]?.to ?? NaN) - (nodes[node]?.from ?? NaN);

/** An n8n with the package, which can be started anew on the same data. */
export class Server {
	private n8n: MeasuredN8n | undefined;
	private credentials: Credentials = {};
	private started = 0;

	private constructor(
		private readonly folder: string,
		private readonly wanted: Array<Omit<CredentialValues, 'id'>>,
	) {}

	/** Installs the package for a new n8n, which is not started yet. */
	static async create(
		command: Command,
		packed: PackedPackage,
		credentials: Array<Omit<CredentialValues, 'id'>>,
	): Promise<Server> {
		const folder = await command.temporaryFolder('bench');
		await installPackage(packed, folder);
		return new Server(folder, credentials);
	}

	/** Where n8n's output is, of its latest start. */
	get logFile(): string {
		return path.join(CACHE, 'bench', `n8n-${this.started}.log`);
	}

	/** Stops n8n if it runs, and starts it; it keeps files in that place. */
	async restart(mode: FileMode = 'filesystem'): Promise<void> {
		await this.n8n?.process.stop();
		this.started++;
		this.n8n = await startMeasuredN8n(this.folder, await freePort(), {
			logFile: this.logFile,
			settings: { N8N_DEFAULT_BINARY_DATA_MODE: mode },
		});
		if (this.started > 1) return;
		for (const credential of this.wanted) await this.addCredential(credential);
	}

	/** Stores a credential, which steps name. */
	async addCredential(credential: Omit<CredentialValues, 'id'>): Promise<void> {
		const id = await this.running.api.saveCredential(credential);
		this.credentials[credential.name] = { id, ...credential };
	}

	/** Kills n8n as if the machine lost power. */
	async kill(): Promise<void> {
		this.running.process.kill();
		await this.running.process.ended;
	}

	/** Starts a run of these steps; returns the ID of the execution, and waits for its end if asked. */
	async start(name: string, steps: Step[]): Promise<{ id: string; ended: () => Promise<Run> }> {
		const { api } = this.running;
		const workflow = await api.saveWorkflow(workflowOf(name, steps, this.credentials));
		const id = await api.startManually(workflow.id, TRIGGER);
		const ended = async (): Promise<Run> => {
			const end = await api.waitForEnd(workflow.id, id, RUN_WITHIN_MS);
			await pause(SETTLE_MS);
			return {
				executionId: id,
				status: end.status,
				ms: Date.parse(end.stoppedAt ?? '') - Date.parse(end.startedAt ?? ''),
				nodes: await nodeTimes(this.folder, id),
			};
		};
		return { id, ended };
	}

	/**
	 * Runs these steps.
	 * @throws Error if the execution fails
	 */
	async run(name: string, steps: Step[]): Promise<Run> {
		const { ended } = await this.start(name, steps);
		return await this.succeeded(name, await ended());
	}

	/**
	 * Runs these steps and measures what they take from n8n.
	 * @throws Error if the execution fails
	 */
	async measure(name: string, steps: Step[]): Promise<MeasuredRun> {
		const { result, measured } = await this.running.measure(
			async () => await this.run(name, steps),
		);
		// The tables come at the end of each part, which takes minutes.
		say(
			`  ${name}: ${seconds(result.ms)}, ${Math.round(measured.peakAboveIdleBytes / 1e6)} MB`,
		);
		const { cpuMs, idleRssBytes, peakAboveIdleBytes, databaseGrowthBytes } = measured;
		return {
			...result,
			cpuMs,
			idleRssBytes,
			peakAboveIdleBytes,
			databaseGrowthBytes,
			block: longestBlock(measured),
			blockWithin: (node) => longestBlock(measured, result.nodes[node]),
		};
	}

	/** Runs these steps under V8's CPU profiler. */
	async profile(name: string, steps: Step[]): Promise<CpuProfile> {
		return await this.running.profile(async () => await this.run(name, steps));
	}

	/** The data of an execution, for those that have few. */
	async execution(id: string): Promise<Execution> {
		return await this.running.api.execution(id);
	}

	private async succeeded(name: string, run: Run): Promise<Run> {
		if (run.status === 'success') return run;
		const { message } = await this.execution(run.executionId);
		throw new Error(`'${name}' ended with ${run.status}: ${message ?? 'no message'}`);
	}

	private get running(): MeasuredN8n {
		if (!this.n8n) throw new Error('n8n was not started');
		return this.n8n;
	}
}
