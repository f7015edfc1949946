import type { IDataObject } from 'n8n-workflow';

import { itemOf } from '../../shared/n8n/sinks/sink';
import type { Run } from '../../shared/n8n/run/run';
import { PartWriter, type Part } from '../../shared/records/part-writer';
import type { AwaitedText } from '../input/text';
import { storeFile } from '../../shared/n8n/sinks/stored-file';

/**
 * Writes chunks as JSON Lines into files of limited size, each returned as an item of its own that is
 * linked to the items of its texts. Memory holds one file.
 */
export class ChunkFiles {
	private readonly writer: PartWriter;
	/** Files written so far. */
	private parts = 0;
	/** The items of what the current file has. */
	private items = new Set<number>();
	/** The item that stands for all files, so that they are returned in their order. */
	private owner: number | undefined;

	/** @param name what the names of the files begin with */
	constructor(
		private readonly run: Run,
		private readonly name: string,
		bytesPerFile: number,
	) {
		this.writer = new PartWriter(bytesPerFile);
	}

	/** Adds the chunks of a text. */
	async add(text: AwaitedText, records: readonly IDataObject[]): Promise<void> {
		for (const record of records) {
			await this.run.yieldToOthers();
			await this.save(this.writer.add(JSON.stringify(record)));
			this.items.add(itemOf(text));
		}
	}

	/** All chunks have been added. */
	async end(): Promise<void> {
		if (!this.run.signal.aborted) await this.save(this.writer.end());
	}

	private async save(part: Part | undefined): Promise<void> {
		if (part === undefined) return;
		const { buffer, records } = part;
		const items = [...this.items];
		this.items = new Set();
		this.parts++;
		const fileName = `${this.name}-${this.parts}.jsonl`;
		const file = await storeFile(this.run, buffer, fileName, 'application/x-ndjson');
		this.owner ??= items[0] ?? 0;
		const json = { part: this.parts, records, bytes: buffer.length };
		this.run.results.give(this.owner, [json], { items, binary: { data: file } });
	}
}
