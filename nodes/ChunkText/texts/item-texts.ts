import { mapInSlices } from '../../shared/n8n/run/slices';
import { TextFiles } from '../../shared/n8n/sources/text-files';
import { resultsPath } from '../../shared/service/chunking/chunking';
import { InputError } from '../../shared/service/input-error';
import { isEmpty } from '../../shared/service/json';
import { quoted } from '../../shared/service/wording';
import { adviceForText, markShared, readDocument, type NeededParameter } from './item-document';
import { documentsIn, previousRequests, type PreviousRequest } from './previous-requests';
import { areConstant, readSettings } from './settings';
import {
	POINT_TO_TEXT,
	usableText,
	type ChunkTask,
	type SourceDocument,
	type TextEntry,
	type TextRef,
} from './text';

/** Where items say which earlier request they stand for. */
export interface IdSource {
	/** The chunking ID of an item, '' for none. */
	idOf: (itemIndex: number) => string;
	/** Which text of the request the item is; empty for all of them. */
	positionOf: (itemIndex: number) => unknown;
}

/** Reads the input items: what is to be submitted, and which earlier requests they stand for. */
export class ItemTexts {
	/** Each earlier request once, with all items that stand for it. */
	readonly requests = new Map<string, PreviousRequest>();
	/** Documents without a text, which have no chunks. Only with one item per document. */
	readonly empty: TextRef[] = [];
	/** If each file is a text. */
	readonly files: TextFiles | undefined;
	/** Documents by what the IDs of their chunks begin with. */
	private readonly documents = new Map<string, SourceDocument[]>();
	/** The settings, if they are the same for all items. */
	private constant: ReturnType<typeof readSettings> | undefined;
	private readonly source: 'item' | 'list' | 'file' | 'textFile';

	/** @param ids if items may stand for earlier requests, which are not submitted again then */
	constructor(
		private readonly task: ChunkTask,
		private readonly ids?: IdSource,
	) {
		const { run, parameters, options } = task;
		this.source = parameters.get('textSource', 0);
		if (this.source === 'textFile')
			this.files = new TextFiles(run, parameters, options.bytesPerRequest);
	}

	/**
	 * Reads an item.
	 *
	 * @returns its texts; undefined for one that stands for an earlier request or has an empty document
	 * @throws InputError for one that cannot be used
	 */
	async read(itemIndex: number): Promise<TextEntry[] | undefined> {
		const { parameters, mode } = this.task;
		const isOfItem = this.source === 'item';
		const chunkingId = this.ids?.idOf(itemIndex).trim() ?? '';
		let text = isOfItem ? parameters.value('text', itemIndex) : undefined;
		if (this.files && chunkingId === '') text = await this.files.read(itemIndex);
		if (mode === 'perDocument' && text === '') {
			const document = this.documentOf(itemIndex, ['documentId']);
			this.empty.push({ items: [itemIndex], document });
			return undefined;
		}
		if (chunkingId !== '') return this.addRequests(itemIndex, chunkingId);
		const needed = isOfItem ? (['text'] as const) : [];
		const document = this.documentOf(itemIndex, ['documentId', 'documentName', ...needed]);
		return await this.textsOf(itemIndex, text, document);
	}

	/**
	 * Finishes reading, once all items were read.
	 *
	 * @returns the texts in such an order that as many as possible share a request
	 */
	finish(entries: readonly TextEntry[]): TextEntry[] {
		const { run } = this.task;
		markShared(this.documents, run);
		return [...entries].sort(
			(one, other) => Number(one.group > other.group) - Number(one.group < other.group),
		);
	}

	/** The ID of the document of an item that fails, as far as it has one. */
	idOf(itemIndex: number): string | undefined {
		if (this.task.mode === 'chunks') return undefined;
		try {
			return this.task.parameters.id('documentId', itemIndex);
		} catch {
			return undefined;
		}
	}

	/** @param textIndex of an item that stands for a text of a list: Submit returns one for each */
	private documentOf(
		itemIndex: number,
		needed: readonly NeededParameter[],
		textIndex?: unknown,
	): SourceDocument | undefined {
		if (this.task.mode === 'chunks') return undefined;
		const file = this.files?.documentOf(itemIndex);
		const document = readDocument(this.task, itemIndex, needed, file);
		const text = typeof textIndex === 'number' ? `${textIndex}.` : '';
		const chunkIds = `${document.id}#${text}`;
		const same = this.documents.get(chunkIds) ?? [];
		this.documents.set(chunkIds, same);
		same.push(document);
		return document;
	}

	private addRequests(itemIndex: number, chunkingId: string): undefined {
		const { run, options } = this.task;
		const { json = {} } = run.items[itemIndex] ?? {};
		const given = this.ids?.positionOf(itemIndex);
		const requests = previousRequests(json, itemIndex, chunkingId, given);
		// Fails for an ID that cannot be part of a path.
		for (const request of requests) resultsPath(options.resultsPath, request.chunkingId);
		const document = documentsIn(json)
			? undefined
			: this.documentOf(itemIndex, ['documentId', 'documentName'], json.textIndex);
		for (const { chunkingId, refs, textCount } of requests) {
			const known = this.requests.get(chunkingId) ?? { chunkingId, refs: [], textCount };
			this.requests.set(chunkingId, known);
			known.textCount ??= textCount;
			known.refs.push(...refs.map((ref) => (document ? { ...ref, document } : ref)));
		}
	}

	/** Settings of an item and their group. */
	private settingsOf(itemIndex: number): ReturnType<typeof readSettings> {
		if (this.constant) return this.constant;
		const { parameters } = this.task;
		const settings = readSettings(parameters, itemIndex);
		if (areConstant(parameters)) this.constant = settings;
		return settings;
	}

	/** @param text of the item, unless it has a list */
	private async textsOf(
		itemIndex: number,
		text: unknown,
		document?: SourceDocument,
	): Promise<TextEntry[]> {
		const { run, parameters, options } = this.task;
		const maxBytes = options.bytesPerRequest;
		const own = { document, items: [itemIndex], ...this.settingsOf(itemIndex) };
		if (this.files) {
			const called = `The file ${quoted(this.files.fileOf(itemIndex).name)}`;
			return [{ text: usableText(text, called, maxBytes, FILE_ADVICE), ...own }];
		}
		if (this.source === 'item') {
			if (isEmpty(text)) {
				const advice = adviceForText(run, itemIndex, POINT_TO_TEXT);
				throw new InputError("'Text' is empty", advice, "'Text'");
			}
			return [{ text: usableText(text, "'Text'", maxBytes), ...own }];
		}
		const { field, list } = parameters.list('listField', itemIndex, LIST_ADVICE);
		if (list.length === 0)
			throw new InputError(`The field '${field}' is an empty list`, LIST_ADVICE);
		const called = (index: number) => `Text ${index} (zero-based) of the field '${field}'`;
		return await mapInSlices(list, run, (value, index) => ({
			index,
			text: usableText(value, called(index), maxBytes, ELEMENT_ADVICE),
			...own,
		}));
	}
}

const FILE_ADVICE = 'Check the node that outputs the file.';
const ELEMENT_ADVICE =
	"Each entry must be a text: correct it, or remove it from the list. For a list of objects, add n8n's Split Out node before this node and choose 'One Text per Item'.";
const LIST_ADVICE =
	"Enter the name of a field that has a list of texts as 'List Field', or set 'Texts From' to 'One Text per Item'.";
