import { deliver, type Line } from '../shared/flow/deliver';
import { Limiter } from '../shared/flow/limits/limiter';
import { messageOf } from '../shared/n8n/run/errors';
import { Lifetime } from '../shared/n8n/run/lifetime';
import type { PushEndpoint } from '../shared/n8n/session/push-endpoint';
import { NOTHING_KEPT, type Kept } from '../shared/n8n/run/previous-tries';
import type { Run } from '../shared/n8n/run/run';
import { inSteps } from '../shared/n8n/run/slices';
import { ServiceFailure } from '../shared/service/failure';
import { deletePath, documentAnswerSteps, rejection } from '../shared/service/push/push';
import type { DeleteOptions } from './properties';

/** What became of a document; `committed`: deleted, by a request whose commit the service accepted. */
export type Answer = 'deleted' | 'committed' | 'notFound';

const NOT_FOUND =
	"If unknown IDs are fine, turn on 'Ignore Not Found'. Otherwise check 'Push Service URL' in the credential and the ID.";

/** Sends single deletes. */
export class DeleteSender {
	/** IDs whose delete may have taken effect though it was never answered. */
	private readonly maybeDeleted = new Set<string>();
	/** IDs that an earlier try of the node has deleted, or may have; not with IDs from files. */
	private readonly deletedBefore: Kept<true>;
	/** One that was deleted, if any was. */
	private deletedId: string | undefined;
	/** Whether the service accepted a delete with a commit. A 404 is no proof of one. */
	isCommitted = false;

	constructor(
		private readonly run: Run,
		private readonly endpoint: PushEndpoint,
		private readonly options: DeleteOptions,
		isOfItems: boolean,
	) {
		// A file may name any number of documents, which memory must not grow with.
		this.deletedBefore = isOfItems ? run.previousTries.kept('deleted') : NOTHING_KEPT;
	}

	/** One attempt to delete a document. */
	async delete(id: string, attempt: number, commits: boolean): Promise<Answer> {
		if (attempt === 1) this.run.stats.requests++;
		const answer: Answer = await this.request(id, commits).then(
			() => (commits ? 'committed' : 'deleted'),
			(error: unknown) => this.afterFailure(id, error),
		);
		this.maybeDeleted.delete(id);
		if (answer !== 'notFound') {
			this.deletedId ??= id;
			this.deletedBefore.set(id, true);
		}
		return answer;
	}

	/** Whether an earlier try of the node has deleted a document, or may have. */
	mayBeDeleted(id: string): boolean {
		return this.deletedBefore.get(id) === true;
	}

	/**
	 * If the service has not accepted the commit of the last delete, repeats a successful delete with a
	 * commit. If this fails too, nothing is lost.
	 */
	async ensureCommit(line: Line): Promise<void> {
		const { run, deletedId: id } = this;
		if (id === undefined || this.isCommitted) return;
		if (run.ended && line.judge(run.ended.reason).action === 'stop') {
			return this.notCommitted(run.ended.reason);
		}
		// The run may have ended: only a cancel ends what follows it.
		const closing = new Lifetime(run.context, run.stats);
		const limiter = new Limiter(1, closing, undefined, line.limiter.pace);
		const commit = { ...line, run: closing, limiter };
		const outcome = await deliver(async () => await this.request(id, true), commit);
		closing.over();
		// A 404 does not tell either whether the commit that came with it was accepted.
		if (!outcome.ok) this.notCommitted(outcome.reason);
	}

	private afterFailure(id: string, error: unknown): Answer {
		if (error instanceof ServiceFailure) {
			if (error.outcomeUnknown) {
				this.maybeDeleted.add(id);
				this.deletedBefore.set(id, true);
			}
			const isNotFound = error.httpStatus === 404;
			// An earlier attempt has deleted it, though its response got lost; or an earlier try of the node.
			const isGone = this.maybeDeleted.has(id) || this.mayBeDeleted(id);
			if (isNotFound && isGone) return 'deleted';
			if (isNotFound && this.options.ignoreNotFound) return 'notFound';
			if (isNotFound) throw error.withAdvice(NOT_FOUND);
		}
		throw error;
	}

	private async request(id: string, commits: boolean): Promise<void> {
		const { session, endpoint } = this.endpoint;
		const { body } = await session.request({
			method: 'DELETE',
			path: deletePath(endpoint, id),
			...(commits && { qs: { commit: 'true' } }),
			timeoutMs: this.options.timeoutSeconds * 1000,
		});
		const steps = documentAnswerSteps(body, [{ id }]);
		const answerOf = await inSteps(steps, () => this.run.breathe());
		const { failure } = answerOf(id);
		if (failure) throw rejection(failure, 'delete');
		this.isCommitted ||= commits;
	}

	private notCommitted(reason: unknown): void {
		this.run.hint(
			`The deletes may not have been committed yet (${messageOf(reason)}). The service commits them within about a minute.`,
		);
	}
}
