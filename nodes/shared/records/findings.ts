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
	count: number;
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
	private readonly found = new Map<FindingKind, Finding>();
	private readonly excluded = new Set<FindingKind>();

	add(kind: FindingKind, line: number, example = ''): void {
		const known = this.found.get(kind);
		if (known) known.count++;
		else if (!this.excluded.has(kind)) this.found.set(kind, { count: 1, line, example });
	}

	/** Forgets what was found of a kind, and ignores what is found of it later. */
	exclude(kind: FindingKind): void {
		this.found.delete(kind);
		this.excluded.add(kind);
	}

	/** Returns what was found of a kind; undefined if there was nothing. */
	of(kind: FindingKind): Finding | undefined {
		return this.found.get(kind);
	}
}
