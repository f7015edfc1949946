/** Unusual things in a file that the node accepts, but reports to the user. */
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
	line: number;
	/** The first occurrence, or '' if the line number is enough. */
	example: string;
}

/**
 * Counts unusual things while a file is read, and remembers where each of them occurred first. At the end, hints
 * report them to the user (`n8n/sources/file-findings.ts`).
 */
export class Findings {
	private readonly byKind = new Map<FindingKind, Finding>();
	private readonly excluded = new Set<FindingKind>();

	add(kind: FindingKind, line: number, example = ''): void {
		const known = this.byKind.get(kind);
		if (known) known.total++;
		else if (!this.excluded.has(kind)) this.byKind.set(kind, { total: 1, line, example });
	}

	/** Removes the findings of this kind, and ignores all later ones. */
	exclude(kind: FindingKind): void {
		this.byKind.delete(kind);
		this.excluded.add(kind);
	}

	get(kind: FindingKind): Finding | undefined {
		return this.byKind.get(kind);
	}
}
