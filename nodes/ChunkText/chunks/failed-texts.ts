import type { IDataObject } from 'n8n-workflow';

import { count } from '../../shared/n8n/run/hints';
import type { Run } from '../../shared/n8n/run/run';
import type { TextRef } from '../texts/text';

/** Why a text has no chunks. */
export interface TextFailure {
	error: unknown;
	message: string;
	/** It was not submitted, because the run had ended. */
	skipped: boolean;
	/** Every further request would fail in the same way, so that nothing more is sent. */
	endsRun: boolean;
	/** What is needed to fetch the text later, and what the service has said. */
	json: IDataObject;
}

/** Collects what has become of each text. */
export interface TextOutcomes {
	/** A text was chunked or is unfinished: these records become items. */
	returned(ref: TextRef, records: IDataObject[], chunks?: number): void | Promise<void>;
	/** These texts of one request were chunked: these records, of all of them, become items. */
	shared(refs: TextRef[], records: IDataObject[]): void | Promise<void>;
	failed(ref: TextRef, failure: TextFailure): void | Promise<void>;
	/** Returns everything. */
	finish(): Promise<void>;
}

/** The outcome of one text of an item. */
interface TextOutcome {
	/** Position among the texts of its item. */
	order: number;
	records: IDataObject[];
	failure?: TextFailure;
}

/** Returns the texts of items as items, linked to those of the texts. */
export class ItemOutcomes implements TextOutcomes {
	private readonly outcomes = new Map<number, TextOutcome[]>();

	constructor(private readonly run: Run) {}

	returned(ref: TextRef, records: IDataObject[]): void {
		this.run.stats.done++;
		this.keep(ref, { records });
	}

	shared(refs: TextRef[], records: IDataObject[]): void {
		this.run.stats.done += refs.length;
		const items = [...new Set(refs.map(({ itemIndex }) => itemIndex))];
		this.run.done(items[0] ?? 0, records, items);
	}

	failed(ref: TextRef, failure: TextFailure): void {
		this.keep(ref, { records: [], failure });
	}

	/** Returns everything, the texts of an item in their order. */
	async finish(): Promise<void> {
		for (const [itemIndex, outcomes] of this.outcomes) {
			await this.run.breathe();
			outcomes.sort((one, other) => one.order - other.order);
			this.run.done(
				itemIndex,
				outcomes.flatMap(({ records }) => records),
			);
			this.returnFailures(
				itemIndex,
				outcomes.flatMap(({ failure }) => failure ?? []),
			);
		}
	}

	/** One error item, with what is needed to fetch each of its texts later. */
	private returnFailures(itemIndex: number, failures: TextFailure[]): void {
		const first = failures.find(({ skipped }) => !skipped) ?? failures[0];
		if (first === undefined) return;
		const { error, message, skipped } = first;
		const others = failures.length - 1;
		const advice = others > 0 && {
			advice: `${count(others, 'more text')} of this item failed too.`,
		};
		this.run.fail(itemIndex, error, { message, json: jsonOf(failures), skipped, ...advice });
	}

	private keep({ itemIndex, textIndex = 0 }: TextRef, outcome: Omit<TextOutcome, 'order'>): void {
		const outcomes = this.outcomes.get(itemIndex) ?? [];
		this.outcomes.set(itemIndex, outcomes);
		outcomes.push({ order: textIndex, ...outcome });
	}
}

/** What is needed to fetch a text of an item, whose ID is that of the item. */
function whereabouts({ ...json }: IDataObject): IDataObject {
	delete json.response;
	delete json.id;
	return json;
}

/** Fields of the error item for texts that failed. */
function jsonOf(failures: TextFailure[]): IDataObject {
	const [only] = failures;
	if (only !== undefined && failures.length === 1) return only.json;
	const withId = failures.filter(({ json }) => json.chunkingId !== undefined);
	const ids = [...new Set(withId.map(({ json }) => json.chunkingId as string))];
	const responses = failures.flatMap(({ json }) => json.response ?? []);
	const texts = withId.map(({ json }) => whereabouts(json));
	// Nothing of these can be fetched later: they have to be submitted again.
	const others = failures
		.filter(({ json }) => json.chunkingId === undefined)
		.flatMap(({ json }) => json.textIndex ?? []);
	return {
		...(only?.json.id !== undefined && { id: only.json.id }),
		...(ids.length > 0 && { chunkingId: ids[0] }),
		...(ids.length > 1 && { chunkingIds: ids }),
		...(texts.length > 0 && { failedTexts: texts }),
		...(others.length > 0 && { textsWithoutChunkingId: others }),
		...(responses.length > 0 && { response: responses[0] }),
		...(responses.length > 1 && { responses }),
	};
}
