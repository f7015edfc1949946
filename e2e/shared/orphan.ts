import { readFileSync } from 'node:fs';

const CHECK_EVERY_MS = 1000;

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

/** The two processes above this one: tsx, and the shell of the npm that started it. */
function ancestors(): string {
	return `${process.ppid} ${parentOf(process.ppid)}`;
}

/** Calls back when npm has ended without a signal to this process, so that nothing runs on alone. */
export function whenOrphaned(callback: () => void): void {
	const before = ancestors();
	const timer = setInterval(() => {
		if (ancestors() === before) return;
		clearInterval(timer);
		callback();
	}, CHECK_EVERY_MS);
	timer.unref();
}
