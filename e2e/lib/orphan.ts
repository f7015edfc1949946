import { readFileSync } from 'node:fs';

const LOOK_EVERY_MS = 1000;

/** The parent of a process, where /proc tells (Linux). */
function parentOf(pid: number): string | undefined {
	try {
		const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
		// pid (name, which may hold anything) state ppid ...
		return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1];
	} catch {
		return undefined;
	}
}

/** The two processes above us: tsx, and the shell of the npm that started it. */
function family(): string {
	return `${process.ppid} ${parentOf(process.ppid)}`;
}

/** Calls back when npm is gone without a signal having reached us: nothing may run on alone. */
export function whenOrphaned(callback: () => void): void {
	const before = family();
	const timer = setInterval(() => {
		if (family() === before) return;
		clearInterval(timer);
		callback();
	}, LOOK_EVERY_MS);
	timer.unref();
}
