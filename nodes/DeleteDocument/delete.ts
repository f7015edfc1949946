import type { IDataObject } from 'n8n-workflow';

import type { Failed, Outcome } from '../shared/flow/deliver';
import { deliverEach } from '../shared/flow/deliver-each';
import { count, troubleText } from '../shared/n8n/hints';
import { Parameters } from '../shared/n8n/parameters';
import { openPushEndpoint } from '../shared/n8n/push-endpoint';
import { requestLine } from '../shared/n8n/request-options';
import type { Run } from '../shared/n8n/run';
import { deleting, outcomeMessage } from '../shared/service/wording';
import { deleteFromFiles } from './file';
import { deleteProperties, type DeleteParameters } from './properties';
import { DeleteSender, isCommitted, type Answer, type Deleting } from './sender';
import { readTargets, type Targets } from './targets';

/**
 * Deletes the documents that the input items or their files name (docs/service-interface.md, Delete).
 *
 * @throws InputError for unusable options or an unusable credential
 */
export async function deleteDocuments(run: Run): Promise<void> {
	const parameters = new Parameters(run.context, deleteProperties);
	const options = parameters.collection('options', ['skipRecords']);
	const endpoint = await openPushEndpoint(run);
	const requests: Deleting = {
		...requestLine(run, options, true),
		endpoint: endpoint.endpoint,
		commit: parameters.choice('commit'),
		sender: new DeleteSender(run, endpoint, options),
	};
	if (parameters.choice('idSource') === 'file') {
		await deleteFromFiles(run, parameters, options, requests);
	} else {
		await deleteFromItems(run, parameters, requests);
	}
	const trouble = troubleText(run.stats);
	if (trouble !== '') run.hint(trouble);
}

/** Deletes what the items name, each document once. All IDs are checked before the first request. */
async function deleteFromItems(
	run: Run,
	parameters: DeleteParameters,
	requests: Deleting,
): Promise<void> {
	const { sender, commit } = requests;
	const targets = await readTargets(run, parameters, requests.endpoint);
	const report = new DeleteReport(run, targets);
	run.progress = () => report.progress();

	const ids = [...targets.keys()];
	const last = commit === 'lastDeleteOnly' ? ids.pop() : undefined;
	const send = async (id: string, attempt: number) =>
		await sender.delete(id, attempt, commit === 'everyDelete');
	for await (const { entry, outcome } of deliverEach(ids, send, requests)) {
		await report.answer(entry, outcome);
	}
	if (last === undefined) return;
	// All others have been answered, so the commit comes after them.
	const outcome = await sender.deleteAndCommit(last, requests);
	await report.answer(last, outcome);
	if (!isCommitted(outcome)) await sender.commit(requests);
}

/** Turns what happens to the IDs of a run into output items and hints. */
class DeleteReport {
	/** How many documents the service has deleted. */
	private deleted = 0;

	constructor(
		private readonly run: Run,
		private readonly targets: Targets,
	) {}

	/** What had been done, for the error of a run that ends early. */
	progress(): string {
		if (this.run.stats.requests === 0) return 'Nothing was sent.';
		return `${count(this.deleted, 'document')} of ${this.targets.size.toLocaleString('en-US')} had been deleted; deleting them again does no harm if 'Ignore Not Found' is on.`;
	}

	/** Answers every item that names an ID. */
	async answer(id: string, outcome: Outcome<Answer>): Promise<void> {
		if (outcome.ok && outcome.response === 'deleted') this.deleted++;
		for (const itemIndex of this.targets.get(id) ?? []) {
			await this.run.breathe();
			if (outcome.ok) this.run.done(itemIndex, [resultJson(id, outcome.response)]);
			else this.failed(itemIndex, id, outcome);
		}
	}

	private failed(itemIndex: number, id: string, { reason, skipped }: Failed): void {
		const message = outcomeMessage(deleting(id), reason, { attempted: !skipped });
		this.run.fail(itemIndex, reason, { message, json: { id }, skipped });
	}
}

const resultJson = (id: string, answer: Answer): IDataObject =>
	answer === 'deleted' ? { id, deleted: true } : { id, deleted: false, notFound: true };
