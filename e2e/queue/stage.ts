import type { WebhookResponse } from '../n8n/api';
import type { ExecutionSummary } from '../n8n/execution';
import { indexedIn } from '../service/sandbox';
import type { Checks } from '../shared/checks';
import type { QueueMode } from './queue-mode';

/**
 * Each worker needs one token. This many additional tokens are allowed, because workers revoke each other's tokens at
 * first. Up to three additional tokens have been seen on a busy machine. If workers did not share tokens, every
 * execution would need its own token.
 */
const SPARE_TOKENS = 4;

const DOCUMENTS = 3;
const SECTIONS = 3;

export interface QueueStage extends QueueMode {
	checks: Checks;
	/** Documents that the index must contain by now, each as `id=text`. */
	model: Set<string>;
}

/**
 * The body of one webhook call. No other delivery contains the same documents. `delete` is the ID of a chunk to delete
 * after it has been pushed.
 */
export interface Delivery {
	documents: Array<{ id: string; name: string; text: string }>;
	delete: string;
}

/**
 * For each delivery, makes one call to the workflow that chunks, pushes and deletes. All calls are sent at the same
 * time.
 */
export async function ingest(
	{ api }: QueueStage,
	deliveries: Delivery[],
): Promise<WebhookResponse[]> {
	const call = async (delivery: Delivery) => await api.postWebhook('queue-ingest', delivery);
	return await Promise.all(deliveries.map(call));
}

/**
 * Creates `count` deliveries. Each delivery contains three documents, and each document contains three sections. Each
 * section becomes a chunk. Adds the chunks to `model`, except the chunk that each delivery deletes.
 */
export function deliveriesOf({ model }: QueueStage, run: string, count: number): Delivery[] {
	return Array.from({ length: count }, (_call, call) => {
		const documents = Array.from({ length: DOCUMENTS }, (_document, number) => {
			const id = `${run}-${call}/${number}`;
			const sections = Array.from(
				{ length: SECTIONS },
				(_section, at) => `# Part ${at} of ${id}\nWhat part ${at} of ${id} has to say.`,
			);
			for (const [at, text] of sections.entries()) model.add(`${id}#${at}=${text}`);
			return { id, name: `Document ${id}`, text: sections.join('\n') };
		});
		const { id } = documents[0];
		for (const chunk of model) if (chunk.startsWith(`${id}#1=`)) model.delete(chunk);
		return { documents, delete: `${id}#1` };
	});
}

export function saysDeleted({ status, body }: WebhookResponse): boolean {
	const [item] = Array.isArray(body) ? (body as Array<{ deleted?: boolean }>) : [];
	return status === 200 && item?.deleted === true;
}

export async function executionsOf(
	{ api, workflows }: QueueStage,
	workflow: keyof QueueMode['workflows'],
): Promise<ExecutionSummary[]> {
	return await api.executions(workflows[workflow].id);
}

/** Checks that the index contains exactly what was sent, and that not too many tokens were issued. */
export function checkService({ sandbox, checks, workers, model }: QueueStage, run: string): void {
	const issued = sandbox.tokensIssued();
	const most = workers.length + SPARE_TOKENS;
	checks.add(
		`${run}: at most ${most} tokens were issued so far`,
		issued > 0 && issued <= most,
		`${issued}`,
	);
	const index = indexedIn(sandbox);
	const missing = [...model].filter((document) => !index.includes(document));
	const strange = index.filter((document) => !model.has(document));
	checks.add(
		`${run}: the index has what was sent, and nothing else`,
		missing.length === 0 && strange.length === 0 && index.length === model.size,
		`${index.length} documents, ${missing.length} missing, ${strange.length} strange`,
	);
}
