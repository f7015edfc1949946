import { readdirSync, readFileSync } from 'node:fs';

const SAMPLE_EVERY_MS = 200;

/** Processor time in seconds, and the highest resident memory in MB. */
export interface Usage {
	/** Of both processes. On a shared machine, it says more than the time on the clock. */
	cpuSeconds: number;
	n8n: number;
	runner: number;
	/** Of both processes at the same time. */
	both: number;
}

/** Measures n8n and its task runner until `stop` is called. Needs Linux, because it reads /proc. */
export function measureUsage(pid: number): { stop(): Usage } {
	const highest: Usage = { cpuSeconds: 0, n8n: 0, runner: 0, both: 0 };
	const cpuBefore = cpuSecondsOf(pid);
	const sample = () => {
		const n8n = residentMb(pid);
		const runner = childrenOf(pid).reduce((sum, child) => sum + residentMb(child), 0);
		highest.n8n = Math.max(highest.n8n, n8n);
		highest.runner = Math.max(highest.runner, runner);
		highest.both = Math.max(highest.both, n8n + runner);
	};
	sample();
	const timer = setInterval(sample, SAMPLE_EVERY_MS);
	return {
		stop: () => {
			clearInterval(timer);
			sample();
			highest.cpuSeconds = cpuSecondsOf(pid) - cpuBefore;
			return highest;
		},
	};
}

/** Returns the children of a process, and their children. */
function childrenOf(pid: number): number[] {
	const pids = readdirSync('/proc').map(Number).filter(Boolean);
	const children = pids.filter((each) => fieldOf(each, 'PPid') === pid);
	return children.flatMap((child) => [child, ...childrenOf(child)]);
}

/** Linux counts processor time in hundredths of a second. */
const TICKS_PER_SECOND = 100;

const cpuSecondsOf = (pid: number): number =>
	[pid, ...childrenOf(pid)].reduce((sum, each) => sum + ticksOf(each), 0) / TICKS_PER_SECOND;

function ticksOf(pid: number): number {
	try {
		const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
		// The name in parentheses may contain spaces. User and system time are the 12th and 13th field after it.
		const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
		return Number(fields[11]) + Number(fields[12]);
	} catch {
		return 0;
	}
}

const residentMb = (pid: number): number => fieldOf(pid, 'VmRSS') / 1024;

/** Returns a number in a process's status, or 0 if the process has ended. */
function fieldOf(pid: number, name: string): number {
	try {
		const status = readFileSync(`/proc/${pid}/status`, 'utf8');
		return Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? 0);
	} catch {
		return 0;
	}
}
