/**
 * Everything n8n and we write while a test file runs, n8n's debug messages included. Import it
 * before anything that loads n8n, which reads its log level when it is first required.
 */
process.env.N8N_LOG_LEVEL = 'debug';
// With the members of a message, which n8n does not write otherwise.
process.env.N8N_LOG_FORMAT = 'json';

/** What was written so far. */
export const captured: string[] = [];

const capture = (text: unknown): boolean => {
	captured.push(String(text));
	return true;
};

for (const method of ['log', 'info', 'warn', 'error', 'debug', 'trace'] as const) {
	console[method] = (...parts: unknown[]) => void captured.push(parts.map(String).join(' '));
}
// n8n's logger writes to the streams of the console where it has any.
const { _stdout, _stderr } = console as unknown as Record<string, NodeJS.WriteStream | undefined>;
for (const stream of [_stdout, _stderr, process.stdout, process.stderr]) {
	if (stream) stream.write = capture;
}
