import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { createWriteStream, mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

import { shortened } from './progress';
import { until } from './wait';

/** Time for a process to stop before it is killed. */
const STOP_WITHIN_MS = 15_000;

const READY_WITHIN_MS = 180_000;

const CHECK_EVERY_MS = 50;

/**
 * Number of characters at the end of a process's output that are searched. The process is ready when they contain
 * certain words.
 */
const SEARCHED_CHARACTERS = 10_000;

const TAIL_LINES = 40;

interface ProcessOptions {
	cwd: string;
	logFile: string;
	env?: NodeJS.ProcessEnv;
	/** The user to run the process as, for programs that refuse to run as root. */
	user?: { uid: number; gid: number };
	/**
	 * The signal that stops the process after all other processes have ended. For example, a database must not stop
	 * before the processes that use it.
	 */
	lastSignal?: NodeJS.Signals;
	onOutput?: (text: string) => void;
}

/** A running process and all processes that it has started. */
export interface RunningProcess {
	pid: number | undefined;
	/** Resolves to the exit code (or signal) when the process has ended. Never rejects. */
	ended: Promise<number | string>;
	stop(): Promise<void>;
	/** Sends SIGKILL, as if the machine lost power. */
	kill(): void;
}

/** A sign that a process is ready: words in its output, or a check. */
type Ready = string | (() => Promise<boolean>);

const running = new Map<RunningProcess, { isLast: boolean }>();

let isClosing = false;

/** Returns the last lines of a log. Long lines are shortened. */
export function tail(logFile: string, lines = TAIL_LINES): string {
	try {
		const last = readFileSync(logFile, 'utf8').trimEnd().split('\n').slice(-lines);
		return last.map(shortened).join('\n');
	} catch {
		return '(no output)';
	}
}

/** Returns true if there is a process with this ID, whoever started it. */
export function isRunning(pid: number): boolean {
	try {
		return process.kill(pid, 0);
	} catch (error) {
		return (error as NodeJS.ErrnoException).code === 'EPERM';
	}
}

/**
 * Sends a signal to a process and to all processes that it has started. Returns false if none of these processes exists
 * anymore.
 */
function signalGroup(pid: number, signal: NodeJS.Signals | 0): boolean {
	try {
		process.kill(-pid, signal);
		return true;
	} catch {
		return false;
	}
}

async function stopGroup({ pid }: ChildProcess, signal: NodeJS.Signals): Promise<void> {
	if (pid === undefined) return;
	signalGroup(pid, signal);
	const isGone = await until(() => !signalGroup(pid, 0), STOP_WITHIN_MS, CHECK_EVERY_MS);
	if (!isGone) signalGroup(pid, 'SIGKILL');
}

/**
 * Starts a process in its own process group. Ctrl-C in the terminal reaches only the current process. The current
 * process then stops the whole group so that nothing is left behind.
 * @throws Error if the current process is already stopping its processes
 */
function start(command: string, args: string[], options: ProcessOptions): RunningProcess {
	if (isClosing)
		throw new Error(`'${command}' was not started, because everything is being stopped`);
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
		pid: child.pid,
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
 * Runs a command and waits until it ends.
 * @throws Error with the end of the command's output if the command fails
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
 * Starts a process and waits until it is ready.
 * @param ready words in its output, or a check that is repeated until it returns true
 * @throws Error if the process exits before it is ready, or if it is not ready within 3 minutes. The error contains the
 * last part of the process's output
 */
export async function startUntil(
	ready: Ready,
	command: string,
	args: string[],
	options: Omit<ProcessOptions, 'onOutput'>,
): Promise<RunningProcess> {
	let output = '';
	let wordsSeen = false;
	const onOutput = (text: string) => {
		if (typeof ready !== 'string' || wordsSeen) return;
		output = (output + text).slice(-SEARCHED_CHARACTERS);
		wordsSeen = output.includes(ready);
	};
	const child = start(command, args, { ...options, onOutput });
	let exit: number | string | undefined;
	void child.ended.then((code) => {
		exit = code;
	});
	const isReady = async () => (typeof ready === 'string' ? wordsSeen : await ready());
	let succeeded = false;
	await until(
		async () => exit !== undefined || (succeeded = await isReady()),
		READY_WITHIN_MS,
		CHECK_EVERY_MS,
	);
	if (succeeded) return child;
	const what =
		exit === undefined
			? `is not ready after ${READY_WITHIN_MS / 1000} s`
			: `ended with ${exit} while starting`;
	throw new Error(
		`'${path.basename(command)}' ${what}. Its last lines:\n${tail(options.logFile)}`,
	);
}

export async function stopAll(): Promise<void> {
	isClosing = true;
	for (const last of [false, true]) {
		const turn = [...running].filter(([, { isLast }]) => isLast === last);
		await Promise.all(turn.map(async ([handle]) => await handle.stop()));
	}
}
