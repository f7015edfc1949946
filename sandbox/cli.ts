import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';

import { PATHS } from '../nodes/shared/service/url';
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

/** A flag, or its environment variable, e.g. SANDBOX_TOKEN_LIFETIME; undefined when neither says anything. */
type Flag = (name: string) => string | undefined;

function readFlags(): { flag: Flag; isOn: (name: 'help' | 'log') => boolean } {
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
	const given = new Map(Object.entries(values));
	const ofEnv = (name: string) =>
		process.env[`SANDBOX_${name.toUpperCase().replaceAll('-', '_')}`];
	return {
		flag: (name) => (given.get(name) ?? ofEnv(name)) as string | undefined,
		isOn: (name) => values[name] ?? ofEnv(name) === '1',
	};
}

/** A number of a flag; undefined when the flag is absent. */
function numberOf(flag: Flag, name: string): number | undefined {
	const text = flag(name);
	if (text === undefined) return undefined;
	const value = Number(text);
	if (text.trim() === '' || !(value >= 0))
		throw new Error(`--${name} must be a number, not '${text}'`);
	return value;
}

/** Settings that have a flag. */
const OF_SETTINGS = {
	'token-lifetime': 'tokenLifetimeSeconds',
	'chunk-delay': 'chunkDelayMs',
	'delete-commit-interval': 'deleteCommitIntervalMs',
} as const;

/** The configuration file's options with the flags laid over them. */
function readOptions(flag: Flag, isLogging: boolean): SandboxOptions {
	const config = flag('config');
	const file = config ? (JSON.parse(readFileSync(config, 'utf8')) as SandboxOptions) : {};
	const settings = { ...file.settings };
	for (const [name, setting] of Object.entries(OF_SETTINGS)) {
		const value = numberOf(flag, name);
		if (value !== undefined) settings[setting] = value;
	}
	return {
		...file,
		port: numberOf(flag, 'port') ?? file.port ?? 4321,
		host: flag('host') ?? file.host ?? '127.0.0.1',
		dataFile: flag('data') ?? file.dataFile ?? '.data/sandbox.jsonl',
		log: isLogging || file.log,
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
			`  curl -X POST ${pushUrl}${PATHS.push}/${DEMO.endpoint} -H 'X-API-Key: ${DEMO.pushKey}' \\`,
			`    -H 'Content-Type: application/json' -d '{"id":"1","name":"Hello world"}'`,
			`  curl '${pushUrl}/api/v1/search?q=hello'`,
		);
	}
	return lines.join('\n');
}

async function main(): Promise<void> {
	const { flag, isOn } = readFlags();
	if (isOn('help')) {
		console.log(HELP);
		return;
	}
	const options = readOptions(flag, isOn('log'));
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
