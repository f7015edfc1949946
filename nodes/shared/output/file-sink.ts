/**
 * Accounts for the records in one file. The sink counts each record's outcome and keeps the failed records. When the
 * file has been processed, the sink returns one item with the counts. The failed records are attached to this item as
 * files that the node can read again. If the run ends early, the error says how much of the file was processed and how
 * to continue. To know where to continue, the sink keeps a watermark, which is a record number. All records up to this
 * number have an outcome.
 */
import type { IDataObject } from 'n8n-workflow';

import type { RunStats } from '../sending/run-state';
import { mayFailAll } from '../sending/diagnosis';
import { FileError } from '../formats/bytes';
import { RecordError } from '../formats/record';
import { InputError, messageOf } from '../service/input-error';
import { figure, formatCount, quoted } from '../service/strings';
import { Meter } from '../run/meter';
import type { Failure } from '../run/results';
import type { Run } from '../run/run';
import { hintAtFindings } from './file-findings';
import { FailedRecords } from './failed-records';
import { FailureList } from './failure-list';
import type { RecordFile } from './record-file';
import {
	increaseCount,
	newCounts,
	type EntryOrigin,
	type Sink,
	type SinkOptions,
	type SinkResult,
	type Success,
	type ResultFormat,
} from './sink';
import { adviceToSkip, Watermark } from './watermark';

export interface FileResult extends SinkResult {
	/**
	 * Counters for this file. They are needed if requests for several files are in flight. By default, the run's
	 * counters are used.
	 */
	stats?: RunStats;
	/** Returns advice on how to continue after an interruption. All records up to `upTo` have an outcome. */
	adviceToContinue?: (upTo: number) => string;
	/** Returns a note about this file. If the run stops at a later file, the error contains this note. */
	noteAtEnd?: () => string;
	/**
	 * If this function is set, it receives the summary of a file that was read to the end without failures or warnings.
	 * The node then returns no item for the file.
	 */
	onSummary?: ((summary: IDataObject) => void) | undefined;
}

const NOTHING_SENT = 'Nothing was sent, because this was a dry run.';

/**
 * Overrides a node's results in a dry run. Entries are checked instead of sent, and there is no advice on how
 * to continue.
 */
export const DRY_RUN_RESULT = {
	done: 'checked',
	json: () => ({ dryRun: true }),
	describeProgress: () => NOTHING_SENT,
	adviceToContinue: () => NOTHING_SENT,
} satisfies FileResult & { describeProgress: () => string };

/**
 * Each record that was read is counted exactly once. It is counted as succeeded, failed or skipped, or it is included
 * in a separate count.
 */
export class FileSink implements Sink {
	isAtEnd = false;
	/** The record number of the last record that is accounted for. */
	private records = 0;
	private skipped = 0;
	private readonly counts: Record<string, number>;
	private readonly failures = new FailureList();
	private firstFailed = Infinity;
	private readonly watermark: Watermark;
	/**
	 * Failed records whose error may affect every request. The watermark stops before them until a later
	 * record succeeds.
	 */
	private unresolved: number[] = [];
	private readError: { message: string; advice: string } | undefined;
	private readonly failedRecords: FailedRecords;
	private hasFiles = false;
	private isProcessed = false;
	private readonly stats: RunStats;
	private readonly meter: Meter;

	constructor(
		private readonly run: Run,
		private readonly file: RecordFile,
		options: SinkOptions,
		private readonly result: FileResult,
	) {
		this.failedRecords = new FailedRecords(run, file, options.bytesPerFile);
		this.counts = newCounts(result);
		this.watermark = new Watermark(file.skip);
		this.stats = result.stats ?? run.stats;
		this.meter = new Meter(this.stats);
	}

	async addSuccess<E extends EntryOrigin, R>(
		entries: readonly E[],
		{ response }: Success<R>,
		resultFormat: ResultFormat<E, R>,
	): Promise<void> {
		const countName = resultFormat.countName?.(response);
		for (const { record } of entries) this.succeed(record?.record, countName);
	}

	async addItems(
		{ record }: EntryOrigin,
		items: IDataObject[],
		counts: Readonly<Record<string, number>> = {},
	): Promise<void> {
		for (const [name, number] of Object.entries(counts))
			increaseCount(this.counts, name, number);
		this.run.results.give(this.file.itemIndex, items);
		this.succeed(record?.record);
	}

	async addFailure({ record }: EntryOrigin, failure: Failure): Promise<void> {
		if (record === undefined) return;
		const { run, failedRecords } = this;
		await failedRecords.keepResponse(record, failure);
		// If the run is canceled, the record does not count as failed, because the next run sends the record again.
		if (failure.skipped || run.signal.aborted) return this.skip(1, record.record);
		if (failure.diagnosis && mayFailAll(failure.diagnosis)) this.unresolved.push(record.record);
		else this.watermark.markDone(record.record);
		this.fail(record, failure);
		if (!run.stopsOnFailure) await failedRecords.keep(record);
	}

	/** Reports that the file cannot be read from this record onward. */
	breakOff(record: number, reason: unknown): void {
		const line = reason instanceof RecordError ? reason.line : undefined;
		const isOfFile = reason instanceof RecordError || reason instanceof FileError;
		const advice = isOfFile ? reason.advice : FETCH_AGAIN_ADVICE;
		this.readError = { message: messageOf(reason), advice };
		this.fail({ record, line }, { reason, advice });
	}

	async close(): Promise<void> {
		const { run, failures } = this;
		const { file } = this;
		const { itemIndex, skip } = file;
		const passedOver = Math.min(skip, file.reader.position.record - 1);
		this.skip(passedOver, passedOver);
		if (run.returnsNothing) return;
		const { ended } = run;
		const { binary, json: fileFields } = await this.failedRecords.close();
		this.hasFiles = true;
		const warnings = hintAtFindings(run, file.name, file.findings);
		const json = { ...this.summary(warnings), ...fileFields };
		if (run.ended) {
			const { reason } = run.ended;
			const message = `${messageOf(reason).replace(/\.$/, '')}. ${this.progress()}`;
			if (!this.readError && this.firstFailed <= this.watermark.upTo) this.failure();
			// If the run ended while `close` was storing the failed records, the whole file had already been processed.
			// Most such runs end because n8n could not store the records.
			if (ended) {
				const what = `The run ended before it had processed the file ${quoted(file.name)}`;
				run.hintAtFile(what, ENDED_ADVICE);
			}
			return run.fail(itemIndex, { reason, message, json, binary });
		}
		this.isProcessed = true;
		const { onSummary } = this.result;
		if (onSummary && this.isAtEnd && failures.total === 0 && !json.warnings) {
			onSummary(json);
			return run.results.give(itemIndex, []);
		}
		const failure = failures.total > 0 ? this.failure() : undefined;
		run.results.give(itemIndex, [json], { binary, failure });
	}

	/** Returns a message that says how much of the file has been processed and how the next run can continue. */
	progress(): string {
		const { failures, watermark, firstFailed } = this;
		const { done, adviceToContinue = adviceToSkip, noteAtEnd } = this.result;
		const name = quoted(this.file.name);
		if (this.isProcessed)
			return [`The file ${name} had been processed.`, noteAtEnd?.()]
				.filter(Boolean)
				.join(' ');
		// If the run returns no files, the failed records are lost. The next run must then start at the first
		// failed record.
		const upTo = this.hasFiles ? watermark.upTo : Math.min(watermark.upTo, firstFailed - 1);
		const succeeded = formatCount(this.counts[done] ?? 0, 'record');
		const failed = failures.total > 0 ? ` and ${figure(failures.total)} had failed` : '';
		const advice = adviceToContinue(upTo) || this.unreadText();
		return `${succeeded} of the file ${name} had been ${done}${failed}. ${advice}`.trimEnd();
	}

	logLine(): string {
		const read = this.file.reader.position.record - 1;
		return `${this.progress()} (${formatCount(read, 'record')} read, ${this.meter.text()})`;
	}

	/**
	 * Returns a sentence about the records that the run did not reach, or '' if the run may have reached all records.
	 */
	private unreadText(): string {
		if (!this.run.ended || this.isAtEnd || this.records === 0) return '';
		return `Any records after record ${figure(this.records)} were not read`;
	}

	/** @param countName name of the count. By default, it is the node's success count, such as `pushed`. */
	private succeed(record = 0, countName = this.result.done): void {
		if (countName === this.result.done) this.stats.increment('done');
		if (countName === 'skipped') this.skipped++;
		else increaseCount(this.counts, countName, 1);
		this.records = Math.max(this.records, record);
		this.watermark.markDone(record);
		if (this.run.ended || this.unresolved.length === 0) return;
		const resolved = this.unresolved.filter((each) => each < record);
		this.unresolved = this.unresolved.filter((each) => each > record);
		for (const each of resolved) this.watermark.markDone(each);
	}

	private skip(records: number, upTo: number): void {
		this.skipped += records;
		this.records = Math.max(this.records, upTo);
	}

	private fail(
		{ record, line }: { record: number; line: number | undefined },
		failure: Failure,
	): void {
		const { run, file } = this;
		this.records = Math.max(this.records, record);
		this.firstFailed = Math.min(this.firstFailed, record);
		this.stats.increment('failed');
		this.failures.addFailure({ ...failure, record, line });
		if (!run.stopsOnFailure) return;
		const { reason, message = messageOf(reason) } = failure;
		const isUnreadable = reason instanceof RecordError;
		const inLine = line === undefined ? '' : ` (line ${line})`;
		const where = isUnreadable ? '' : `, record ${record}${inLine}`;
		const isOfRecord = isUnreadable || reason instanceof InputError;
		run.fail(file.itemIndex, {
			reason,
			message: `${quoted(file.name)}${where}: ${message}`,
			advice: failure.advice ?? (isOfRecord ? SKIP_RECORD_ADVICE : undefined),
		});
	}

	/** Adds a hint about the file's failures and returns the error for the file's item. */
	private failure(): InputError {
		const { failures, readError, records, run } = this;
		const name = quoted(this.file.name);
		const inFiles = failures.total - (readError ? 1 : 0);
		const what = `${formatCount(inFiles, 'record')} of ${name} failed`;
		if (inFiles > 0) run.hintAtFile(what, CORRECT_FILES_ADVICE);
		if (!readError) return new InputError(what, CORRECT_FILES_ADVICE);
		const ending = `The file ${name} could not be read to its end: ${readError.message}`;
		const advice = `${readError.advice} To continue after that, set 'Skip Records' to ${records - 1}`;
		run.hintAtFile(ending, advice);
		return new InputError(ending, advice);
	}

	private summary(warnings: string[]): IDataObject {
		const { records, counts, failures, skipped, readError } = this;
		return {
			file: this.file.name,
			records,
			...counts,
			failed: failures.total,
			skipped,
			atEnd: this.isAtEnd,
			...(readError && { readError: readError.message }),
			...(warnings.length > 0 && { warnings }),
			stats: this.meter.json(),
			...this.result.json?.(),
			...(failures.total > 0 && failures.json()),
		};
	}
}

const ENDED_ADVICE = "See 'error' for the reason and for how to continue.";

const FETCH_AGAIN_ADVICE =
	'Fetch the file again. If that does not help, check the storage where n8n keeps files.';

const SKIP_RECORD_ADVICE = "To skip this record, set 'On Error' to 'Continue'.";

const CORRECT_FILES_ADVICE =
	"See 'failures' on the JSON tab for the reasons. The failed records are attached as files. Correct these files, then run this node on them.";
