/**
 * Captures what n8n and this package log in a test file. Import this file before any file that loads n8n, because n8n
 * reads its log level only once.
 */
process.env.N8N_LOG_LEVEL = 'debug';
// In other formats, n8n omits the fields of a log entry.
process.env.N8N_LOG_FORMAT = 'json';

export const captured: string[] = [];

const capture = (text: unknown): boolean => {
	captured.push(String(text));
	return true;
};

for (const method of ['log', 'info', 'warn', 'error', 'debug', 'trace'] as const) {
	console[method] = (...parts: unknown[]) => void captured.push(parts.map(String).join(' '));
}
// n8n writes its log to the streams of `console`, if they exist.
const { _stdout, _stderr } = console as unknown as Record<string, NodeJS.WriteStream | undefined>;
for (const stream of [_stdout, _stderr, process.stdout, process.stderr]) {
	if (stream) stream.write = capture;
}
