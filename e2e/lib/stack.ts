import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import type { Sandbox } from '../../sandbox';
import type { Demo } from './demo';
import { importDemo } from './demo';
import { installN8n, n8nVersion } from './install';
import type { N8n } from './n8n';
import { startN8n } from './n8n';
import type { PackedPackage } from './package';
import { installPackage, packPackage } from './package';
import { DATA } from './paths';
import { freePort } from './ports';
import { stopAll, tail } from './processes';
import { say, step } from './progress';
import { startDemoSandbox } from './sandbox';

/** n8n's usual port. */
const EDITOR_PORT = 5678;

/** The service and a real n8n with the packed package, the demo credentials and the examples. */
export class Stack {
	sandbox: Sandbox | undefined;

	n8n: N8n | undefined;

	private temporaryFolder: string | undefined;

	private stopped: Promise<void> | undefined;

	/** @param kept true: data stays for the next start; false: a fresh folder, removed at the end */
	constructor(private readonly kept: boolean) {}

	/** True from the moment it is being stopped. */
	get isStopping(): boolean {
		return this.stopped !== undefined;
	}

	/**
	 * Brings everything up.
	 * @throws Error when a step fails; `stop` is to be called all the same
	 */
	async start(): Promise<{ sandbox: Sandbox; n8n: N8n; demo: Demo }> {
		await installN8n();
		const packed = await step('Building and packing the package', packPackage);
		const folder = await this.dataFolder();
		await step(
			'Installing the package in n8n',
			async () => await installPackage(packed, folder),
		);
		const sandbox = await step(
			'Starting the service',
			async () => await startDemoSandbox(folder),
		);
		this.sandbox = sandbox;
		const port = await freePort(EDITOR_PORT);
		if (port !== EDITOR_PORT) say(`  Port ${EDITOR_PORT} is taken: the editor gets ${port}.`);
		const n8n = await step(
			`Starting n8n ${n8nVersion()}`,
			async () => await startN8n(folder, port),
		);
		this.n8n = n8n;
		say(`    n8n has loaded ${await ourNodeTypes(n8n, packed)}`);
		const demo = await step(
			'Importing credentials and workflows',
			async () => await importDemo(n8n.api, sandbox, folder),
		);
		return { sandbox, n8n, demo };
	}

	/** Stops all of it, however often it is called. */
	async stop(): Promise<void> {
		await (this.stopped ??= this.stopEverything());
	}

	private async stopEverything(): Promise<void> {
		await stopAll();
		await this.sandbox?.close();
		if (this.temporaryFolder !== undefined) {
			await rm(this.temporaryFolder, { recursive: true, force: true });
		}
	}

	private async dataFolder(): Promise<string> {
		if (this.kept) {
			await mkdir(DATA, { recursive: true });
			return DATA;
		}
		this.temporaryFolder = await mkdtemp(path.join(tmpdir(), 'search-ingest-'));
		return this.temporaryFolder;
	}
}

/** @throws Error when n8n doesn't have all our nodes. */
async function ourNodeTypes(n8n: N8n, packed: PackedPackage): Promise<string> {
	const ours = (await n8n.api.nodeTypes()).filter((name) => name.startsWith(`${packed.name}.`));
	// n8n adds a variant for AI agents to nodes that allow it.
	const nodes = ours.filter((name) => !name.endsWith('Tool'));
	if (nodes.length === 0 || nodes.length < packed.nodeCount) {
		throw new Error(
			`n8n loaded ${nodes.length} of ${packed.nodeCount} nodes. Its last lines:\n${tail(n8n.logFile)}`,
		);
	}
	return nodes.join(', ');
}
