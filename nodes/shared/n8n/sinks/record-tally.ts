import type { IDataObject } from 'n8n-workflow';

import { Watermark } from '../../flow/watermark';
import type { SourceRecord } from '../../records/record';
import { ServiceFailure } from '../../service/failure';
import { quoted } from '../../service/wording';
import { FailureCounts } from '../run/failure-counts';
import { count, figure } from '../run/hints';
import { FailureList, type ListedFailure } from './failure-list';

/**
 * What has become of the records of one file: those done, failed and skipped, and others that are counted
 * on their own, add up to all read.
 */
export class RecordTally {
	/** How many were read. */
	records = 0;
	done = 0;
	failed = 0;
	skipped = 0;
	/** Further counts of the summary, such as IDs that were not found. */
	readonly others: Record<string, number> = {};
	private readonly failures = new FailureList();
	private readonly counts = new FailureCounts();
	private readonly watermark = new Watermark();
	private passedOver = 0;

	private firstFailed: number | undefined;
	/** Whether it is known of all records whether they have taken effect. */
	isCertain = true;

	/**
	 * @param file its name
	 * @param verb what becomes of a record that succeeds, such as `pushed`: a member of the summary
	 * @param goOn how to continue after an interruption, given up to which record all were answered
	 */
	constructor(
		private readonly file: string,
		private readonly verb: string,
		private readonly goOn: (upTo: number) => string = skipAnswered,
	) {}

	/** Records that succeeded; `as`: counted under that name. */
	succeed(records: readonly SourceRecord[], as?: string): void {
		if (as === undefined) this.done += records.length;
		else this.others[as] = (this.others[as] ?? 0) + records.length;
		this.answered(records);
	}

	/** All records up to this number are skipped because the user wishes so. */
	passOver(upTo: number): void {
		this.skipped += upTo - this.passedOver;
		this.passedOver = upTo;
		this.records = Math.max(this.records, upTo);
		this.watermark.answeredUpTo(upTo);
	}

	/** Records that were not sent. */
	skip(records: readonly SourceRecord[]): void {
		this.skipped += records.length;
	}

	/** A record failed. */
	fail(failure: ListedFailure): void {
		this.failed++;
		this.firstFailed ??= failure.record;
		const { reason } = failure;
		if (reason instanceof ServiceFailure && reason.outcomeUnknown) this.isCertain = false;
		this.counts.add(failure.reason, failure.id);
		this.failures.add(failure);
	}

	/** Records that need not be done again. */
	answered(records: ReadonlyArray<{ record: number }>): void {
		this.watermark.answered(records.map(({ record }) => record));
	}

	/** How far it has come, and how to continue if it ends here. */
	progress(): string {
		const { done, failed, file, verb, watermark } = this;
		const failures = failed > 0 ? ` and ${figure(failed)} had failed` : '';
		const progress =
			done === 0 && this.isCertain
				? `nothing was ${verb}${this.failedText()}`
				: `${count(done, 'record')} had been ${verb}${failures}`;
		return `Of the file ${quoted(file)}, ${progress}. ${this.goOn(watermark.upTo)}`.trimEnd();
	}

	private failedText(): string {
		const { failed, firstFailed } = this;
		if (failed === 0) return '';
		return `; ${failed === 1 && firstFailed !== undefined ? `record ${firstFailed}` : count(failed, 'record')} failed`;
	}

	/** What is known of a file that was read to this extent, in case the run ends at a later one. */
	progressAtEnd(extent: string): string {
		const { file, failed } = this;
		const failures = failed > 0 ? `, and ${count(failed, 'record')} had failed` : '';
		return `The file ${quoted(file)} had been processed ${extent}${failures}.`;
	}

	/** The counts, as members of the summary. */
	countsJson(): IDataObject {
		const { records, verb, done, others, failed, skipped } = this;
		return { records, [verb]: done, ...others, failed, skipped };
	}

	/** The failures, as members of the summary. */
	failuresJson(): IDataObject {
		return { failures: this.failures.list, failureCounts: this.counts.list() };
	}
}

/** How to continue if what was answered has taken effect. */
export const skipAnswered = (upTo: number): string =>
	upTo === 0
		? 'Start again from the beginning.'
		: `Everything up to record ${figure(upTo)} was answered: continue with Skip Records: ${upTo}`;
