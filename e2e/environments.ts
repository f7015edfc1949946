/**
 * The environments that operators have, under each version of Node.js that n8n runs on: writes docs/environments.md
 * from the results, and from what the commands with a whole n8n have found last on this machine. With
 * `-- --all-tests`, `npm test` as a whole runs under each version too, which takes long; `-- --last` only writes the
 * page again, from the last results.
 * Exit code 0 only if everything passed.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';

import { format } from 'prettier';

import { Checks } from './shared/checks';
import { runCommand } from './shared/command';
import { CACHE, ROOT } from './shared/paths';
import { run } from './shared/processes';
import { step } from './shared/progress';
import { printChecks } from './shared/report';
import { lastResult, type Recorded } from './shared/results';

const NODE_VERSIONS = ['20', '22', '24'];
const PAGE = path.join(ROOT, 'docs', 'environments.md');

const { values } = parseArgs({
	options: {
		node: { type: 'string', default: NODE_VERSIONS.join() },
		'all-tests': { type: 'boolean', default: false },
		last: { type: 'boolean', default: false },
	},
});

/** What a row of the table says: the tests whose full names match it, all of which must pass. */
interface Environment {
	name: string;
	file: string;
	tests: RegExp;
}

const inFile = (file: string) => (name: string, tests: RegExp) => ({ name, file, tests });
const environment = inFile('environments.test.ts');
const proxy = inFile('proxy.test.ts');
const certificates = inFile('certificates.test.ts');

const ENVIRONMENTS: Environment[] = [
	certificates(
		'TLS with a private authority (`NODE_EXTRA_CA_CERTS`)',
		/works once n8n trusts it/,
	),
	certificates('The same through a proxy', /through a proxy/),
	certificates('A certificate that n8n does not trust: clear error', /does not trust/),
	certificates('A client certificate is required: clear error', /client certificate/),
	environment('A path prefix in every URL', /^a path prefix/),
	environment('IPv6', /^IPv6/),
	environment('A server that closes connections early', /^connections that/),
	environment('Responses compressed with gzip', /^gzip/),
	environment('Responses compressed with deflate', /^deflate/),
	environment('Responses compressed with br', /^br /),
	proxy('`HTTP_PROXY`: requests of all nodes, for tokens too', /sends all requests through it/),
	proxy('`HTTP_PROXY`: credential tests', /^the test of \w+ goes through it/),
	proxy('`HTTPS_PROXY`: a tunnel', /https goes through a tunnel/),
	proxy('`NO_PROXY`', /NO_PROXY/),
	proxy('A proxy that asks for a password', /asks for a password/),
	proxy('A proxy that is down: clear error', /that is down/),
	inFile('ssrf-protection.test.ts')("n8n's SSRF protection: clear error", /./),
	inFile('ssrf-allowed.test.ts')("n8n's SSRF protection with an allowed host", /./),
	inFile('tokens-domains.test.ts')('Credentials restricted to domains', /./),
];

/** What runs with a whole n8n, by the command that does it. */
const WHOLE_N8N: Array<{ name: string; npm: string; command: Recorded }> = [
	{ name: 'All examples', npm: 'npm start -- --once', command: 'demo' },
	{
		name: 'All examples, the oldest n8n',
		npm: 'npm start -- --once --old-n8n',
		command: 'demo-old',
	},
	{
		name: 'Queue mode: many executions, killed workers, files, a worker that lacks the package, one file over 4 workers',
		npm: 'npm run test:queue',
		command: 'queue',
	},
	{
		name: 'Queue mode: one file over 1, 2 and 4 workers, a killed worker, restarts of Redis, PostgreSQL and main',
		npm: 'npm run test:fan-out -- --restarts',
		command: 'fan-out',
	},
	{
		name: "n8n's installer: install, use, upgrade while a push runs, workflows and credentials of the version before, a broken upgrade, a start without network, uninstall",
		npm: 'npm run test:install',
		command: 'installer',
	},
];

interface JestResults {
	testResults: Array<{
		name: string;
		assertionResults: Array<{ fullName: string; status: string }>;
	}>;
}

/** Installs a version of Node.js from its npm package; returns the folder of its program, and its number. */
async function installNode(major: string): Promise<{ folder: string; version: string }> {
	const prefix = path.join(CACHE, `node-${major}`);
	const logFile = path.join(CACHE, `node-${major}.log`);
	const install = ['install', '--prefix', prefix, '--no-save', '--ignore-scripts=false'];
	if (!values.last) await run('npm', [...install, `node@${major}`], { cwd: ROOT, logFile });
	const manifest = path.join(prefix, 'node_modules', 'node', 'package.json');
	const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { version: string };
	return { folder: path.join(prefix, 'node_modules', 'node', 'bin'), version };
}

/** Runs the tests of the environments; `failed` and `passed` by environment. */
async function results(folder: string, major: string): Promise<Map<Environment, string>> {
	const outputFile = path.join(CACHE, `environments-${major}.json`);
	const files = [...new Set(ENVIRONMENTS.map(({ file }) => `test/engine/${file}`))];
	const jest = path.join(ROOT, 'node_modules', 'jest', 'bin', 'jest.js');
	const args = [jest, '--json', `--outputFile=${outputFile}`, ...files];
	const logFile = path.join(CACHE, `environments-${major}.log`);
	// A test that fails is in the results.
	if (!values.last) {
		await run(path.join(folder, 'node'), args, { cwd: ROOT, logFile }).catch(() => undefined);
	}
	const { testResults } = JSON.parse(readFileSync(outputFile, 'utf8')) as JestResults;
	return new Map(
		ENVIRONMENTS.map((one) => {
			const tests = testResults
				.filter(({ name }) => path.basename(name) === one.file)
				.flatMap(({ assertionResults }) => assertionResults)
				.filter(({ fullName }) => one.tests.test(fullName));
			const passed = tests.filter(({ status }) => status === 'passed').length;
			const isGood = passed > 0 && passed === tests.length;
			return [one, isGood ? 'passed' : `failed: ${tests.length - passed} of ${tests.length}`];
		}),
	);
}

function versionOf(name: string): string {
	const file = path.join(ROOT, 'node_modules', name, 'package.json');
	return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}

async function writePage(columns: Map<string, Map<Environment, string>>): Promise<void> {
	const versions = [...columns.keys()];
	const rows = ENVIRONMENTS.map((one) => {
		const cells = versions.map((version) => columns.get(version)?.get(one) ?? '');
		return `| ${[one.name, ...cells].join(' | ')} |`;
	});
	const whole = WHOLE_N8N.flatMap(({ name, npm, command }) => {
		const result = lastResult(command);
		if (!result) return [];
		const { n8n, node, day, passed, failed } = result;
		const seen =
			failed === 0
				? `${passed} checks passed`
				: `${passed} of ${passed + failed} checks passed`;
		return [`| ${[name, `\`${npm}\``, n8n, node, `${seen}, ${day}`].join(' | ')} |`];
	});
	const page = `# Environments

What the package was run with. \`npm run test:environments\` writes this page from the results of its tests, with n8n-core ${versionOf('n8n-core')} over real connections; the tests are part of \`npm test\` as well.

| Environment | ${versions.map((version) => `Node.js ${version}`).join(' | ')} |
| --- | ${versions.map(() => '---').join(' | ')} |
${rows.join('\n')}

With a whole n8n, the last runs on the machine that wrote this page; others are run with \`npm run test:queue\` and \`npm start -- --once --old-n8n\` (n8n 1.123.81):

| What | Command | n8n | Node.js | Result |
| --- | --- | --- | --- | --- |
${whole.join('\n')}

- External secrets need a license of n8n: they are untested. So is what n8n shows of \`metadata.tracing\`. S3 is untested.
- n8n's SSRF protection blocks \`localhost\`, and so n8n's own webhooks, unless their hosts are allowed.
`;
	writeFileSync(PAGE, await format(page, { parser: 'markdown' }));
}

runCommand(async () => {
	const checks = new Checks();
	const columns = new Map<string, Map<Environment, string>>();
	for (const major of values.node.split(',')) {
		const { folder, version } = await step(
			`Installing Node.js ${major}`,
			async () => await installNode(major),
		);
		const found = await step(
			`Environments on Node.js ${version}`,
			async () => await results(folder, major),
		);
		columns.set(version, found);
		for (const [{ name }, result] of found)
			checks.add(`Node.js ${version}: ${name}`, result === 'passed', result);
		if (!values['all-tests']) continue;
		const env = { ...process.env, PATH: `${folder}${path.delimiter}${process.env.PATH}` };
		const logFile = path.join(CACHE, `tests-${major}.log`);
		const passed = await step(`npm test on Node.js ${version}`, async () => {
			return await run('npm', ['test'], { cwd: ROOT, env, logFile }).then(
				() => true,
				() => false,
			);
		});
		checks.add(`npm test on Node.js ${version}`, passed, logFile);
	}
	await writePage(columns);
	return printChecks(checks);
});
