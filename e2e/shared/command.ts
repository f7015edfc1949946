import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { stopAll } from './processes';
import { say } from './progress';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

const INTERRUPTED = 130;

/** A running end-to-end command. If code starts something, it must register a stop function here. */
export class Command {
	private readonly cleanUps: Array<() => Promise<void>> = [];

	private stopped: Promise<void> | undefined;

	get isStopping(): boolean {
		return this.stopped !== undefined;
	}

	/** Registers cleanup work. It runs after all processes have stopped, in the reverse order of registration. */
	onStop(cleanUp: () => Promise<void>): void {
		this.cleanUps.push(cleanUp);
	}

	/**
	 * Creates a folder that is removed when the command ends.
	 * @param name a part of the folder's name that shows what the folder is for
	 * @returns its path
	 */
	async temporaryFolder(name: string): Promise<string> {
		const folder = await mkdtemp(path.join(tmpdir(), `search-ingest-${name}-`));
		this.onStop(async () => await rm(folder, { recursive: true, force: true }));
		return folder;
	}

	async stop(): Promise<void> {
		await (this.stopped ??= this.stopEverything());
	}

	private async stopEverything(): Promise<void> {
		await stopAll();
		for (const cleanUp of this.cleanUps.reverse()) await cleanUp();
	}
}

/**
 * Runs an end-to-end command. Then stops the processes that it started, removes temporary folders, and ends this
 * process. This also happens after Ctrl-C or if npm is killed. The exit code is 0 if `work` returns true, otherwise 1.
 * @param work the command's work, which returns true if everything passed
 * @param options.interrupted exit code after Ctrl-C. The default is 130
 */
export function runCommand(
	work: (command: Command) => Promise<boolean>,
	options: { interrupted?: number } = {},
): void {
	const command = new Command();
	const end = async (code: number) => {
		await command.stop();
		process.exit(code);
	};
	const interrupt = () => {
		if (!command.isStopping) say('\nStopping …');
		void end(options.interrupted ?? INTERRUPTED);
	};
	for (const signal of SIGNALS) process.on(signal, interrupt);
	whenOrphaned(interrupt);
	work(command).then(
		async (passed) => await end(passed ? 0 : 1),
		async (error: unknown) => {
			if (!command.isStopping)
				say(`\n${error instanceof Error ? error.message : String(error)}`);
			await end(1);
		},
	);
}

const CHECK_EVERY_MS = 1000;

/** Returns the parent of a process if /proc exists (Linux). */
function parentOf(pid: number): string | undefined {
	try {
		const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
		// The file contains `ID (name) state parent ...`. The name can contain parentheses, so the search starts at the
		// last parenthesis.
		return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1];
	} catch {
		return undefined;
	}
}

/** Returns this process's parent (tsx) and grandparent (the shell that npm started). */
function ancestors(): string {
	return `${process.ppid} ${parentOf(process.ppid)}`;
}

/**
 * Calls `callback` if npm exits without sending this process a signal. The callback can then stop whatever is still
 * running.
 */
function whenOrphaned(callback: () => void): void {
	const before = ancestors();
	const timer = setInterval(() => {
		if (ancestors() === before) return;
		clearInterval(timer);
		callback();
	}, CHECK_EVERY_MS);
	timer.unref();
}
