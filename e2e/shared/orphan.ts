import { readFileSync } from 'node:fs';

const CHECK_EVERY_MS = 1000;

/** Returns the parent of a process if /proc exists (Linux). */
function parentOf(pid: number): string | undefined {
	try {
		const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
		// The format is: pid (name, which may contain anything) state ppid ...
		return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1];
	} catch {
		return undefined;
	}
}

/** Returns the two processes above this one: tsx, and the shell of the npm that started it. */
function ancestors(): string {
	return `${process.ppid} ${parentOf(process.ppid)}`;
}

/** Calls back if npm has ended without sending a signal to this process, so that nothing keeps running alone. */
export function whenOrphaned(callback: () => void): void {
	const before = ancestors();
	const timer = setInterval(() => {
		if (ancestors() === before) return;
		clearInterval(timer);
		callback();
	}, CHECK_EVERY_MS);
	timer.unref();
}
