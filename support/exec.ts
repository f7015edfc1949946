import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const execute = promisify(execFile);

export interface Finished {
	code: number;
	stdout: string;
	stderr: string;
}

/**
 * jest's NODE_ENV=test is not passed on, because it changes how some programs behave. For example, n8n's lint rules
 * would apply different checks.
 */
const { NODE_ENV: _, ...ENVIRONMENT } = process.env;

const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;

/**
 * Runs a program and waits until it ends. A nonzero exit code is returned, not thrown as an error. `env` extends the
 * environment.
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
		// A missing exit code means that the program could not be started.
		if (typeof code !== 'number') throw error;
		return { code, stdout, stderr };
	}
}
