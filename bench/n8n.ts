/**
 * Benchmarks in a real n8n server: memory, database and event loop of n8n while it works on files,
 * next to the same work as items. Exit code 0 if nothing was lost, whether or not goals are met.
 */
import { cpus, loadavg, totalmem } from 'node:os';

import { installN8n, n8nVersion } from '../e2e/n8n/install';
import { packPackage } from '../e2e/n8n/package';
import { runCommand } from '../e2e/shared/command';
import { DEMO } from '../sandbox';
import { startService } from './lib/service';
import { print } from './lib/table';
import { benchChunk } from './n8n/chunk';
import { benchInterrupted } from './n8n/interrupted';
import { readOptions, type Part } from './n8n/options';
import { benchModes } from './n8n/modes';
import { benchParams } from './n8n/params';
import { benchPush } from './n8n/push';
import { Server } from './n8n/server';
import { Goals, type Stage } from './n8n/stage';
import { startStub } from './n8n/stub';
import { benchToday } from './n8n/today';
import { CREDENTIALS } from './n8n/workflows';

const BENCHMARKS: Record<Part, (stage: Stage) => Promise<void>> = {
	push: benchPush,
	today: benchToday,
	chunk: benchChunk,
	modes: benchModes,
	params: benchParams,
	interrupted: benchInterrupted,
};

runCommand(async (command) => {
	const options = readOptions();
	const [{ model }] = cpus();
	print(
		`${new Date().toISOString().slice(0, 16).replace('T', ' ')} UTC, n8n ${n8nVersion()}`,
		`${cpus().length} CPUs (${model.trim()}), ${Math.round(totalmem() / 2 ** 30)} GB, load before ${loadavg()[0].toFixed(1)}`,
	);
	await installN8n();
	const packed = await packPackage();
	const folder = await command.temporaryFolder('bench-files');
	const stub = await startStub(folder);
	command.onStop(async () => stub.close());
	const ai = await startService('sandbox');
	command.onStop(async () => ai.close());
	const server = await Server.create(command, packed, [
		{
			name: CREDENTIALS.push,
			type: 'pushEndpointApi',
			data: { pushUrl: stub.pushUrl, endpoint: DEMO.endpoint, apiKey: DEMO.pushKey },
		},
		{
			name: CREDENTIALS.ai,
			type: 'aiServiceOAuth2Api',
			data: ai.credentials.aiServiceOAuth2Api,
		},
		{
			name: CREDENTIALS.blobs,
			type: 'blobServiceApi',
			data: { baseUrl: stub.blobUrl, authentication: 'none' },
		},
	]);
	const stage: Stage = { command, options, folder, stub, ai, server, goals: new Goals() };
	for (const part of options.parts) {
		const startedAt = Date.now();
		print('', `## ${part}`);
		await BENCHMARKS[part](stage);
		print('', `(${Math.round((Date.now() - startedAt) / 1000)} s)`);
	}
	stage.goals.print();
	for (const wrong of stage.goals.wrong) print(`Wrong: ${wrong}`);
	return stage.goals.wrong.length === 0;
});
