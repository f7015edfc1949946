import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';

import { DEMO, startSandbox, type Sandbox, type SandboxOptions } from './index';

const HELP = `npm run sandbox -- [options]          (environment variable)
  --port <number>                    port, default 4321            SANDBOX_PORT
  --host <address>                   address, default 127.0.0.1    SANDBOX_HOST
  --data <file>                      index, default .data/sandbox.jsonl             SANDBOX_DATA
  --token-lifetime <seconds>         default 3600                  SANDBOX_TOKEN_LIFETIME
  --chunk-delay <milliseconds>       SUBMITTED to READY, default 0 SANDBOX_CHUNK_DELAY
  --delete-commit-interval <ms>      default 60000                 SANDBOX_DELETE_COMMIT_INTERVAL
  --config <file.json>               options of startSandbox       SANDBOX_CONFIG
  --log                              log every request             SANDBOX_LOG=1
  --help`;

/** Flags first, then the environment; undefined when neither says anything. */
function readFlags() {
	const { values } = parseArgs({
		options: {
			port: { type: 'string' },
			host: { type: 'string' },
			data: { type: 'string' },
			'token-lifetime': { type: 'string' },
			'chunk-delay': { type: 'string' },
			'delete-commit-interval': { type: 'string' },
			config: { type: 'string' },
			log: { type: 'boolean' },
			help: { type: 'boolean' },
		},
	});
	const { env } = process;
	return {
		help: values.help ?? false,
		port: values.port ?? env.SANDBOX_PORT,
		host: values.host ?? env.SANDBOX_HOST,
		data: values.data ?? env.SANDBOX_DATA,
		tokenLifetime: values['token-lifetime'] ?? env.SANDBOX_TOKEN_LIFETIME,
		chunkDelay: values['chunk-delay'] ?? env.SANDBOX_CHUNK_DELAY,
		deleteInterval: values['delete-commit-interval'] ?? env.SANDBOX_DELETE_COMMIT_INTERVAL,
		config: values.config ?? env.SANDBOX_CONFIG,
		log: values.log ?? env.SANDBOX_LOG === '1',
	};
}

/** A number of a flag; undefined when the flag is absent. */
function numberFlag(name: string, text: string | undefined): number | undefined {
	if (text === undefined) return undefined;
	const value = Number(text);
	if (text.trim() === '' || !(value >= 0))
		throw new Error(`${name} must be a number, not '${text}'`);
	return value;
}

/** The configuration file's options with the flags laid over them. */
function readOptions(flags: ReturnType<typeof readFlags>): SandboxOptions {
	const file = flags.config
		? (JSON.parse(readFileSync(flags.config, 'utf8')) as SandboxOptions)
		: {};
	const settings = { ...file.settings };
	const tokenLifetime = numberFlag('--token-lifetime', flags.tokenLifetime);
	if (tokenLifetime !== undefined) settings.tokenLifetimeSeconds = tokenLifetime;
	const chunkDelay = numberFlag('--chunk-delay', flags.chunkDelay);
	if (chunkDelay !== undefined) settings.chunkDelayMs = chunkDelay;
	const deleteInterval = numberFlag('--delete-commit-interval', flags.deleteInterval);
	if (deleteInterval !== undefined) settings.deleteCommitIntervalMs = deleteInterval;
	return {
		...file,
		port: numberFlag('--port', flags.port) ?? file.port ?? 4321,
		host: flags.host ?? file.host ?? '127.0.0.1',
		dataFile: flags.data ?? file.dataFile ?? '.data/sandbox.jsonl',
		log: flags.log || file.log,
		settings,
	};
}

/** What a user needs to call the sandbox. Secrets of a configuration file are not printed. */
function describe(sandbox: Sandbox, options: SandboxOptions): string {
	const { authUrl, aiUrl, pushUrl, baseUrl } = sandbox.urls;
	const client = options.clients
		? 'clients of the configuration file'
		: `client id ${DEMO.clientId}, client secret ${DEMO.clientSecret}`;
	const source = options.dataSources
		? 'data sources of the configuration file'
		: `endpoint ${DEMO.endpoint}, API key ${DEMO.pushKey}`;
	const lines = [
		`Sandbox listens on ${sandbox.url}`,
		'',
		`  Token server     ${authUrl}  (authorization server ${options.authServerId ?? DEMO.authServerId})`,
		`  AI service       ${aiUrl}`,
		`  Push service     ${pushUrl}`,
		`  Blob service     ${baseUrl}  (${options.blobAuth ? 'basic authentication' : 'no authentication'})`,
		`  Credentials      ${client}`,
		`  Data source      ${source}`,
		`  Documents        ${sandbox.url}/  (in a browser)`,
		`  Search           ${pushUrl}/api/v1/search?q=...`,
		`  Control          ${sandbox.url}/_sandbox/stats`,
	];
	if (!options.clients && !options.dataSources) {
		lines.push(
			'',
			'Try:',
			`  curl -X POST ${pushUrl}/api/v1/push/${DEMO.endpoint} -H 'X-API-Key: ${DEMO.pushKey}' \\`,
			`    -H 'Content-Type: application/json' -d '{"id":"1","name":"Hello world"}'`,
			`  curl '${pushUrl}/api/v1/search?q=hello'`,
		);
	}
	return lines.join('\n');
}

async function main(): Promise<void> {
	const flags = readFlags();
	if (flags.help) {
		console.log(HELP);
		return;
	}
	const options = readOptions(flags);
	const sandbox = await startSandbox(options);
	console.log(describe(sandbox, options));
	const stop = () => {
		void sandbox.close().then(() => process.exit(0));
	};
	process.once('SIGINT', stop);
	process.once('SIGTERM', stop);
}

main().catch((error: Error) => {
	console.error(error.message);
	process.exit(1);
});
