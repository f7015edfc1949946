import type { NodeExecutionHint } from 'n8n-workflow';

import { count } from '../shared/n8n/run/hints';
import {
	isDeletable,
	lacks,
	RECOMMENDED_FIELDS,
	type PushDocument,
} from '../shared/service/push/push';
import { quoted } from '../shared/service/wording';

interface Hint {
	text: string;
	type: NonNullable<NodeExecutionHint['type']>;
}

const MAX_IDS_SHOWN = 3;

/** Notices what may be a mistake, though it keeps no document from being pushed. */
export class DocumentHints {
	private documents = 0;
	private readonly missing = new Map<string, number>();
	private undeletable = 0;
	private readonly undeletableIds: string[] = [];
	/** Names of excluded fields that no document has had so far. */
	private readonly unmatched: Set<string>;

	constructor(excludeFields: readonly string[]) {
		this.unmatched = new Set(excludeFields);
	}

	/** A document as it came in. */
	found(source: object): void {
		for (const name of this.unmatched) {
			if (Object.hasOwn(source, name)) this.unmatched.delete(name);
		}
	}

	/** A document that is about to be pushed. */
	pushing(document: PushDocument): void {
		this.documents++;
		for (const field of RECOMMENDED_FIELDS) {
			if (lacks(document, field)) this.missing.set(field, (this.missing.get(field) ?? 0) + 1);
		}
		if (!isDeletable(document.id) && this.undeletable++ < MAX_IDS_SHOWN) {
			this.undeletableIds.push(document.id);
		}
	}

	texts(): Hint[] {
		if (this.documents === 0) return [];
		const hints: Hint[] = [];
		// If no document has the field, the source does not have it.
		const missing = [...this.missing].filter(([, number]) => number < this.documents);
		if (missing.length > 0) {
			const parts = missing.map(
				([field, number]) => `'${field}' (${count(number, 'document')})`,
			);
			const text = `Recommended fields are missing: ${parts.join(', ')}`;
			hints.push({ text, type: 'info' });
		}
		if (this.unmatched.size > 0) {
			const names = [...this.unmatched].map(quoted).join(', ');
			const text = `'Exclude Fields' names top-level fields that no document has: ${names}`;
			hints.push({ text, type: 'warning' });
		}
		if (this.undeletable > 0) {
			const ids = this.undeletableIds.map(quoted).join(', ');
			const text = `Delete Document can never delete ${count(this.undeletable, 'document')}, because no URL can contain the ID: ${ids}`;
			hints.push({ text, type: 'warning' });
		}
		return hints;
	}
}
