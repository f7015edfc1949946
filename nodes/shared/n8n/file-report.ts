import type { IBinaryKeyData, IDataObject } from 'n8n-workflow';

import { RecordError, type SourceRecord } from '../records/record';
import { InputError } from '../service/input-error';
import { quoted } from '../service/wording';
import { DeadLetters } from './dead-letters';
import { messageOf } from './errors';
import { count } from './hints';
import { EMPTY, refusal, type RecordFile } from './record-file';
import { RecordTally } from './record-tally';
import type { Run } from './run';

/** How often a long run writes a line to n8n's log. */
const LOG_INTERVAL_MS = 10_000;

const CHECK_STORAGE = 'Check the storage where n8n keeps files, for example its free space.';

const NOT_READ_ON =
	'Fetch the file again. If that does not help, check the storage where n8n keeps files.';

/** How a report is made. */
export interface FileReportOptions {
	itemIndex: number;
	/** What becomes of a record that succeeds, such as `pushed`: a member of the summary. */
	done: string;
	/** Records to skip at the beginning of the file. */
	skip: number;
	/** Maximum size of one file of failed records. */
	bytesPerFile: number;
	/** Bytes of all requests of the run so far; omitted from the summary if undefined. */
	sentBytes?: () => number;
	/** How to continue after an interruption, given up to which record all were answered. */
	goOn?: (upTo: number) => string;
	/** Further members of the summary, read when the report ends. */
	details?: () => IDataObject;
	/** Files of responses that could not be used, complete when the report ends. */
	responses?: { readonly binary: IBinaryKeyData; readonly files: IDataObject[] };
	/** Further members of the summary. */
	json?: IDataObject;
}

/** A record that failed, and why. */
export interface RecordFailure {
	reason: unknown;
	/** Instead of the reason's own message. */
	message?: string;
	id?: string | undefined;
	/** It ended the run, so that it has to be done again. */
	endsRun?: boolean;
}

/**
 * Accounts for each record of one file, for any node. Failed records are returned as files, the output
 * item is a summary.
 */
export class FileReport {
	private readonly tally: RecordTally;
	private readError: string | undefined;
	/** Why nothing of the file could be read. */
	private refused: { reason: unknown } | undefined;
	private readonly deadLetters: DeadLetters;
	private readonly closing = new AbortController();
	private readonly before;

	constructor(
		private readonly run: Run,
		private readonly file: RecordFile,
		private readonly options: FileReportOptions,
	) {
		this.tally = new RecordTally(file.name, options.done, options.goOn);
		this.deadLetters = new DeadLetters(run.context, file, options.bytesPerFile);
		this.before = { ...run.stats, bytes: options.sentBytes?.() ?? 0, now: run.now() };
		run.progress = () => this.tally.progress();
	}

	/**
	 * What is to be sent of the file; all other records are accounted for. Nothing more is read once
	 * the run has ended.
	 *
	 * @param check called once with the first record
	 * @param entryOf what is to be sent of a record, which fails if this throws
	 * @param idOf the ID in the content of a record that fails
	 */
	async *read<E>(
		check: (first: SourceRecord) => void,
		entryOf: (record: SourceRecord) => E,
		idOf: (value: unknown) => string | undefined = () => undefined,
	): AsyncGenerator<E, void, undefined> {
		void this.logRegularly();
		try {
			for await (const records of this.file.records) {
				for (const record of records) {
					if (this.run.ended) return;
					if (this.tally.records === 0) check(record);
					this.tally.records = record.record;
					if (record.record <= this.options.skip) {
						this.skip([record], true);
						continue;
					}
					let entry: E;
					try {
						if (record.error) throw record.error;
						entry = entryOf(record);
					} catch (reason) {
						await this.fail(record, { reason, id: idOf(record.value) });
						continue;
					}
					yield entry;
				}
			}
			if (
				this.tally.records === 0 &&
				this.file.format !== 'jsonArray' &&
				!this.file.header()
			) {
				throw new InputError(`The file ${quoted(this.file.name)} is empty`, EMPTY);
			}
		} catch (error) {
			await this.breakOff(error);
		}
	}

	/** Further counts of the summary, such as IDs that were not found. */
	get others(): Record<string, number> {
		return this.tally.others;
	}

	/** Records that succeeded together, in the order of the file; `as`: counted under that name. */
	succeed(records: readonly SourceRecord[], as?: string): void {
		this.tally.succeed(records, as);
	}

	/** Records that were not sent: by the user's wish, or because the run had ended. */
	skip(records: readonly SourceRecord[], isWanted = false): void {
		this.tally.skip(records);
		if (isWanted) this.tally.answered(records);
	}

	/** A record failed. Ends a run that stops at failures; in others, the record is kept in a file. */
	async fail(source: SourceRecord, failure: RecordFailure): Promise<void> {
		// What a cancel interrupts has not failed: it is done again.
		if (this.run.signal.aborted) return this.skip([source]);
		this.note(source, failure);
		if (this.run.stopsOnFailure) return;
		// What ended the run is done again, with all that comes after it.
		if (!failure.endsRun) this.tally.answered([source]);
		await this.storing(async () => await this.deadLetters.add(source));
	}

	/** All records have been answered: returns the item. */
	async end(): Promise<void> {
		const { run, file, tally } = this;
		const { itemIndex } = this.options;
		this.close();
		if (this.refused) return run.refuse(itemIndex, refusal(file.name, this.refused.reason));
		if (run.ended) this.log();
		if (run.signal.aborted || (run.stopsOnFailure && run.ended)) return;
		await this.storing(async () => await this.deadLetters.end());
		const progress = tally.progress();
		const atEnd = run.ended ? progress : tally.progressAtEnd(this.readError === undefined);
		run.progress = () => atEnd;
		const binary = { ...this.deadLetters.binary, ...this.options.responses?.binary };
		const json = this.summary();
		if (run.ended) {
			const { reason } = run.ended;
			const message = `${messageOf(reason).replace(/\.$/, '')}. ${progress}`;
			return run.fail(itemIndex, reason, { message, json, binary });
		}
		this.checkSkip();
		if (tally.failed === 0) return run.doneWithFiles(itemIndex, json, binary);
		const what = `${count(tally.failed, 'record')} of ${quoted(file.name)} failed`;
		run.hint(`${what}: see 'failures' and the files in the binary fields of the item`);
		run.doneWithFiles(itemIndex, json, binary, new InputError(what, 'See failures.'));
	}

	/** Closes the file, whatever has become of it, and ends the lines in n8n's log. */
	close(): void {
		this.closing.abort();
		this.file.close();
	}

	private note(
		{ record, line }: { record: number; line: number | undefined },
		{ reason, message = messageOf(reason), id }: RecordFailure,
	): void {
		this.tally.fail({ record, line, id, reason, message });
		if (!this.run.stopsOnFailure) return;
		const inLine = line === undefined ? '' : ` (line ${line})`;
		const where = reason instanceof RecordError ? '' : `, record ${record}${inLine}`;
		this.run.fail(this.options.itemIndex, reason, {
			message: `${quoted(this.file.name)}${where}: ${message}`,
		});
	}

	/** A file that ends before that number is hardly the one that the number is for. */
	private checkSkip(): void {
		const { run, file, readError } = this;
		const { records } = this.tally;
		const { skip, done } = this.options;
		if (skip <= records || readError !== undefined) return;
		run.hint(
			`'Skip Records' is ${skip.toLocaleString('en-US')}, but ${quoted(file.name)} has only ${count(records, 'record')}, so nothing of it was ${done}`,
		);
	}

	/** Failed records that n8n cannot store are lost, so the run ends, and its file has to be done again. */
	private async storing(work: () => Promise<void>): Promise<void> {
		try {
			await work();
		} catch (error) {
			this.tally.isToRestart = true;
			const message = `n8n could not store the file of failed records: ${messageOf(error)}`;
			this.run.stop(new InputError(message, CHECK_STORAGE));
		}
	}

	/** The file cannot be read any further. */
	private async breakOff(reason: unknown): Promise<void> {
		// A run that ends closes its files, and needs nothing more of them.
		if (this.run.ended) return;
		if (this.tally.records === 0) {
			this.refused = { reason };
			return;
		}
		const record = ++this.tally.records;
		const line = reason instanceof RecordError ? reason.line : undefined;
		this.readError = messageOf(reason);
		const failure = line === undefined ? new InputError(this.readError, NOT_READ_ON) : reason;
		this.note({ record, line }, { reason: failure });
		this.run.hint(`${quoted(this.file.name)} could not be read to its end: ${this.readError}`);
	}

	private summary(): IDataObject {
		const { run, file, before, tally } = this;
		const { sentBytes, responses } = this.options;
		const seconds = (run.now() - before.now) / 1000;
		return {
			file: file.name,
			...tally.countsJson(),
			requests: run.stats.requests - before.requests,
			...(sentBytes && { bytes: sentBytes() - before.bytes }),
			retries: run.stats.retries - before.retries,
			seconds: Math.round(seconds * 1000) / 1000,
			documentsPerSecond: Math.round(tally.done / Math.max(seconds, 0.001)),
			...this.options.json,
			...(this.readError !== undefined && { readError: this.readError }),
			...this.options.details?.(),
			...tally.failuresJson(),
			deadLetters: this.deadLetters.files,
			...(responses && responses.files.length > 0 && { responses: responses.files }),
		};
	}

	private async logRegularly(): Promise<void> {
		const { run, closing } = this;
		while (!run.ended && !closing.signal.aborted) {
			await run.sleep(LOG_INTERVAL_MS, closing.signal);
			if (!closing.signal.aborted) this.log();
		}
	}

	private log(): void {
		const { run, before, tally } = this;
		const seconds = Math.max(run.now() - before.now, 1) / 1000;
		run.context.logger.info(
			`${run.context.getNode().name}: ${tally.progress()} (${count(tally.records, 'record')} read, ${Math.round(tally.done / seconds)} per second, ${count(run.stats.retries - before.retries, 'retry', 'retries')})`,
		);
	}
}
