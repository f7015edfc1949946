import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { createWriteStream, mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** How long a process may take to stop before it is killed. */
const STOP_WITHIN_MS = 15_000;

/** How long a process may take until it is ready. */
const READY_WITHIN_MS = 180_000;

/** As much of a process's output as words are looked for in. */
const WATCHED_CHARACTERS = 10_000;

/** Lines of a log that an error shows. */
const TAIL_LINES = 40;

/** What to start and where its output goes. */
export interface ProcessOptions {
	cwd: string;
	logFile: string;
	env?: NodeJS.ProcessEnv;
	/** Who it runs as, where we are root and it mustn't. */
	user?: { uid: number; gid: number };
	/** Others need it to end in good order: it is stopped after them, with this signal. */
	lastSignal?: NodeJS.Signals;
	/** Called with each piece of output. */
	onOutput?: (text: string) => void;
}

/** A started process and its whole group. */
export interface RunningProcess {
	/** The exit code (or signal) once it has ended; never rejects. */
	ended: Promise<number | string>;
	stop(): Promise<void>;
	/** SIGKILL, as a machine that loses power does it. */
	kill(): void;
}

const running = new Map<RunningProcess, { isLast: boolean }>();

let isClosing = false;

/** The last lines of a log file. */
export function tail(logFile: string, lines = TAIL_LINES): string {
	try {
		return readFileSync(logFile, 'utf8').trimEnd().split('\n').slice(-lines).join('\n');
	} catch {
		return '(no output)';
	}
}

/** True while the process group still has a member. */
function groupLives(pid: number): boolean {
	try {
		process.kill(-pid, 0);
		return true;
	} catch {
		return false;
	}
}

/** Signals a process and everything it started; one that is gone is no matter. */
function signalGroup(pid: number, signal: NodeJS.Signals): void {
	try {
		process.kill(-pid, signal);
	} catch {
		// It ended between the check and the signal.
	}
}

/** Waits a while. */
export async function pause(milliseconds: number): Promise<void> {
	await new Promise((resolve) => setTimeout(resolve, milliseconds));
}

async function stopGroup(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
	const { pid } = child;
	if (pid === undefined) return;
	signalGroup(pid, signal);
	const deadline = Date.now() + STOP_WITHIN_MS;
	while (groupLives(pid) && Date.now() < deadline) await pause(50);
	if (groupLives(pid)) signalGroup(pid, 'SIGKILL');
}

/**
 * Starts a process in a group of its own: Ctrl-C in the terminal reaches only us, and we stop the
 * whole group, so that nothing is left behind.
 */
export function start(command: string, args: string[], options: ProcessOptions): RunningProcess {
	if (isClosing)
		throw new Error(`'${command}' isn't started any more: everything is being stopped`);
	mkdirSync(path.dirname(options.logFile), { recursive: true });
	const log = createWriteStream(options.logFile);
	const child = spawn(command, args, {
		cwd: options.cwd,
		env: options.env ?? process.env,
		...options.user,
		detached: true,
		stdio: ['ignore', 'pipe', 'pipe'],
	});
	for (const stream of [child.stdout, child.stderr]) {
		stream.on('data', (data: Buffer) => {
			log.write(data);
			options.onOutput?.(data.toString());
		});
	}
	const ended = new Promise<number | string>((resolve) => {
		child.once('error', (error) => log.end(`${error.message}\n`, () => resolve(error.message)));
		child.once('close', (code, signal) => log.end(() => resolve(code ?? signal ?? 'unknown')));
	});
	const handle: RunningProcess = {
		ended,
		stop: async () => await stopGroup(child, options.lastSignal ?? 'SIGTERM'),
		kill: () => {
			if (child.pid !== undefined) signalGroup(child.pid, 'SIGKILL');
		},
	};
	running.set(handle, { isLast: options.lastSignal !== undefined });
	void ended.then(() => running.delete(handle));
	return handle;
}

/**
 * Runs a command to its end.
 * @throws Error with the tail of its output when it fails.
 */
export async function run(command: string, args: string[], options: ProcessOptions): Promise<void> {
	const result = await start(command, args, options).ended;
	if (result !== 0) {
		throw new Error(
			`'${command} ${args.join(' ')}' ended with ${result}. Its last lines:\n${tail(options.logFile)}`,
		);
	}
}

/**
 * Starts a process and waits until its output has the words that say it is ready.
 * @throws Error with the tail of its output when they don't come.
 */
export async function startUntil(
	words: string,
	command: string,
	args: string[],
	options: Omit<ProcessOptions, 'onOutput'>,
): Promise<RunningProcess> {
	let output = '';
	let isReady = false;
	const onOutput = (text: string) => {
		output = (output + text).slice(-WATCHED_CHARACTERS);
		isReady ||= output.includes(words);
	};
	const child = start(command, args, { ...options, onOutput });
	let exit: number | string | undefined;
	void child.ended.then((code) => {
		exit = code;
	});
	const deadline = Date.now() + READY_WITHIN_MS;
	while (!isReady && exit === undefined && Date.now() < deadline) await pause(50);
	if (isReady) return child;
	const what =
		exit === undefined ? `isn't ready after ${READY_WITHIN_MS / 1000} s` : `ended with ${exit}`;
	throw new Error(`'${command}' ${what}. Its last lines:\n${tail(options.logFile)}`);
}

/** Stops everything that still runs; nothing can be started any more. */
export async function stopAll(): Promise<void> {
	isClosing = true;
	for (const last of [false, true]) {
		const turn = [...running].filter(([, { isLast }]) => isLast === last);
		await Promise.all(turn.map(async ([handle]) => await handle.stop()));
	}
}
