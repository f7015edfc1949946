import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { addHint, count } from '../shared/n8n/hints';
import type { Results } from '../shared/n8n/results';
import { cutTailLength, type Chunk } from '../shared/service/chunking';
import { InputError } from '../shared/service/input-error';
import { keptFields, type ChunkOptions } from './options';
import type { TextRef } from './texts';

type Mode = 'chunks' | 'texts' | 'documents' | 'raw';

/** What became of a text. */
interface Outcome {
	order: number;
	items?: IDataObject[];
	failure?: Failure;
}

interface Failure {
	error: unknown;
	prefix: string;
	json: { chunkingId?: string; reply?: IDataObject };
}

/** The document a text belongs to, for Documents Ready to Push. */
interface SourceDocument {
	id: string;
	fields: IDataObject;
	formerChunkCount: number;
}

/**
 * Turns what becomes of each text into output items. Vectors go through as the arrays of the reply:
 * copies would double the memory of a large one.
 */
export class ChunkOutput {
	private readonly outcomes = new Map<number, Outcome[]>();
	private readonly documents = new Map<number, SourceDocument>();
	/** Items that failed before anything was asked of the service. */
	readonly refused = new Set<number>();
	private withoutChunks = 0;
	private running = 0;
	private readonly cut = { texts: 0, characters: 0 };
	/** Texts that failed so far. */
	failures = 0;

	constructor(
		private readonly context: IExecuteFunctions,
		private readonly results: Results,
		private readonly mode: Mode,
		private readonly options: ChunkOptions,
	) {}

	/** Whether the node will fail in any case, so that nothing more is to be started. */
	get mustStop(): boolean {
		return this.failures > 0 && this.results.stopsOnFailure;
	}

	get isRaw(): boolean {
		return this.mode === 'raw';
	}

	/** Reads the documents the items belong to; items without a usable ID or name fail. */
	readDocuments(): void {
		this.context.getInputData().forEach((_item, itemIndex) => {
			try {
				this.readDocument(itemIndex);
			} catch (error) {
				this.refused.add(itemIndex);
				this.results.fail(itemIndex, error, { prefix: `Item ${itemIndex}` });
			}
		});
	}

	private readDocument(itemIndex: number): void {
		const parameter = (name: string) =>
			this.context.getNodeParameter(name, itemIndex, '') as IDataObject[string];
		const id = required(parameter('documentId'), 'Document ID');
		const fields: IDataObject = { name: required(parameter('documentName'), 'Document Name') };
		for (const [field, name] of [
			['description', 'documentDescription'],
			['url', 'documentUrl'],
		] as const) {
			const value = parameter(name);
			if (value !== '' && value !== undefined && value !== null) fields[field] = value;
		}
		const former = Number(parameter('options.formerChunkCount'));
		const formerChunkCount = Number.isFinite(former) ? former : 0;
		this.documents.set(itemIndex, { id, fields, formerChunkCount });
	}

	/** The chunks of a text are there. */
	done(ref: TextRef, chunkingId: string, chunks: Chunk[]): void {
		if (chunks.length === 0) this.withoutChunks++;
		const cut = ref.text === undefined ? 0 : cutTailLength(ref.text, chunks);
		if (cut > 0) {
			this.cut.texts++;
			this.cut.characters += cut;
		}
		this.keep(ref, { items: this.itemsOf(ref, chunkingId, chunks, cut > 0) });
	}

	/** The reply of a request, as it is. */
	raw(refs: TextRef[], body: IDataObject): void {
		const items = [...new Set(refs.map(({ itemIndex }) => itemIndex))];
		const [first] = items;
		if (first !== undefined) this.results.add(first, body, items);
	}

	/** A text failed for good. */
	failed(
		ref: TextRef,
		error: unknown,
		prefix: string,
		chunkingId?: string,
		reply?: unknown,
	): void {
		this.failures++;
		const json: Failure['json'] = {};
		if (chunkingId !== undefined) json.chunkingId = chunkingId;
		if (reply !== undefined) json.reply = reply as IDataObject;
		this.keep(ref, { failure: { error, prefix, json } });
	}

	/** A text whose chunks are not there yet goes on with what Get Results needs. */
	pending(ref: TextRef, chunkingId: string, status: string, textsInRequest?: number): void {
		const { textIndex, position } = ref;
		const state = {
			chunkingId,
			status,
			...(position !== undefined && { textPosition: position }),
			...(textsInRequest !== undefined && { textsInRequest }),
			...(textIndex !== undefined && { textIndex }),
		};
		this.running++;
		this.keep(ref, {
			items: [{ ...keptFields(this.jsonOf(ref), this.options, 'all'), ...state }],
		});
	}

	/** Puts everything out, the texts of an item in their order, and says what is worth knowing. */
	finish({ hintAtRunning = true } = {}): void {
		for (const [itemIndex, outcomes] of this.outcomes) {
			outcomes.sort((one, other) => one.order - other.order);
			for (const { items } of outcomes) {
				for (const json of items ?? []) this.results.add(itemIndex, json);
			}
			const failures = outcomes.flatMap(({ failure }) => (failure ? [failure] : []));
			this.putOutFailures(itemIndex, failures);
		}
		this.addHints(hintAtRunning);
	}

	/** One error item, with what is to be had of all texts of the item. */
	private putOutFailures(itemIndex: number, failures: Failure[]): void {
		const [first] = failures;
		if (first === undefined) return;
		const others = failures.length - 1;
		const ids = [...new Set(failures.flatMap(({ json }) => json.chunkingId ?? []))];
		const replies = failures.flatMap(({ json }) => json.reply ?? []);
		this.results.fail(itemIndex, first.error, {
			prefix: first.prefix,
			...(others > 0 && {
				advice: `${count(others, 'further text')} of this item failed too.`,
			}),
			json: {
				...(ids.length > 0 && { chunkingId: ids[0] }),
				...(ids.length > 1 && { chunkingIds: ids }),
				...(replies.length > 0 && { reply: replies[0] }),
				...(replies.length > 1 && { replies }),
			},
		});
	}

	private addHints(hintAtRunning: boolean): void {
		const { withoutChunks, cut, running } = this;
		if (withoutChunks > 0) {
			addHint(this.context, `${count(withoutChunks, 'text')} gave no chunks`);
		}
		if (cut.texts > 0) {
			addHint(
				this.context,
				`The service left out the end of ${count(cut.texts, 'text')}, ${count(cut.characters, 'character')} in all. Shorten the texts, or set 'Vector Quantization Method' or a smaller 'Dimension Reduction Size': the service then takes more chunks.`,
			);
		}
		if (running > 0 && hintAtRunning) {
			addHint(
				this.context,
				`${count(running, 'text')} not finished yet. Fetch the chunks later with the operation Get Results.`,
			);
		}
	}

	private keep(ref: TextRef, outcome: Omit<Outcome, 'order'>): void {
		const outcomes = this.outcomes.get(ref.itemIndex) ?? [];
		this.outcomes.set(ref.itemIndex, outcomes);
		outcomes.push({ order: ref.textIndex ?? 0, ...outcome });
	}

	private jsonOf({ itemIndex }: TextRef): IDataObject {
		return this.context.getInputData()[itemIndex]?.json ?? {};
	}

	private itemsOf(
		ref: TextRef,
		chunkingId: string,
		chunks: Chunk[],
		isCut: boolean,
	): IDataObject[] {
		const kept = this.keptOf(ref, chunkingId);
		const place = {
			chunkCount: chunks.length,
			...(ref.textIndex !== undefined && { textIndex: ref.textIndex }),
			chunkingId,
		};
		/** Vectors last, so that a person sees the rest without scrolling. */
		const content = (
			{ text, vector, ...measures }: Chunk,
			chunkIndex: number,
			where: IDataObject = place,
		): IDataObject => {
			const json: IDataObject = { text, chunkIndex, ...where, ...measures };
			if (vector && this.options.includeVectors !== false) json.vector = vector;
			return json;
		};
		if (this.mode === 'documents') {
			const documents = this.documentsOf(ref, chunks, kept, content);
			// What was cut off may come back with the next run.
			return isCut ? documents : [...documents, ...this.removedOf(ref, chunks.length)];
		}
		if (this.mode === 'texts') {
			const text = ref.text === undefined ? {} : { text: ref.text };
			const contents = chunks.map((chunk, index) => content(chunk, index, {}));
			return [{ ...kept, ...text, ...place, chunks: contents }];
		}
		if (chunks.length === 0) return [{ ...kept, ...place }];
		return chunks.map((chunk, index) => ({ ...kept, ...content(chunk, index) }));
	}

	private documentsOf(
		ref: TextRef,
		chunks: Chunk[],
		kept: IDataObject,
		content: (chunk: Chunk, index: number) => IDataObject,
	): IDataObject[] {
		const document = this.documents.get(ref.itemIndex);
		if (document === undefined) return [];
		const { id, fields } = document;
		return chunks.map((chunk, index) => ({
			...kept,
			id: chunkDocumentId(id, ref, index),
			...fields,
			parentId: id,
			...content(chunk, index),
		}));
	}

	/** Documents of chunks that no longer exist. */
	private removedOf(ref: TextRef, chunkCount: number): IDataObject[] {
		const document = this.documents.get(ref.itemIndex);
		const removed: IDataObject[] = [];
		if (document === undefined) return removed;
		const { id, formerChunkCount } = document;
		for (let index = chunkCount; index < formerChunkCount; index++) {
			removed.push({ id: chunkDocumentId(id, ref, index), parentId: id, removed: true });
		}
		return removed;
	}

	/** Fields of the source that say nothing of a chunk. */
	private keptOf(ref: TextRef, chunkingId: string): IDataObject {
		const source = this.jsonOf(ref);
		const kept = keptFields(source, this.options, 'none');
		if (this.options.sourceFields !== 'all') return kept;
		for (const field of CHUNK_FIELDS) delete kept[field];
		// As Submit has put them out: they would send finished chunks back to Get Results.
		if (source.chunkingId === chunkingId) for (const field of STATE_FIELDS) delete kept[field];
		return kept;
	}
}

/** Measures of a chunk, which those of its source would be taken for. */
const CHUNK_FIELDS = ['start', 'end', 'tokensUsed', 'vector'];
/** Where a text stands that is not finished. */
const STATE_FIELDS = ['status', 'textPosition', 'textsInRequest'];

const chunkDocumentId = (id: string, { textIndex }: TextRef, index: number): string =>
	textIndex === undefined ? `${id}#${index}` : `${id}#${textIndex}.${index}`;

/** The output of an operation that gives chunks. */
export function openOutput(
	context: IExecuteFunctions,
	results: Results,
	options: ChunkOptions,
): ChunkOutput {
	const mode = context.getNodeParameter('output', 0) as Mode;
	const output = new ChunkOutput(context, results, mode, options);
	if (mode === 'documents') output.readDocuments();
	return output;
}

function required(value: unknown, label: string): string {
	if (typeof value === 'number') return String(value);
	if (typeof value === 'string' && value.trim() !== '') return value;
	const isText = typeof value === 'string' || value === undefined || value === null;
	throw new InputError(
		`'${label}' is ${isText ? 'empty' : 'not a text'}`,
		`'Documents Ready to Push' needs it: point '${label}' to a field of the item.`,
	);
}
