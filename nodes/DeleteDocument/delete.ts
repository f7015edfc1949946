import type { IDataObject } from 'n8n-workflow';

import { deliver, type Failed, type Line, type Outcome } from '../shared/flow/deliver';
import { deliverEach } from '../shared/flow/deliver-each';
import { messageOf } from '../shared/n8n/errors';
import { count, troubleText } from '../shared/n8n/hints';
import { Parameters } from '../shared/n8n/parameters';
import { openPushEndpoint, type PushEndpoint } from '../shared/n8n/push-endpoint';
import { requestLine } from '../shared/n8n/request-options';
import type { Run } from '../shared/n8n/run';
import { ServiceFailure } from '../shared/service/failure';
import { deletePath, documentAnswers, type DocumentFailure } from '../shared/service/push';
import { deleting, outcomeMessage } from '../shared/service/wording';
import { deleteProperties, type DeleteOptions } from './properties';
import { readTargets, type Targets } from './targets';

/**
 * Deletes the documents that all input items name, each once (docs/service-interface.md, Delete). All
 * IDs are checked before the first request.
 *
 * @throws InputError for unusable options or an unusable credential
 */
export async function deleteDocuments(run: Run): Promise<void> {
	const parameters = new Parameters(run.context, deleteProperties);
	const options = parameters.collection('options');
	const commit = parameters.choice('commit');
	const endpoint = await openPushEndpoint(run);
	const line = requestLine(run, options, true);
	const sender = new DeleteSender(run, endpoint, options);

	const targets = await readTargets(run, parameters, endpoint.endpoint);
	const report = new DeleteReport(run, targets);
	run.progress = () => report.progress();

	const ids = [...targets.keys()];
	const last = commit === 'lastDeleteOnly' ? ids.pop() : undefined;
	const send = async (id: string, attempt: number) =>
		await sender.delete(id, attempt, commit === 'everyDelete');
	for await (const { entry, outcome } of deliverEach(ids, send, line)) {
		await report.answer(entry, outcome);
	}
	if (last !== undefined) {
		// All others have been answered, so the commit comes after them.
		const send = async (attempt: number) => await sender.delete(last, attempt, true);
		const outcome = await deliver(send, line);
		await report.answer(last, outcome);
		if (!outcome.ok || outcome.response === 'notFound') await report.commit(sender, line);
	}
	report.end();
}

/** What became of a document. */
type Answer = 'deleted' | 'notFound';

/** Sends single deletes. */
class DeleteSender {
	/** IDs whose delete may have taken effect though it was never answered. */
	private readonly maybeDeleted = new Set<string>();

	constructor(
		private readonly run: Run,
		private readonly endpoint: PushEndpoint,
		private readonly options: DeleteOptions,
	) {}

	/** One attempt to delete a document. */
	async delete(id: string, attempt: number, commits: boolean): Promise<Answer> {
		if (attempt === 1) this.run.stats.requests++;
		return await this.request(id, commits).then(
			() => 'deleted' as const,
			(error: unknown) => this.afterFailure(id, error),
		);
	}

	private afterFailure(id: string, error: unknown): Answer {
		if (error instanceof ServiceFailure) {
			if (error.outcomeUnknown) this.maybeDeleted.add(id);
			const isNotFound = error.httpStatus === 404;
			// An earlier attempt has deleted it, though its response got lost.
			if (isNotFound && this.maybeDeleted.has(id)) return 'deleted';
			if (isNotFound && this.options.ignoreNotFound) return 'notFound';
		}
		throw error;
	}

	async request(id: string, commits: boolean): Promise<void> {
		const { session, endpoint } = this.endpoint;
		const { body } = await session.request({
			method: 'DELETE',
			path: deletePath(endpoint, id),
			...(commits && { qs: { commit: 'true' } }),
			timeoutMs: this.options.timeoutSeconds * 1000,
		});
		const [answer] = documentAnswers(body, [{ id }]);
		if (answer?.failure) throw notDeleted(answer.failure);
	}
}

/** The service answered 2xx, but says that it has not deleted the document. */
function notDeleted({ words, status }: DocumentFailure): ServiceFailure {
	const withStatus = status === undefined ? '' : ` with status ${status}`;
	const said = words === '' ? '' : `, "${words}"`;
	return new ServiceFailure(`The push service rejected the delete${withStatus}${said}`, {
		kind: 'rejected',
		...(status !== undefined && { status }),
		description: 'See what the service says about the document, then delete it again.',
	});
}

/** Turns what happens to the IDs of a run into output items and hints. */
class DeleteReport {
	/** IDs the service has deleted. */
	private deleted: string[] = [];

	constructor(
		private readonly run: Run,
		private readonly targets: Targets,
	) {}

	/** What had been done, for the error of a run that ends early. */
	progress(): string {
		if (this.run.stats.requests === 0) return 'Nothing was sent.';
		return `${count(this.deleted.length, 'document')} of ${this.targets.size.toLocaleString('en-US')} had been deleted; deleting them again does no harm if 'Ignore Not Found' is on.`;
	}

	/** Answers every item that names an ID. */
	async answer(id: string, outcome: Outcome<Answer>): Promise<void> {
		if (outcome.ok && outcome.response === 'deleted') this.deleted.push(id);
		for (const itemIndex of this.targets.get(id) ?? []) {
			await this.run.breathe();
			if (outcome.ok) this.run.done(itemIndex, [resultJson(id, outcome.response)]);
			else this.failed(itemIndex, id, outcome);
		}
	}

	/**
	 * Repeats a delete that went well, for the commit of all that did not get through. Nothing is lost if
	 * this fails too.
	 */
	async commit(sender: DeleteSender, line: Line): Promise<void> {
		const { run } = this;
		const [id] = this.deleted;
		if (id === undefined) return;
		if (run.ended && line.judge(run.ended.reason).action === 'stop') {
			return this.notCommitted(run.ended.reason);
		}
		const closing = { ...line, run: run.closing() };
		const outcome = await deliver(async () => await sender.request(id, true), closing);
		// A 404 does not tell either whether the commit that came with it was accepted.
		if (!outcome.ok) this.notCommitted(outcome.reason);
	}

	end(): void {
		const trouble = troubleText(this.run.stats);
		if (trouble !== '') this.run.hint(trouble);
	}

	private failed(itemIndex: number, id: string, { reason, skipped }: Failed): void {
		const message = outcomeMessage(deleting(id), reason, { attempted: !skipped });
		this.run.fail(itemIndex, reason, { message, json: { id }, skipped });
	}

	private notCommitted(reason: unknown): void {
		this.run.hint(
			`The deletes may not have been committed yet (${messageOf(reason)}). The service commits them within about a minute.`,
		);
	}
}

const resultJson = (id: string, answer: Answer): IDataObject =>
	answer === 'deleted' ? { id, deleted: true } : { id, deleted: false, notFound: true };
