import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';

import { PATHS } from '../nodes/shared/service/url';
import { DEMO, startSandbox, type Sandbox, type SandboxOptions } from './index';

const HELP = `npm run sandbox -- [options]
  --port <number>         port, default 4321
  --host <address>        address, default 127.0.0.1
  --data <file>           index, default .data/sandbox.jsonl
  --config <file.json>    options of startSandbox, settings included
  --log                   log every request
  --help`;

function readFlags() {
	return parseArgs({
		options: {
			port: { type: 'string' },
			host: { type: 'string' },
			data: { type: 'string' },
			config: { type: 'string' },
			log: { type: 'boolean' },
			help: { type: 'boolean' },
		},
	}).values;
}
type Flags = ReturnType<typeof readFlags>;

function readOptions({ port, host, data, config, log }: Flags): SandboxOptions {
	const file = config ? (JSON.parse(readFileSync(config, 'utf8')) as SandboxOptions) : {};
	if (port !== undefined && !/^\d+$/.test(port)) {
		throw new Error(`--port must be a number, not '${port}'`);
	}
	return {
		...file,
		port: port === undefined ? (file.port ?? 4321) : Number(port),
		host: host ?? file.host ?? '127.0.0.1',
		dataFile: data ?? file.dataFile ?? '.data/sandbox.jsonl',
		log: log ?? file.log,
	};
}

/** Describes how to call the sandbox. Secrets from a configuration file are left out. */
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
