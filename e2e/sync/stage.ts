import { startSandbox, DEMO, type Sandbox } from '../../sandbox';
import { installN8n, n8nVersion } from '../n8n/install';
import { installPackage, packPackage } from '../n8n/package';
import { startN8n, type N8n } from '../n8n/process';
import { saveCredentials } from '../service/templates';
import type { Checks } from '../shared/checks';
import type { Command } from '../shared/command';
import { freePort } from '../shared/ports';
import { step } from '../shared/progress';
import { until } from '../shared/wait';
import { copyOf } from './copy';
import { Lane } from './lane';

const QUIET_WITHIN_MS = 60_000;

/** For how long no request must arrive, so that none is on its way. */
const QUIET_FOR_MS = 250;

/** A real n8n with copies of the example, the service, and what was found. */
export interface SyncStage {
	sandbox: Sandbox;
	lanes: Lane[];
	checks: Checks;
	/** Kills n8n as if the machine lost power, and starts it again on its data. */
	killN8n(): Promise<void>;
	logFile(): string;
}

/** Starts everything; it stops with the command. */
export async function startStage(
	command: Command,
	checks: Checks,
	laneCount: number,
): Promise<SyncStage> {
	await installN8n();
	const packed = await step('Building and packing the package', packPackage);
	const folder = await command.temporaryFolder('sync');
	await step('Installing the package in n8n', async () => await installPackage(packed, folder));
	const sandbox = await startSandbox({
		authServerId: DEMO.authServerId,
		clients: [{ id: DEMO.clientId, secret: DEMO.clientSecret }],
		dataSources: [{ endpoint: DEMO.endpoint, keys: [DEMO.pushKey] }],
		settings: { vectorSize: 8 },
	});
	command.onStop(async () => await sandbox.close());
	await sandbox.warmUp();
	const port = await freePort();
	const start = async () => await startN8n(folder, port);
	let n8n: N8n = await step(`Starting n8n ${n8nVersion()}`, start);
	const credentials = await saveCredentials(n8n.api, sandbox);
	const lanes: Lane[] = [];
	for (let number = 0; number < laneCount; number += 1) {
		const name = `lane-${'abcdefghij'[number]}`;
		const copy = copyOf(name, credentials, sandbox);
		lanes.push(await Lane.open(name, copy, () => n8n));
	}
	return {
		sandbox,
		lanes,
		checks,
		killN8n: async () => {
			n8n.process.kill();
			await n8n.process.ended;
			n8n = await start();
		},
		logFile: () => n8n.logFile,
	};
}

/**
 * Waits until no request is in flight any longer.
 * @throws Error if one still is after a minute
 */
export async function quiet({ sandbox }: SyncStage): Promise<void> {
	const isQuiet = () =>
		sandbox.requests.every(({ endedAt }) => endedAt > 0 && Date.now() - endedAt > QUIET_FOR_MS);
	if (!(await until(isQuiet, QUIET_WITHIN_MS))) throw new Error('Requests do not end');
}
