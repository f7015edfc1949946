/**
 * Captures everything that n8n and this package log during a test file. Import this file before anything that loads
 * n8n, because n8n reads its log level only once.
 */
process.env.N8N_LOG_LEVEL = 'debug';
// n8n logs a message's metadata only in JSON format.
process.env.N8N_LOG_FORMAT = 'json';

export const captured: string[] = [];

const capture = (text: unknown): boolean => {
	captured.push(String(text));
	return true;
};

for (const method of ['log', 'info', 'warn', 'error', 'debug', 'trace'] as const) {
	console[method] = (...parts: unknown[]) => void captured.push(parts.map(String).join(' '));
}
// n8n's logger writes to the console's streams, if the console has any.
const { _stdout, _stderr } = console as unknown as Record<string, NodeJS.WriteStream | undefined>;
for (const stream of [_stdout, _stderr, process.stdout, process.stderr]) {
	if (stream) stream.write = capture;
}
