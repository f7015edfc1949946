/**
 * What n8n and the nodes write while a world runs. Import it before anything that loads n8n, which
 * reads its log level when it is first required.
 */
import { AsyncLocalStorage } from 'node:async_hooks';

process.env.N8N_LOG_LEVEL = 'debug';

/** Of the work that writes, since several worlds may run at once. */
const captured = new AsyncLocalStorage<string[]>();
let isSilent = false;

/** Keeps what is written. @returns whether it need not be printed */
function keep(text: string): boolean {
	captured.getStore()?.push(text);
	return isSilent || captured.getStore() !== undefined;
}

// n8n's logger writes to the streams of the console where it has any.
const { _stdout, _stderr } = console as unknown as Record<string, NodeJS.WriteStream | undefined>;
const streams = [process.stdout, process.stderr, _stdout, _stderr].filter(
	(stream) => stream !== undefined,
);

for (const stream of new Set(streams)) {
	const write = stream.write.bind(stream) as (...parts: unknown[]) => boolean;
	stream.write = ((...parts: unknown[]) => {
		return keep(String(parts[0])) || write(...parts);
	}) as typeof stream.write;
}
for (const method of ['log', 'info', 'warn', 'error', 'debug', 'trace'] as const) {
	const write = console[method].bind(console) as (...parts: unknown[]) => void;
	console[method] = (...parts: unknown[]) => {
		if (!keep(parts.map(String).join(' '))) write(...parts);
	};
}

/** Runs something and collects what is written meanwhile instead of printing it. */
export async function withLogs<T>(work: () => Promise<T>): Promise<{ value: T; logs: string[] }> {
	const logs: string[] = [];
	return { value: await captured.run(logs, work), logs };
}

/** What n8n writes when the process ends is for nobody. */
export function silence(): void {
	isSilent = true;
}
