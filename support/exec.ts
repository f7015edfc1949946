import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const execute = promisify(execFile);

/** What a finished program left behind. */
export interface Finished {
	code: number;
	stdout: string;
	stderr: string;
}

/** jest's NODE_ENV=test stays here: n8n's lint rules, for one, check other things under it. */
const { NODE_ENV: _, ...ENVIRONMENT } = process.env;

const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;

/** Runs a program to its end; a failing one is a result too. `env` is added to this environment. */
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
		// No exit code means that the program could not be started.
		if (typeof code !== 'number') throw error;
		return { code, stdout, stderr };
	}
}
