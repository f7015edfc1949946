import { NOT_OVER, type Execution } from '../n8n/execution';
import type { N8n } from '../n8n/process';
import type { StoredWorkflow, Workflow } from '../n8n/workflow';
import { WEBHOOK_HEADER } from '../service/credentials';
import { until } from '../shared/wait';
import { textOf, type SourceDocument } from './chunks';
import { pathOf, tableOf } from './copy';

const OVER_WITHIN_MS = 120_000;
const ROWS_AT_ONCE = 1000;

/** A copy of the example with a path, a table and a source of its own, so that several can run at once. */
export class Lane {
	private constructor(
		readonly name: string,
		private readonly workflow: StoredWorkflow,
		private readonly n8n: () => N8n,
	) {}

	/** Stores the copy in n8n and publishes it. */
	static async open(name: string, copy: Workflow, n8n: () => N8n): Promise<Lane> {
		const { api } = n8n();
		const saved = await api.saveWorkflow(copy);
		await api.activate(saved);
		return new Lane(name, saved, n8n);
	}

	/**
	 * Calls the webhook with all documents of the source.
	 * @returns the status of the response, undefined if the connection was lost
	 */
	async call(source: SourceDocument[], more: object = {}): Promise<number | undefined> {
		const documents = source.map((document) => ({
			id: `${this.name}/${document.id}`,
			name: document.id,
			url: `https://example.com/${document.id}`,
			text: textOf(document),
		}));
		const headers = { [WEBHOOK_HEADER.name]: WEBHOOK_HEADER.value };
		const body = { documents, confirmDeletes: true, ...more };
		const { api } = this.n8n();
		return await api.postWebhook(pathOf(this.name), body, headers).then(
			({ status }) => status,
			() => undefined,
		);
	}

	/** Stops all executions that run. */
	async stop(): Promise<void> {
		const { api } = this.n8n();
		for (const { id } of await this.running()) {
			// It may have ended just now.
			await api.stopExecution(id).catch(() => undefined);
		}
	}

	/**
	 * Waits until nothing runs any longer, and lets the locks expire that were left.
	 * @throws Error if something still runs after two minutes
	 */
	async settle(): Promise<void> {
		const isOver = async () => (await this.running()).length === 0;
		if (!(await until(isOver, OVER_WITHIN_MS))) {
			throw new Error(`An execution of '${this.workflow.name}' does not end`);
		}
		const { dataTables } = this.n8n().api;
		const lockedUntil = new Date(Date.now() - 1000).toISOString();
		for (const { id, lockedUntil: isLock } of await dataTables.rows(tableOf(this.name))) {
			if (isLock) await dataTables.update(tableOf(this.name), id, { lockedUntil });
		}
	}

	/** Its rows, as `id:count`, with an asterisk if the hash is empty, or `lock`. */
	async rows(): Promise<string[]> {
		const rows = await this.n8n().api.dataTables.rows(tableOf(this.name));
		const shown = ({ documentId, chunkCount, hash }: Record<string, unknown>) =>
			documentId ? `${String(documentId)}:${String(chunkCount)}${hash ? '' : '*'}` : 'lock';
		return rows.map(shown).sort();
	}

	/** Deletes the rows of all documents. */
	async forgetAll(): Promise<void> {
		await this.n8n().api.dataTables.deleteWith(tableOf(this.name), 'documentId');
	}

	/** Adds rows as if these documents had been pushed. */
	async insertRows(ids: string[]): Promise<void> {
		const { dataTables } = this.n8n().api;
		for (let from = 0; from < ids.length; from += ROWS_AT_ONCE) {
			const rows = ids
				.slice(from, from + ROWS_AT_ONCE)
				.map((id) => ({ documentId: `${this.name}/${id}`, hash: 'x', chunkCount: 1 }));
			await dataTables.insert(tableOf(this.name), rows);
		}
	}

	/** The run that was called last. */
	async lastExecution(): Promise<Execution> {
		const { api } = this.n8n();
		const [{ id }] = await api.executions(this.workflow.id, 1);
		return await api.execution(id);
	}

	private async running(): Promise<Array<{ id: string }>> {
		const all = await this.n8n().api.executions(this.workflow.id, 5);
		return all.filter(({ status }) => NOT_OVER.has(status));
	}
}
