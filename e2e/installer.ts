/**
 * The package as users install it: `npm run test:install`. It is released to a registry on this
 * machine as RELEASING.md says, and n8n's own installer gets it from there.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { DEMO } from '../sandbox';
import { manifest } from '../support/manifest';
import { startRehearsal, type Rehearsal } from '../support/rehearsal';
import { startRegistryProxy } from './installer/registry-proxy';
import type { N8nApi } from './n8n/api';
import { installN8n, n8nVersion } from './n8n/install';
import { startN8n } from './n8n/process';
import type { StoredWorkflow } from './n8n/workflow';
import { demoCredentials } from './service/credentials';
import { startDemoSandbox } from './service/sandbox';
import { Checks } from './shared/checks';
import { runCommand } from './shared/command';
import { freePort } from './shared/ports';
import { step } from './shared/progress';
import { printChecks } from './shared/report';

const { name } = manifest;
const [NEWER, BROKEN] = ['99.0.0', '99.0.1'];

/** What a call to n8n that must fail says. */
async function refusal(call: Promise<unknown>): Promise<string> {
	return await call.then(
		() => 'it was accepted',
		(error: unknown) =>
			/"message":"(.*?)","/.exec((error as Error).message)?.[1] ?? String(error),
	);
}

/** Publishes the installed package again under another version, after an edit. */
async function publishAgain(
	{ must, install }: Rehearsal,
	version: string,
	edit: (folder: string) => void = () => {},
): Promise<void> {
	const folder = await install();
	const file = path.join(folder, 'package.json');
	const changed = { ...(JSON.parse(readFileSync(file, 'utf8')) as object), version };
	writeFileSync(file, JSON.stringify(changed));
	edit(folder);
	await must('npm', ['publish', folder, '--ignore-scripts']);
}

/** A workflow that pushes one document, which n8n has stored. */
async function pushWorkflow(api: N8nApi, credentialId: string): Promise<StoredWorkflow> {
	const nodes = [
		{
			name: 'Start',
			type: 'n8n-nodes-base.manualTrigger',
			typeVersion: 1,
			position: [0, 0],
			parameters: {},
		},
		{
			name: 'Push',
			type: `${name}.pushDocuments`,
			typeVersion: 1,
			position: [200, 0],
			parameters: {},
			credentials: { pushEndpointApi: { id: credentialId, name: 'Demo Push Endpoint' } },
		},
	];
	return await api.saveWorkflow({
		name: 'Push one document',
		nodes,
		connections: { Start: { main: [[{ node: 'Push', type: 'main', index: 0 }]] } },
		pinData: { Start: [{ json: { id: 'one', name: 'One' } }] },
		settings: {},
	});
}

runCommand(async (command) => {
	await installN8n();
	const rehearsal = await step('Preparing a release', startRehearsal);
	command.onStop(rehearsal.remove);
	await step('npm run release to a registry on this machine', async () => {
		await rehearsal.must('npm', ['run', 'release']);
	});
	const folder = await command.temporaryFolder('installer');
	const proxy = await startRegistryProxy(command, rehearsal.registry, folder);
	const sandbox = await startDemoSandbox(folder);
	command.onStop(async () => await sandbox.close());
	const port = await freePort();
	const start = async () => await startN8n(folder, port, { settings: proxy.settings });
	let n8n = await step(`Starting n8n ${n8nVersion()} without the package`, start);
	const checks = new Checks();
	const ours = async () => (await n8n.api.nodeTypes()).filter((type) => type.startsWith(name));

	await step('Installing, as Settings > Community nodes does', async () => {
		checks.add('Before, n8n does not know the nodes', (await ours()).length === 0);
		const missing = await refusal(n8n.api.installPackage(name, '98.0.0'));
		checks.add(
			'A version that does not exist is refused',
			missing.includes('Package version does not exist'),
			missing,
		);
		const { installedVersion } = await n8n.api.installPackage(name);
		checks.add(
			'It is the released version',
			installedVersion === manifest.version,
			installedVersion,
		);
		const types = (await ours()).filter((type) => !type.endsWith('Tool'));
		checks.add(
			'n8n has all nodes',
			types.length === manifest.n8n.nodes.length,
			types.join(', '),
		);
	});

	const push = demoCredentials(sandbox).find(({ type }) => type === 'pushEndpointApi');
	if (!push) throw new Error('The demo has no push credential');
	const credentialId = await n8n.api.saveCredential(push);
	const workflow = await pushWorkflow(n8n.api, credentialId);
	const use = async (when: string) => {
		const { status, message } = await n8n.api.runManually(workflow.id, 'Start');
		checks.add(
			`${when}, a workflow pushes a document`,
			status === 'success',
			message ?? status,
		);
	};
	await step('Using it', async () => {
		const verdict = await n8n.api.testCredential({ ...push, id: credentialId });
		checks.add('The credential passes its test', verdict.status === 'OK', verdict.message);
		await use('After the installation');
		sandbox.commit();
		const [document] = sandbox.documents(DEMO.endpoint);
		checks.add(
			'The document is in the index',
			document?.id === 'one',
			JSON.stringify(document),
		);
	});

	await step('Upgrading while a push runs', async () => {
		await publishAgain(rehearsal, NEWER);
		sandbox.faults.add({ route: 'push', latencyMs: 20_000, times: 1 });
		const running = await n8n.api.startManually(workflow.id, 'Start');
		const { installedVersion } = await n8n.api.updatePackage(name, NEWER);
		checks.add('The newer version is installed', installedVersion === NEWER, installedVersion);
		const [meanwhile] = await n8n.api.executions(workflow.id, 1);
		checks.add('The push still runs then', meanwhile.status === 'running', meanwhile.status);
		const { status } = await n8n.api.waitForEnd(workflow.id, running, 60_000);
		checks.add('The push that ran meanwhile succeeds', status === 'success', status);
		await use('After the upgrade');
	});

	await step('A broken upgrade', async () => {
		await publishAgain(rehearsal, BROKEN, (broken) => {
			writeFileSync(path.join(broken, 'dist/nodes/PushDocuments/PushDocuments.node.js'), '}');
		});
		const reason = await refusal(n8n.api.updatePackage(name, BROKEN));
		checks.add('It is refused', reason.includes('could not be loaded'), reason);
		await use('After it');
	});

	await step('Starting without a network', async () => {
		await n8n.process.stop();
		proxy.isOnline = false;
		n8n = await start();
		await use('After the start');
		proxy.isOnline = true;
	});

	await step('Uninstalling', async () => {
		await n8n.api.removePackage(name);
		const types = await ours();
		checks.add('The nodes are gone', types.length === 0, types.join(', '));
		const said = await refusal(n8n.api.runManually(workflow.id, 'Start'));
		checks.add(
			'A workflow that uses them says so',
			said.includes('Unrecognized node type'),
			said,
		);
	});
	return printChecks(checks, 'installer');
});
