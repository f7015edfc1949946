import { fork } from 'node:child_process';
import { join } from 'node:path';

/** Signals and codes by which Node ends when its heap is full. */
const OUT_OF_MEMORY = ['SIGABRT', 134];

/**
 * Runs `run` of a file in `tasks/` in a process of its own, with the garbage collector at hand.
 *
 * @param heapMb most memory of its heap, in MB
 * @param node another Node.js than the one that runs this
 * @returns what it returned, or undefined if the heap was too small
 */
export async function isolated<P extends object, R>(
	task: string,
	parameters: P,
	heapMb = 8192,
	node: { execPath?: string } = {},
): Promise<R | undefined> {
	const child = fork(
		join(__dirname, 'isolated-process.ts'),
		[join(__dirname, '..', 'tasks', `${task}.ts`), JSON.stringify(parameters)],
		{
			...node,
			execArgv: [...process.execArgv, '--expose-gc', `--max-old-space-size=${heapMb}`],
			stdio: ['ignore', 'inherit', 'pipe', 'ipc'],
		},
	);
	const errors: Buffer[] = [];
	child.stderr?.on('data', (chunk: Buffer) => errors.push(chunk));
	return await new Promise((resolve, reject) => {
		let answer: { result: R } | undefined;
		child.on('message', (message) => {
			answer = message as { result: R };
		});
		child.on('exit', (code, signal) => {
			if (answer) return resolve(answer.result);
			if (OUT_OF_MEMORY.includes(signal ?? code ?? 0)) return resolve(undefined);
			reject(new Error(`${task} ended with ${signal ?? code}\n${errors.join('')}`));
		});
	});
}
