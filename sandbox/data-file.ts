import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/** True when a process of this id runs. */
function isAlive(pid: number): boolean {
	try {
		process.kill(pid, 0);
		return true;
	} catch (error) {
		return (error as NodeJS.ErrnoException).code === 'EPERM';
	}
}

/**
 * Makes a database file ready to open: creates its folder and clears the lock that a killed
 * process left behind. node-sqlite3-wasm locks with a directory `<file>.lock`, which says nothing
 * about its owner; `<file>.pid` beside it does.
 * @returns a function to call after the database was closed
 * @throws Error when another living process has the file open
 */
export function claimDataFile(dataFile: string): () => void {
	if (dataFile === ':memory:') return () => undefined;
	const file = resolve(dataFile);
	mkdirSync(dirname(file), { recursive: true });
	const pidFile = `${file}.pid`;
	if (existsSync(pidFile)) {
		const pid = Number(readFileSync(pidFile, 'utf8'));
		if (pid > 0 && pid !== process.pid && isAlive(pid)) {
			throw new Error(
				`${dataFile} is in use by process ${pid}. If that is no sandbox, delete ${dataFile}.pid`,
			);
		}
	}
	rmSync(`${file}.lock`, { recursive: true, force: true });
	writeFileSync(pidFile, String(process.pid));
	return () => rmSync(pidFile, { force: true });
}
