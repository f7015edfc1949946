import type { IDataObject } from 'n8n-workflow';

import { itemOf } from '../../shared/n8n/sinks/sink';
import { storeFile } from '../../shared/n8n/sinks/part-files';
import type { Run } from '../../shared/n8n/run/run';
import { PartWriter, type Part } from '../../shared/records/part-writer';
import type { RecordOptions } from './records';
import { TO_ITEMS, type ChunkSink } from './chunk-sink';
import type { TextSource } from '../submit/chunking';
import type { TextRef } from '../texts/text';

const MIME_TYPE = 'application/x-ndjson';
/** The binary field, as n8n's nodes call it. */
const FIELD = 'data';

/** How files of chunks are made. */
interface ChunkFileOptions {
	/** Maximum size of one file. */
	bytesPerFile: number;
	/** Whether records come in the order of their texts. */
	keepOrder: boolean;
	/** What the names of the files begin with. */
	name: string;
}

/** A text that has finished before those ahead of it. */
interface Early {
	records: Array<{ items: number[]; line: string; id: unknown }>;
	/** Once nothing more comes for it. */
	done: TextRef | undefined;
}

/**
 * Writes records as JSON Lines into files of limited size, each returned as an item of its own that is
 * linked to the items of its texts. Vectors are lists of numbers. Memory holds one file and, with Keep
 * Order, the texts that wait for their turn: `done` returns those whose chunks were written.
 */
export class ChunkFiles implements ChunkSink {
	/** Records written so far. */
	records = 0;
	/** Files written so far. */
	parts = 0;
	private readonly writer: PartWriter;
	private readonly early = new Map<number, Early>();
	/** Place of the text whose turn it is. */
	private turn = 0;
	/** The items, and the IDs at both ends, of what the current file has. */
	private items = new Set<number>();
	private firstId: unknown;
	private lastId: unknown;
	/** The item that stands for all files, so that they are returned in their order. */
	private owner: number | undefined;

	constructor(
		private readonly run: Run,
		private readonly options: ChunkFileOptions,
	) {
		this.writer = new PartWriter(options.bytesPerFile);
	}

	vectorsOf(wanted: RecordOptions['vectors']): RecordOptions['vectors'] {
		return wanted === 'none' ? 'none' : 'list';
	}

	async take(refs: TextRef[], records: IDataObject[]): Promise<IDataObject[]> {
		const items = refs.map(itemOf);
		const place = refs[0]?.place;
		// Decided once for all of its records: its turn may come while they are written.
		const early = this.isEarly(place) ? this.earlyAt(place) : undefined;
		for (const json of records) {
			await this.run.breathe();
			const record = { items, line: JSON.stringify(json), id: json.id };
			if (early) early.records.push(record);
			else await this.write(record);
		}
		return [];
	}

	async done(refs: TextRef[]): Promise<TextRef[]> {
		if (!this.options.keepOrder) return refs;
		const written: TextRef[] = [];
		for (const ref of refs) {
			if (ref.place === undefined) written.push(ref);
			else this.earlyAt(ref.place).done = ref;
		}
		for (let next; (next = this.early.get(this.turn))?.done; this.turn++) {
			this.early.delete(this.turn);
			for (const record of next.records) await this.write(record);
			written.push(next.done);
		}
		return written;
	}

	async end(): Promise<void> {
		if (this.run.signal.aborted) return;
		// Texts ahead of these were never answered, because the run has ended.
		for (const [, { records }] of [...this.early].sort(([one], [other]) => one - other)) {
			for (const record of records) await this.write(record);
		}
		this.early.clear();
		await this.save(this.writer.end());
	}

	private isEarly(place: number | undefined): place is number {
		return this.options.keepOrder && place !== undefined && place !== this.turn;
	}

	private earlyAt(place: number): Early {
		const early = this.early.get(place) ?? { records: [], done: undefined };
		this.early.set(place, early);
		return early;
	}

	private async write({ items, line, id }: Early['records'][number]): Promise<void> {
		// Takes the counters of a complete file immediately: another text may come while n8n stores it.
		const saving = this.save(this.writer.add(line));
		this.records++;
		for (const item of items) this.items.add(item);
		this.firstId ??= id;
		this.lastId = id;
		await saving;
	}

	private async save(part: Part | undefined): Promise<void> {
		if (part === undefined) return;
		const { buffer, records, bytes } = part;
		const items = [...this.items];
		const ids = this.lastId !== undefined && { firstId: this.firstId, lastId: this.lastId };
		this.items = new Set();
		this.firstId = undefined;
		this.parts++;
		const fileName = `${this.options.name}-${this.parts}.jsonl`;
		const file = await storeFile(this.run, buffer, fileName, MIME_TYPE);
		this.owner ??= items[0] ?? 0;
		const json = { part: this.parts, records, bytes, ...ids } as IDataObject;
		this.run.done(this.owner, [json], items, { [FIELD]: file });
	}
}

/** Where the chunks of a source go. */
export function sinkOf({ name, chunking }: TextSource): ChunkSink {
	const { run, parameters, options } = chunking;
	if (parameters.choice('outputTo') === 'items') return TO_ITEMS;
	return new ChunkFiles(run, { ...options, name });
}
