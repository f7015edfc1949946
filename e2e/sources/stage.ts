import type { Sandbox } from '../../sandbox';
import { DEMO, startSandbox } from '../../sandbox';
import type { WebhookResponse } from '../n8n/api';
import { installN8n, n8nVersion } from '../n8n/install';
import { installPackage, packPackage } from '../n8n/package';
import type { N8n } from '../n8n/process';
import { startN8n } from '../n8n/process';
import type { Workflow } from '../n8n/workflow';
import { WEBHOOK_HEADER } from '../service/credentials';
import { indexedIn } from '../service/sandbox';
import type { Credentials } from '../service/templates';
import { connected, saveCredentials } from '../service/templates';
import { Checks } from '../shared/checks';
import type { Command } from '../shared/command';
import { freePort } from '../shared/ports';
import { step } from '../shared/progress';

const HEADERS = { [WEBHOOK_HEADER.name]: WEBHOOK_HEADER.value };

/** A document of a source: its text depends only on its ID and version. */
export interface SourceDocument {
	id: string;
	version: number;
}

/** The service and a real n8n that can be killed and started again. */
export class SourcesStage {
	readonly checks = new Checks();

	private constructor(
		readonly command: Command,
		readonly sandbox: Sandbox,
		private readonly folder: string,
		private readonly port: number,
		private running: N8n,
		private readonly credentials: Credentials,
	) {}

	get n8n(): N8n {
		return this.running;
	}

	/** Starts everything. Everything is stopped when the command ends. */
	static async start(command: Command): Promise<SourcesStage> {
		await installN8n();
		const packed = await step('Building and packing the package', packPackage);
		const folder = await command.temporaryFolder('sources');
		await step(
			'Installing the package in n8n',
			async () => await installPackage(packed, folder),
		);
		const sandbox = await startSandbox({
			authServerId: DEMO.authServerId,
			clients: [{ id: DEMO.clientId, secret: DEMO.clientSecret }],
			dataSources: [{ endpoint: DEMO.endpoint, keys: [DEMO.pushKey] }],
			settings: { chunkDelayMs: 200, models: ['e5-small-v2', 'gte-small'] },
		});
		command.onStop(async () => await sandbox.close());
		const port = await freePort();
		const n8n = await step(
			`Starting n8n ${n8nVersion()}`,
			async () => await startN8n(folder, port),
		);
		// Nothing asks the chat model.
		const credentials = await saveCredentials(n8n.api, sandbox, sandbox.url);
		return new SourcesStage(command, sandbox, folder, port, n8n, credentials);
	}

	/** Stores and publishes a workflow. */
	async publish(workflow: Workflow): Promise<string> {
		const saved = await this.n8n.api.saveWorkflow(connected(workflow, this.credentials));
		await this.n8n.api.activate(saved);
		return saved.id;
	}

	async call(path: string, body: object): Promise<WebhookResponse> {
		return await this.n8n.api.postPublished(path, body, HEADERS);
	}

	/** Kills n8n, as if the machine lost power. */
	async kill(): Promise<void> {
		this.running.process.kill();
		await this.running.process.ended;
	}

	/** Starts n8n again with the data that it had, and with further environment variables. */
	async restart(settings: Record<string, string> = {}): Promise<void> {
		this.running = await startN8n(this.folder, this.port, { settings });
	}

	indexed(prefix: string): string[] {
		return indexedIn(this.sandbox, prefix);
	}
}
