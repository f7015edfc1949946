/** What a file may contain that is read, but that its owner should know of. */
export type FindingKind =
	| 'blankRow'
	| 'decimalId'
	| 'inexactNumber'
	| 'quotedRows'
	| 'sameId'
	| 'shortRow'
	| 'titleRow'
	| 'windows1252';

/** How often something was found in a file, and where first. */
export interface Finding {
	total: number;
	/** Line of the first one, counted from 1. */
	line: number;
	/** Part of the file that shows the first one; '' if the line is enough. */
	example: string;
}

/**
 * Counts what is noticed while a file is read, and remembers the first place of each kind. Whoever reads
 * the file adds to it: the decoder, the reader of the format, the node. Hints are made of it in the end
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

	/** Forgets what was found of a kind, and ignores what is found of it later. */
	exclude(kind: FindingKind): void {
		this.byKind.delete(kind);
		this.excluded.add(kind);
	}

	/** Returns what was found of a kind; undefined if there was nothing. */
	get(kind: FindingKind): Finding | undefined {
		return this.byKind.get(kind);
	}
}
