import type { IDataObject } from 'n8n-workflow';

import { doneText } from '../shared/run/hints';
import type { Run } from '../shared/run/run';
import { formatCount } from '../shared/service/strings';

export class Commit<E> {
	/** The entry to send after all other deletes have an outcome, so that its commit applies to all of them. */
	last: E | undefined;
	/**
	 * Whether the service accepted a delete with a commit. Status 404 does not count, because the service may have
	 * ignored the commit.
	 */
	isAccepted = false;
	/** Results that the last delete commits. */
	private readonly uncommitted: IDataObject[] = [];

	constructor(private readonly when: 'everyDelete' | 'lastDeleteOnly' | 'serviceDefault') {}

	isAskedWith(entry: E): boolean {
		return this.when === 'everyDelete' || entry === this.last;
	}

	/** Yields all entries. If only the last delete asks for a commit, the last entry becomes `last` instead. */
	async *withoutLast(slices: AsyncIterable<E[]>): AsyncGenerator<E[], void, undefined> {
		if (this.when !== 'lastDeleteOnly') return yield* slices;
		for await (const slice of slices) {
			const next = slice.pop();
			if (next === undefined) continue;
			const earlier = this.last;
			// The earlier entry is no longer `last` when it is sent. Otherwise, it would ask for a commit.
			this.last = next;
			yield earlier === undefined ? slice : [earlier, ...slice];
		}
	}

	addUncommitted(result: IDataObject): void {
		if (this.when === 'lastDeleteOnly') this.uncommitted.push(result);
	}

	markCommitted(): void {
		if (this.isAccepted) for (const result of this.uncommitted) result.committed = true;
	}

	/** Adds a hint about when searches stop finding the documents. */
	addHintTo(run: Run): void {
		const { stats, meter } = run;
		const accepted = `${formatCount(stats.done, 'delete')} accepted`;
		const done = doneText(stats, meter, 'delete', 'accepted') || accepted;
		const isOne = stats.done === 1;
		const unknown = `The service does not say whether the ${isOne ? 'document' : 'documents'} existed.`;
		const stay = isOne ? 'The document stays' : 'The documents stay';
		const until = `${stay} searchable until the service commits, about once a minute.`;
		if (this.isAccepted)
			run.hint(
				`${done}. The service accepted the commit. Searches should soon stop finding the ${isOne ? 'document' : 'documents'}. ${unknown}`,
				'info',
			);
		else if (stats.done > 0 && this.when === 'serviceDefault')
			run.hint(`${done}. ${until} ${unknown}`, 'info');
		else if (stats.done > 0)
			run.hint(`The deletes may not be committed yet. ${until} ${unknown}`);
	}
}
