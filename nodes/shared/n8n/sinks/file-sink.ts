import type { IDataObject } from 'n8n-workflow';

import type { RunStats } from '../../flow/run-state';
import { RecordError, type SourceRecord } from '../../records/record';
import { InputError } from '../../service/input-error';
import { quoted } from '../../service/wording';
import { messageOf } from '../run/errors';
import { FileExtent, type FileOrigin, type FilePlace } from './file-extent';
import { FailedRecords } from './failed-records';
import { KeptResponses } from './kept-responses';
import { count } from '../run/hints';
import { Meter } from '../run/meter';
import { refusal } from '../sources/record-file';
import { RecordTally } from './record-tally';
import type { Run } from '../run/run';
import type { CommonOptions, EntryFailure, Placed, Sink } from './sink';

/** What a node returns of a file. */
export interface FileResult {
	/** What becomes of a record that succeeds, such as `pushed`: a member of the summary. */
	done: string;
	/** Further counts of the summary that are there even if nothing counts, such as `notFound`. */
	others?: readonly string[];
	/** Counts what concerns this file, if requests of several are in flight; the run's unless given. */
	stats?: RunStats;
	/** How to continue after an interruption, given up to which record all were answered. */
	goOn?: (upTo: number) => string;
	/** What else to say of the file if the run stops at a later one. */
	atEnd?: () => string;
	/** Further members of the summary, read when the sink ends. */
	details?: () => IDataObject;
	/** Further members of the summary. */
	json?: IDataObject;
}

/** Sums up the records of one file in one item, with files of those that failed. */
export class FileSink implements Sink {
	private readonly tally: RecordTally;
	private readonly failedRecords: FailedRecords;
	private readonly stats: RunStats;
	private readonly responses: KeptResponses;
	private readonly meter: Meter;
	readonly extent: FileExtent;
	/** What had been done, for the error of a run that ends early. */
	progress: () => string = () => this.extent.current.progress();
	/** Whether it has returned the item of the file. */
	hasEnded = false;

	constructor(
		private readonly run: Run,
		private readonly origin: FileOrigin,
		{ bytesPerFile }: CommonOptions,
		private readonly result: FileResult,
	) {
		const { file, path } = origin;
		this.tally = new RecordTally(file.name, result.done, result.goOn);
		for (const name of result.others ?? []) this.tally.others[name] = 0;
		this.extent = new FileExtent(run, origin, this.tally, (place, reason) =>
			this.note(place, { reason }),
		);
		this.failedRecords = new FailedRecords(run, file, path, bytesPerFile);
		this.responses = new KeptResponses(run, file.name, bytesPerFile);
		this.stats = result.stats ?? run.stats;
		this.meter = new Meter(run, this.stats);
	}

	async done(entries: readonly Placed[], _result?: unknown, as?: string): Promise<void> {
		if (as === undefined) this.stats.done += entries.length;
		this.tally.succeed(recordsOf(entries), as);
	}

	async returned(
		entry: Placed,
		records: IDataObject[],
		counts: Readonly<Record<string, number>> = {},
	): Promise<void> {
		const { others } = this.tally;
		for (const [name, number] of Object.entries(counts))
			others[name] = (others[name] ?? 0) + number;
		await this.shared([entry], records);
	}

	async shared(entries: readonly Placed[], records: IDataObject[]): Promise<void> {
		this.run.done(this.origin.itemIndex, records);
		await this.done(entries);
	}

	async failed({ record }: Placed, failure: EntryFailure): Promise<void> {
		if (record === undefined) return;
		await this.responses.add(record, failure);
		// What a cancel interrupts has not failed: it is done again.
		if (this.run.signal.aborted) {
			this.tally.isCertain = false;
			return this.tally.skip([record]);
		}
		this.note(record, failure);
		if (this.run.stopsOnFailure) return;
		// What ended the run is done again, with all that comes after it.
		if (!failure.endsRun) this.tally.answered([record]);
		await this.failedRecords.add(record);
	}

	async skipped<E extends Placed>(
		entries: readonly E[],
		failure: (entry: E) => EntryFailure,
	): Promise<void> {
		for (const entry of entries)
			if (entry.record) await this.responses.add(entry.record, failure(entry));
		this.tally.skip(recordsOf(entries));
	}

	async end(): Promise<void> {
		const { run, extent, failedRecords, responses } = this;
		const tally = extent.current;
		const { file, itemIndex } = this.origin;
		this.hasEnded = !run.ended;
		if (extent.refused) return run.refuse(itemIndex, refusal(file.name, extent.refused.reason));
		if (run.signal.aborted || (run.stopsOnFailure && run.ended)) return;
		await failedRecords.end();
		await responses.end();
		const progress = tally.progress();
		const atEnd = run.ended ? progress : tally.progressAtEnd(extent.words());
		const { atEnd: more = () => '' } = this.result;
		const endedHere = run.ended !== undefined;
		this.progress = () => [atEnd, endedHere ? '' : more()].filter(Boolean).join(' ');
		const binary = { ...failedRecords.binary, ...responses.binary };
		const json = this.summary();
		if (run.ended) {
			const { reason } = run.ended;
			const message = `${messageOf(reason).replace(/\.$/, '')}. ${progress}`;
			return run.fail(itemIndex, reason, { message, json, binary });
		}
		extent.checkSkip(this.result.done);
		if (tally.failed === 0) return run.doneWithFiles(itemIndex, json, binary);
		const what = `${count(tally.failed, 'record')} of ${quoted(file.name)} failed`;
		run.hint(`${what}. ${CORRECT_FAILED}`);
		run.doneWithFiles(itemIndex, json, binary, new InputError(what, CORRECT_FAILED));
	}

	/** How far it has come, for n8n's log. */
	logLine(): string {
		const { extent, meter } = this;
		const tally = extent.current;
		return `${tally.progress()} (${count(tally.records, 'record')} read, ${meter.text()})`;
	}

	private note(
		{ record, line }: FilePlace,
		{ reason, message = messageOf(reason), id }: EntryFailure,
	): void {
		this.tally.fail({ record, line, id, reason, message });
		if (!this.run.stopsOnFailure) return;
		const inLine = line === undefined ? '' : ` (line ${line})`;
		const where = reason instanceof RecordError ? '' : `, record ${record}${inLine}`;
		this.run.fail(this.origin.itemIndex, reason, {
			message: `${quoted(this.origin.file.name)}${where}: ${message}`,
		});
	}

	private summary(): IDataObject {
		const { tally, meter } = this;
		const { json, details } = this.result;
		return {
			file: this.origin.file.name,
			...tally.countsJson(),
			...this.extent.json(),
			stats: meter.json(),
			...json,
			...details?.(),
			...tally.failuresJson(),
			deadLetters: this.failedRecords.json(),
			...this.responses.json(),
		};
	}
}

const CORRECT_FAILED =
	"Correct what the field 'failures' says, then run this node with the files of the item: they have all failed records.";

const recordsOf = (entries: readonly Placed[]): SourceRecord[] =>
	entries.flatMap(({ record }) => record ?? []);
