import { createRequire } from 'node:module';

import type { Logger } from 'n8n-workflow';

interface Container {
	get(type: unknown): unknown;
	set(type: unknown, value: unknown): void;
}

interface InternalLogger {
	log(level: string, message: string, metadata: object): void;
	child(options: object): InternalLogger;
}

interface LoggerOfN8n extends Logger {
	setInternalLogger(logger: InternalLogger): void;
}

type LoggerClass = new (config: object, settings: object, options: object) => LoggerOfN8n;

/**
 * Captures what the nodes write to n8n's log during a test file, as lines of JSON. The level is `debug`. What n8n itself
 * logs is only captured by log-capture.ts, which needs an n8n instance of its own.
 */
export function useNodeLog(): string[] {
	const captured: string[] = [];
	const requireOfCore = createRequire(require.resolve('n8n-core'));
	const { Container } = requireOfCore('@n8n/di') as { Container: Container };
	const { Logger } = requireOfCore('@n8n/backend-common') as { Logger: LoggerClass };
	let before: unknown;
	beforeAll(() => {
		before = Container.get(Logger);
		const config = { logging: { level: 'debug', outputs: [], scopes: [], format: 'json' } };
		const logger = new Logger(config, {}, { isRoot: false });
		// n8n's own parts keep their child logger for all later test files, so it must not record anything.
		const silent: InternalLogger = { log: () => undefined, child: () => silent };
		logger.setInternalLogger({
			child: () => silent,
			log: (level, message, metadata) =>
				void captured.push(JSON.stringify({ level, message, metadata })),
		});
		Container.set(Logger, logger);
	});
	afterAll(() => Container.set(Logger, before));
	return captured;
}
