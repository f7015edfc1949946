import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const execute = promisify(execFile);

export interface Finished {
	code: number;
	stdout: string;
	stderr: string;
}

/** jest sets NODE_ENV to `test`, which would change how some programs behave, such as n8n's lint rules. */
const { NODE_ENV: _, ...ENVIRONMENT } = process.env;

const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;

/**
 * Runs a program until it ends. A nonzero exit code is part of the result, and does not throw an error. `env` adds
 * variables to the environment.
 */
export async function run(
	file: string,
	args: string[],
	cwd: string,
	env: NodeJS.ProcessEnv = {},
): Promise<Finished> {
	try {
		const { stdout, stderr } = await execute(file, args, {
			cwd,
			env: { ...ENVIRONMENT, ...env },
			maxBuffer: MAX_OUTPUT_BYTES,
		});
		return { code: 0, stdout, stderr };
	} catch (error) {
		const { code, stdout = '', stderr = '' } = error as Partial<Finished> & { code?: unknown };
		// If there is no exit code, the program did not start.
		if (typeof code !== 'number') throw error;
		return { code, stdout, stderr };
	}
}
