import { fork } from 'node:child_process';
import { join } from 'node:path';

/** Starts a separate process and runs the `run` function from a file in `bench/` there. Returns the result. */
export async function isolated<P extends object, R>(task: string, parameters: P): Promise<R> {
	const child = fork(join(__dirname, 'isolated-process.ts'), [
		join(__dirname, '..', `${task}.ts`),
		JSON.stringify(parameters),
	]);
	return await new Promise((resolve, reject) => {
		let answer: { result: R } | undefined;
		child.on('message', (message) => {
			answer = message as { result: R };
		});
		child.on('exit', (code, signal) =>
			answer ? resolve(answer.result) : reject(new Error(`${task}: ${signal ?? code}`)),
		);
	});
}
