import type { BatchResult } from '../shared/sending/batch-sender';
import { account, type ResultFormat } from '../shared/output/sink';
import type { Source } from '../shared/input/source';
import type { Findings } from '../shared/formats/findings';
import { RecentIds } from '../shared/formats/recent-ids';
import { formatCount } from '../shared/service/strings';
import type { Entry, PushOutcomes } from './requests';

/**
 * Accounts for documents with the same ID, which replace each other in the index. Records of a file become findings in
 * the file's summary. Documents from items are counted for a hint.
 */
export class SameIds {
	/** Documents that were not sent because a later document in the same batch had the same ID. */
	private skipped = 0;
	/** Documents that were sent after another document with the same ID. */
	private repeated = 0;
	private readonly sent = new RecentIds();

	/**
	 * Counts the documents in a request whose ID was sent before, and accounts for the documents that they replace. A
	 * replaced document was not sent, so it shares the outcome of its replacement.
	 */
	async accountFor(
		{ sink, findings }: Source<Entry>,
		{ entries, outcome, request }: BatchResult<Entry, PushOutcomes>,
		resultFormat: ResultFormat<Entry, PushOutcomes>,
	): Promise<void> {
		const formatOfReplaced: ResultFormat<Entry, PushOutcomes> = {
			...resultFormat,
			result: ({ id }) => ({ id, pushed: false, reason: 'A later document has the same ID' }),
			countName: () => 'skipped',
		};
		for (const entry of entries) {
			const isRepeated = request > 0 && this.sent.addAndCheck(entry.id);
			if (outcome.ok && isRepeated) this.countOrFind('repeated', entry, findings);
			for (const replaced of entry.replaces ?? []) {
				if (outcome.ok) this.countOrFind('skipped', entry, findings);
				await account(sink, [replaced], outcome, formatOfReplaced);
			}
		}
	}

	/** Returns phrases for a hint. The list is empty if all IDs differ. */
	counts(): string[] {
		const { skipped, repeated } = this;
		const counts: string[] = [];
		if (skipped > 0)
			counts.push(
				`${formatCount(skipped, 'document')} skipped because a later one has the same ID`,
			);
		if (repeated > 0)
			counts.push(`${formatCount(repeated, 'document')} with the same ID as an earlier one`);
		return counts;
	}

	private countOrFind(
		count: 'skipped' | 'repeated',
		{ record, id }: Entry,
		findings?: Findings,
	): void {
		if (record && findings) findings.add('sameId', record.line, id);
		else this[count]++;
	}
}

export const SAME_ID_ADVICE =
	'The index contains one document per ID. If these are different documents, give each one its own ID.';
