import type { IDataObject } from 'n8n-workflow';

import type { Run } from '../../shared/run/run';
import { itemOf } from '../../shared/output/sink';
import { storeFile } from '../../shared/output/stored-file';
import { PartWriter, type Part } from '../../shared/formats/part-writer';
import type { AwaitedText } from '../input/text-entry';

/**
 * Writes chunks to JSON Lines files of limited size. The node returns one item per file. Each item is linked to the
 * input items whose chunks are in the file. Only the current file is in memory.
 */
export class ChunkFiles {
	private readonly writer: PartWriter;
	private parts = 0;
	private items = new Set<number>();
	/**
	 * Index of the input item that all files are returned for. This keeps the files in order, because the results of
	 * one item keep their order.
	 */
	private owner: number | undefined;

	constructor(
		private readonly run: Run,
		private readonly prefix: string,
		bytesPerFile: number,
	) {
		this.writer = new PartWriter(bytesPerFile);
	}

	async addRecords(text: AwaitedText, records: readonly IDataObject[]): Promise<void> {
		for (const record of records) {
			await this.run.yieldToOthers();
			await this.store(this.writer.add(JSON.stringify(record)));
			this.items.add(itemOf(text));
		}
	}

	async storeLastFile(): Promise<void> {
		if (!this.run.signal.aborted) await this.store(this.writer.end());
	}

	private async store(part: Part | undefined): Promise<void> {
		if (part === undefined) return;
		const { buffer, records } = part;
		const items = [...this.items];
		this.items = new Set();
		this.parts++;
		const fileName = `${this.prefix}-${this.parts}.jsonl`;
		const file = await storeFile(this.run, buffer, fileName, 'application/x-ndjson');
		this.owner ??= items[0] ?? 0;
		const json = { part: this.parts, records, bytes: buffer.length };
		this.run.results.give(this.owner, [json], { items, binary: { data: file } });
	}
}
