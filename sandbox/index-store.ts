import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

import type { SearchHit } from './types';

export interface PushDocument extends Record<string, unknown> {
	id: string;
	name: string;
}

type Change =
	| { endpoint: string; push: readonly PushDocument[] }
	| { endpoint: string; remove: string }
	| { endpoint: string; commit: true };

/**
 * A data source: its documents in the order of their last push, and the IDs of the documents that the next commit
 * deletes.
 */
interface Source {
	documents: Map<string, PushDocument>;
	pending: Set<string>;
}

function textsOf(value: unknown): string {
	if (typeof value === 'string') return value;
	if (Array.isArray(value)) return value.map(textsOf).join('\n');
	if (typeof value === 'object' && value !== null) return textsOf(Object.values(value));
	return '';
}

const wordsOf = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}\p{M}_]+/gu) ?? [];

/**
 * Keeps the documents of all data sources in memory. If there is a file, each change is also appended to it as a
 * line.
 */
export class IndexStore {
	private readonly sources = new Map<string, Source>();

	/**
	 * @param file a JSON Lines file, for example one written by an earlier process. Without a file, everything stays in
	 * memory
	 */
	constructor(private readonly file?: string) {
		if (file === undefined) return;
		mkdirSync(dirname(file), { recursive: true });
		if (!existsSync(file)) return;
		for (const line of readFileSync(file, 'utf8').split('\n').filter(Boolean)) {
			this.apply(JSON.parse(line) as Change);
		}
	}

	/**
	 * Stores documents and commits immediately. Documents with the same IDs are replaced, and pending deletes of these
	 * IDs are canceled.
	 *
	 * @returns one boolean per document, which is true if the document is new
	 */
	upsert(endpoint: string, documents: readonly PushDocument[]): boolean[] {
		const { documents: known } = this.source(endpoint);
		const seen = new Set<string>();
		const areNew = documents.map(({ id }) => !known.has(id) && !seen.has(id) && !!seen.add(id));
		this.change({ endpoint, push: documents });
		return areNew;
	}

	has(endpoint: string, id: string): boolean {
		return this.source(endpoint).documents.has(id);
	}

	addPending(endpoint: string, id: string): void {
		this.change({ endpoint, remove: id });
	}

	pending(endpoint: string): string[] {
		return [...this.source(endpoint).pending];
	}

	pendingCounts(): Record<string, number> {
		return this.counted(({ pending }) => pending.size);
	}

	commit(endpoint?: string): void {
		const endpoints = endpoint === undefined ? [...this.sources.keys()] : [endpoint];
		for (const each of endpoints) {
			if (this.source(each).pending.size > 0) this.change({ endpoint: each, commit: true });
		}
	}

	documents(endpoint: string): Array<Record<string, unknown>> {
		return [...this.source(endpoint).documents.values()];
	}

	counts(): Record<string, number> {
		return this.counted(({ documents }) => documents.size);
	}

	/**
	 * Finds documents that contain all the words in the query.
	 *
	 * @param limit maximum number of hits
	 */
	search(endpoint: string, query: string, limit = 20): { total: number; hits: SearchHit[] } {
		const words = [...new Set(wordsOf(query))];
		const hits = this.documents(endpoint).filter((document) => {
			const own = new Set(wordsOf(textsOf(document)));
			return words.every((word) => own.has(word));
		}) as SearchHit[];
		return { total: hits.length, hits: hits.slice(0, limit) };
	}

	clear(): void {
		this.sources.clear();
		if (this.file !== undefined) writeFileSync(this.file, '');
	}

	private counted(count: (source: Source) => number): Record<string, number> {
		const counts = [...this.sources].map(([name, source]) => [name, count(source)] as const);
		return Object.fromEntries(counts.filter(([, number]) => number > 0));
	}

	private source(endpoint: string): Source {
		const known = this.sources.get(endpoint);
		if (known) return known;
		const made: Source = { documents: new Map(), pending: new Set() };
		this.sources.set(endpoint, made);
		return made;
	}

	private change(change: Change): void {
		this.apply(change);
		if (this.file !== undefined) appendFileSync(this.file, `${JSON.stringify(change)}\n`);
	}

	private apply(change: Change): void {
		const { documents, pending } = this.source(change.endpoint);
		if ('push' in change) {
			for (const document of change.push) {
				pending.delete(document.id);
				documents.delete(document.id);
				documents.set(document.id, document);
			}
		} else if ('remove' in change) pending.add(change.remove);
		else {
			for (const id of pending) documents.delete(id);
			pending.clear();
		}
	}
}
