import { readdirSync, readFileSync } from 'node:fs';

const SAMPLE_EVERY_MS = 200;

/** The highest resident memory in MB. */
export interface Memory {
	n8n: number;
	runner: number;
	/** Of both processes at the same time. */
	both: number;
}

/** Measures n8n and its task runner until `stop` is called. Needs Linux, because it reads /proc. */
export function measureMemory(pid: number): { stop(): Memory } {
	const highest: Memory = { n8n: 0, runner: 0, both: 0 };
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
