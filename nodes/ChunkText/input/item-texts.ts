import { TextFiles } from '../../shared/input/text-files';
import { resultsPath } from '../../shared/service/chunking/chunking';
import { InputError } from '../../shared/service/input-error';
import { isNullOrEmptyText } from '../../shared/service/json';
import { quoted } from '../../shared/service/strings';
import type { ChunkTask } from '../parameters';
import { adviceForText, readDocument, type DocumentNeeds } from './item-document';
import { documentsIn, previousRequest, type PreviousRequest } from './previous-requests';
import { areConstant, readSettings } from './settings';
import { usableText, type AwaitedText, type SourceDocument, type TextEntry } from './text-entry';

const ID_AND_NAME = ['documentId', 'documentName'] as const;

export interface IdSource {
	idOf: (itemIndex: number) => string;
	/** An empty position means all texts in the request. */
	positionOf: (itemIndex: number) => unknown;
}

/** Reads the input items, which contain texts or refer to earlier requests. */
export class ItemTexts {
	/**
	 * Earlier requests, keyed by chunking ID. If several items refer to the same request, one entry contains the texts
	 * of all these items.
	 */
	readonly requests = new Map<string, PreviousRequest>();
	/**
	 * Documents that have no chunks because their text is empty. Only the output with one item per document needs this
	 * list.
	 */
	readonly empty: AwaitedText[] = [];
	readonly files: TextFiles | undefined;
	private readonly documents = new Map<string, SourceDocument[]>();
	private sharedSettings: ReturnType<typeof readSettings> | undefined;
	private readonly source: 'item' | 'file' | 'textFile';

	/** @param ids the reader for the chunking IDs, or undefined if the items contain texts to submit */
	constructor(
		private readonly task: ChunkTask,
		private readonly ids?: IdSource,
	) {
		const { run, parameters, options } = task;
		this.source = ids ? 'item' : parameters.get('textSource', 0);
		if (this.source === 'textFile')
			this.files = new TextFiles(run, parameters, options.bytesPerRequest);
	}

	/**
	 * @returns the item's text, or undefined if the item refers to an earlier request or the text is empty
	 * @throws InputError if the item is invalid
	 */
	async readTexts(itemIndex: number): Promise<TextEntry[] | undefined> {
		const { parameters, mode } = this.task;
		const isOfItem = this.source === 'item';
		const chunkingId = this.ids?.idOf(itemIndex).trim();
		let text = isOfItem ? parameters.value('text', itemIndex) : undefined;
		if (this.files) text = await this.files.read(itemIndex);
		if (mode === 'perDocument' && text === '' && !this.files) {
			const document = this.documentOf(itemIndex, { required: ['documentId'] });
			this.empty.push({ items: [itemIndex], document });
			return undefined;
		}
		if (chunkingId !== undefined) return this.addRequest(itemIndex, chunkingId);
		const required = isOfItem ? [...ID_AND_NAME, 'text' as const] : ID_AND_NAME;
		const document = this.documentOf(itemIndex, { required, text });
		return [this.entryOf(itemIndex, text, document)];
	}

	/**
	 * Marks documents that share an ID. The chunks of these documents get the same IDs. If a chunk is missing from one
	 * document, another document may still have a chunk with the missing chunk's ID. Must be called after all items
	 * have been read.
	 */
	markSharedDocuments(): void {
		for (const same of this.documents.values())
			if (same.length > 1) for (const document of same) document.isShared = true;
	}

	idOf(itemIndex: number): string | undefined {
		if (this.task.mode === 'chunks') return undefined;
		try {
			return this.task.parameters.id('documentId', itemIndex);
		} catch {
			return undefined;
		}
	}

	private documentOf(itemIndex: number, needs: DocumentNeeds): SourceDocument | undefined {
		if (this.task.mode === 'chunks') return undefined;
		const file = this.files?.documentOf(itemIndex);
		const document = readDocument(this.task, itemIndex, { ...needs, file });
		const same = this.documents.get(document.id) ?? [];
		this.documents.set(document.id, same);
		same.push(document);
		return document;
	}

	private addRequest(itemIndex: number, chunkingId: string): undefined {
		const { run, options } = this.task;
		const { json = {} } = run.items[itemIndex] ?? {};
		const textPosition = this.ids?.positionOf(itemIndex);
		const { texts, textCount } = previousRequest(json, itemIndex, chunkingId, textPosition);
		// This call only validates the ID. `resultsPath` throws an error if the ID cannot be part of a URL path.
		resultsPath(options.resultsPath, chunkingId);
		const document = documentsIn(json)
			? undefined
			: this.documentOf(itemIndex, { required: ID_AND_NAME });
		const known = this.requests.get(chunkingId) ?? { chunkingId, texts: [], textCount };
		this.requests.set(chunkingId, known);
		known.textCount ??= textCount;
		known.texts.push(...texts.map((one) => (document ? { ...one, document } : one)));
	}

	private settingsOf(itemIndex: number): ReturnType<typeof readSettings> {
		if (this.sharedSettings) return this.sharedSettings;
		const { parameters } = this.task;
		const settings = readSettings(parameters, itemIndex);
		if (areConstant(parameters)) this.sharedSettings = settings;
		return settings;
	}

	private entryOf(itemIndex: number, text: unknown, document?: SourceDocument): TextEntry {
		const { run } = this.task;
		const { id } = document ?? {};
		const entry = { id, document, items: [itemIndex], ...this.settingsOf(itemIndex) };
		if (this.files) {
			const subject = `The file ${quoted(this.files.fileOf(itemIndex).name)}`;
			return { ...usableText(text, subject, this.task, FILE_ADVICE), ...entry };
		}
		if (isNullOrEmptyText(text)) {
			const advice = adviceForText(run, itemIndex);
			throw new InputError("'Text' is empty", advice, { missing: "'Text'" });
		}
		return { ...usableText(text, "'Text'", this.task), ...entry };
	}
}

const FILE_ADVICE = 'Check the node that outputs the file.';
