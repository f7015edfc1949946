import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { stopAll } from './processes';
import { say } from './progress';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Exit code of a program that Ctrl-C has ended. */
const INTERRUPTED = 130;

/** A running command of e2e/. Code that starts something registers here how to stop it. */
export class Command {
	private readonly cleanUps: Array<() => Promise<void>> = [];

	private stopped: Promise<void> | undefined;

	/** True once the command is being stopped. */
	get isStopping(): boolean {
		return this.stopped !== undefined;
	}

	/** Registers work for the end. It runs after all processes have stopped, in the reverse order of registration. */
	onStop(cleanUp: () => Promise<void>): void {
		this.cleanUps.push(cleanUp);
	}

	/**
	 * Creates a folder that is removed at the end.
	 * @param name part of the folder's name, for anyone who finds it
	 * @returns its path
	 */
	async temporaryFolder(name: string): Promise<string> {
		const folder = await mkdtemp(path.join(tmpdir(), `search-ingest-${name}-`));
		this.onStop(async () => await rm(folder, { recursive: true, force: true }));
		return folder;
	}

	/** Stops all processes and cleans up. Further calls have no effect. */
	async stop(): Promise<void> {
		await (this.stopped ??= this.stopEverything());
	}

	private async stopEverything(): Promise<void> {
		await stopAll();
		for (const cleanUp of this.cleanUps.reverse()) await cleanUp();
	}
}

/**
 * Runs a command of e2e/ and ends this process. The exit code is 0 if `work` returns true, otherwise 1. By then,
 * processes and temporary folders are removed, even after Ctrl-C or if npm is killed.
 * @param work returns true if everything passed
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
		// The format is: pid (name, which may contain anything) state ppid ...
		return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1];
	} catch {
		return undefined;
	}
}

/** Returns the two processes above this one: tsx, and the shell of the npm that started it. */
function ancestors(): string {
	return `${process.ppid} ${parentOf(process.ppid)}`;
}

/** Calls back if npm has ended without sending a signal to this process, so that nothing keeps running alone. */
function whenOrphaned(callback: () => void): void {
	const before = ancestors();
	const timer = setInterval(() => {
		if (ancestors() === before) return;
		clearInterval(timer);
		callback();
	}, CHECK_EVERY_MS);
	timer.unref();
}
