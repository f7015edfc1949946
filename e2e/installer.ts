/**
 * The package as users install it: `npm run test:install`. It is released to a registry on this
 * machine as RELEASING.md says, and n8n's own installer gets it from there.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { DEMO } from '../sandbox';
import { manifest } from '../support/manifest';
import { startRehearsal, type Rehearsal } from '../support/rehearsal';
import { startRegistryProxy } from './installer/registry-proxy';
import type { N8nApi } from './n8n/api';
import { installN8n, n8nVersion } from './n8n/install';
import { startN8n } from './n8n/process';
import type { CredentialValues, StoredWorkflow } from './n8n/workflow';
import { demoCredentials } from './service/credentials';
import { startDemoSandbox } from './service/sandbox';
import { Checks } from './shared/checks';
import { runCommand } from './shared/command';
import { freePort } from './shared/ports';
import { step } from './shared/progress';
import { printChecks } from './shared/report';

const { name } = manifest;
const [NEWER, BROKEN] = ['99.0.0', '99.0.1'];

/** A choice of Delete Document's Commit, which the newer version names otherwise. */
const COMMIT = 'lastDeleteOnly';

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

/** A workflow with one node of the package, and one document, which n8n has stored. */
async function workflowOf(
	api: N8nApi,
	node: string,
	parameters: Record<string, unknown>,
	credential: CredentialValues,
): Promise<StoredWorkflow> {
	const { type, id } = credential;
	const nodes = [
		{
			name: 'Start',
			type: 'n8n-nodes-base.manualTrigger',
			typeVersion: 1,
			position: [0, 0],
			parameters: {},
		},
		{
			name: 'Node',
			type: `${name}.${node}`,
			typeVersion: 1,
			position: [200, 0],
			parameters,
			credentials: { [type]: { id, name: credential.name } },
		},
	];
	return await api.saveWorkflow({
		name: `One ${node}`,
		nodes,
		connections: { Start: { main: [[{ node: 'Node', type: 'main', index: 0 }]] } },
		pinData: { Start: [{ json: { id: 'one', name: 'One', text: 'The text' } }] },
		settings: {},
	});
}

/** Replaces a word in all code of a package. */
function replaceInCode(folder: string, word: string, by: string): void {
	for (const file of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
		if (!file.endsWith('.js')) continue;
		const code = readFileSync(path.join(folder, file), 'utf8');
		if (code.includes(word)) writeFileSync(path.join(folder, file), code.replaceAll(word, by));
	}
}

runCommand(async (command) => {
	await installN8n();
	const rehearsal = await step('Preparing a release', async () => await startRehearsal());
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

	const saved = async (type: string): Promise<CredentialValues> => {
		const credential = demoCredentials(sandbox).find((one) => one.type === type);
		if (!credential) throw new Error(`The demo has no credential of the type ${type}`);
		return { ...credential, id: await n8n.api.saveCredential(credential) };
	};
	const push = await saved('pushEndpointApi');
	const workflow = await workflowOf(n8n.api, 'pushDocuments', {}, push);
	const chunking = { modelId: 'e5-small-v2', text: '={{ $json.text }}' };
	const aiService = await saved('aiServiceOAuth2Api');
	const chunk = await workflowOf(n8n.api, 'chunkText', chunking, aiService);
	const deletion = { documentId: 'one', commit: COMMIT };
	const remove = await workflowOf(n8n.api, 'deleteDocument', deletion, push);
	const use = async (when: string) => {
		const { status, message } = await n8n.api.runManually(workflow.id, 'Start');
		checks.add(
			`${when}, a workflow pushes a document`,
			status === 'success',
			message ?? status,
		);
	};
	await step('Using it', async () => {
		const verdict = await n8n.api.testCredential(push);
		checks.add('The credential passes its test', verdict.status === 'OK', verdict.message);
		await use('After the installation');
		sandbox.commit();
		const [document] = sandbox.documents(DEMO.endpoint);
		checks.add(
			'The document is in the index',
			document?.id === 'one',
			JSON.stringify(document),
		);
		const { status, message } = await n8n.api.runManually(chunk.id, 'Start');
		checks.add('A text is chunked', status === 'success', message ?? status);
	});

	await step('Upgrading while a push runs', async () => {
		await publishAgain(rehearsal, NEWER, (newer) => {
			replaceInCode(path.join(newer, 'dist'), COMMIT, `${COMMIT}Renamed`);
		});
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

	await step('Workflows and credentials of the version before', async () => {
		const tokens = sandbox.tokensIssued();
		const { status, message } = await n8n.api.runManually(chunk.id, 'Start');
		checks.add(
			'The access token that the version before has stored is used',
			status === 'success' && sandbox.tokensIssued() === tokens,
			message ?? `${sandbox.tokensIssued() - tokens} more tokens`,
		);
		const verdict = await n8n.api.testCredential(push);
		checks.add('A credential passes its test', verdict.status === 'OK', verdict.message);
		const deleted = await n8n.api.runManually(remove.id, 'Start');
		checks.add(
			'A choice that the newer version does not have is named, with the present ones',
			deleted.status === 'error' &&
				new RegExp(`'Commit' must be one of .*, but it is "${COMMIT}"`).test(
					deleted.message ?? '',
				),
			deleted.message ?? deleted.status,
		);
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
