import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';

import type { Sandbox } from '../../sandbox';
import { installN8n, n8nVersion } from '../n8n/install';
import type { PackedPackage } from '../n8n/package';
import { installPackage, packPackage } from '../n8n/package';
import type { N8n } from '../n8n/process';
import { startN8n } from '../n8n/process';
import type { ChatModel } from '../service/chat-model';
import { startChatModel } from '../service/chat-model';
import { startDemoSandbox } from '../service/sandbox';
import type { Command } from '../shared/command';
import { DATA } from '../shared/paths';
import { freePort } from '../shared/ports';
import { isRunning, tail } from '../shared/processes';
import { say, step } from '../shared/progress';
import type { Imported } from './import';
import { importExamples } from './import';
import { createSampleFiles } from './sample-files';

const EDITOR_PORT = 5678;

/** The service and a real n8n with the packed package, the demo credentials and the examples. */
export interface Demo extends Imported {
	command: Command;
	/** Whether this is a test, and not a demo that stays open. */
	isTest: boolean;
	sandbox: Sandbox;
	chatModel: ChatModel;
	n8n: N8n;
	files: string;
}

/**
 * Returns the folder for all data. If `keepData` is true, the folder is kept for the next start. Otherwise, the folder
 * is removed when the command ends.
 * @throws Error if another process uses the kept folder
 */
async function dataFolder(command: Command, keepData: boolean): Promise<string> {
	if (!keepData) return await command.temporaryFolder('demo');
	await mkdir(DATA, { recursive: true });
	await claim(command, path.join(DATA, 'running.pid'));
	return DATA;
}

/** Two n8n instances in one folder would share a database, and each would change the other's credentials. */
async function claim(command: Command, file: string): Promise<void> {
	const owner = existsSync(file) ? await readFile(file, 'utf8') : '';
	if (owner !== '' && isRunning(Number(owner)))
		throw new Error(
			`\`npm start\` is already running in this folder (process ${owner}). Stop it with Ctrl-C before you start it again. If that process is something else, delete ${file}.`,
		);
	await writeFile(file, String(process.pid));
	command.onStop(async () => await rm(file, { force: true }));
}

/**
 * Starts the demo. Everything is stopped when the command ends.
 * @param options.keepData true to keep the data for the next start
 * @param options.useEditorPort true to use n8n's usual port if it is free. A test run leaves it free for a demo
 */
export async function startDemo(
	command: Command,
	options: { keepData: boolean; useEditorPort?: boolean },
): Promise<Demo> {
	const folder = await dataFolder(command, options.keepData);
	await installN8n();
	const packed = await step('Building and packing the package', packPackage);
	await step('Installing the package in n8n', async () => await installPackage(packed, folder));
	const sandbox = await step('Starting the service', async () => await startDemoSandbox(folder));
	command.onStop(async () => await sandbox.close());
	const chatModel = await startChatModel();
	command.onStop(async () => await chatModel.close());
	const port = await freePort(options.useEditorPort ? EDITOR_PORT : undefined);
	if (options.useEditorPort && port !== EDITOR_PORT) {
		say(`  Port ${EDITOR_PORT} is taken: the editor gets ${port}.`);
	}
	const files = await createSampleFiles(folder);
	const mayRead = { N8N_RESTRICT_FILE_ACCESS_TO: files };
	const n8n = await step(
		`Starting n8n ${n8nVersion()}`,
		async () => await startN8n(folder, port, { settings: mayRead }),
	);
	say(`    n8n has loaded ${await ourNodeTypes(n8n, packed)}`);
	const imported = await step(
		'Importing credentials and workflows',
		async () => await importExamples(n8n.api, { sandbox, chatModel, files }, folder),
	);
	const isTest = !options.useEditorPort;
	return { command, isTest, sandbox, chatModel, n8n, files, ...imported };
}

async function ourNodeTypes(n8n: N8n, packed: PackedPackage): Promise<string> {
	const ours = (await n8n.api.nodeTypes()).filter((name) => name.startsWith(`${packed.name}.`));
	// If a node can be used as a tool, n8n adds a variant of the node for AI agents.
	const nodes = ours.filter((name) => !name.endsWith('Tool'));
	if (nodes.length === 0 || nodes.length < packed.nodeCount) {
		throw new Error(
			`n8n loaded ${nodes.length} of ${packed.nodeCount} nodes. Its last lines:\n${tail(n8n.logFile)}`,
		);
	}
	return nodes.join(', ');
}
