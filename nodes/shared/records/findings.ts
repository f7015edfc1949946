/** Peculiarities of a file that the node accepts, but that the user should know about. */
export type FindingKind =
	| 'blankRow'
	| 'decimalId'
	| 'inexactNumber'
	| 'quotedRows'
	| 'sameId'
	| 'shortRow'
	| 'titleRow'
	| 'windows1252';

export interface Finding {
	total: number;
	/** Line of the first occurrence, counted from 1. */
	line: number;
	/** Text of the first occurrence. Empty if the line number is enough to find it. */
	example: string;
}

/**
 * Counts the peculiarities of a file while it is read, and remembers where each kind occurred first. The
 * decoder, the reader of the format and the node add to the counts. At the end, the counts become hints
 * (`n8n/sources/file-findings.ts`).
 */
export class Findings {
	private readonly byKind = new Map<FindingKind, Finding>();
	private readonly excluded = new Set<FindingKind>();

	add(kind: FindingKind, line: number, example = ''): void {
		const known = this.byKind.get(kind);
		if (known) known.total++;
		else if (!this.excluded.has(kind)) this.byKind.set(kind, { total: 1, line, example });
	}

	/** Removes the findings of a kind, and ignores this kind from now on. */
	exclude(kind: FindingKind): void {
		this.byKind.delete(kind);
		this.excluded.add(kind);
	}

	get(kind: FindingKind): Finding | undefined {
		return this.byKind.get(kind);
	}
}
