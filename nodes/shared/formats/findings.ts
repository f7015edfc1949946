/**
 * Findings of the readers in a file that the user should know about, even though the node accepts the file. The nodes find
 * more kinds (`FindingKind` in `output/file-findings.ts`).
 */
export type ReaderFinding =
	| 'blankRow'
	| 'quotedRows'
	| 'shortRow'
	| 'titleRow'
	| 'unnamedColumn'
	| 'windows1252';

export interface Finding {
	total: number;
	line: number;
	/** Text of the first occurrence. Empty if the line number is enough to find it. */
	example: string;
}

/**
 * Counts the findings in a file while the file is being read, and remembers where each kind first occurred. At the end,
 * the findings become hints for the user (`output/file-findings.ts`).
 */
export class Findings<Kind extends string = ReaderFinding> {
	readonly byKind = new Map<string, Finding>();
	private readonly excluded = new Set<string>();

	/**
	 * @param line line number, starting at 1. Only the lowest number is kept. To count a finding without changing this
	 *   number, pass Infinity
	 */
	add(kind: Kind, line: number, example = ''): void {
		const known = this.byKind.get(kind);
		if (known) {
			known.total++;
			// Findings about responses may arrive out of order, so the lowest line number is kept.
			if (line < known.line) Object.assign(known, { line, example });
		} else if (!this.excluded.has(kind)) this.byKind.set(kind, { total: 1, line, example });
	}

	/** Removes all findings of one kind, and ignores that kind from now on. */
	exclude(kind: Kind): void {
		this.byKind.delete(kind);
		this.excluded.add(kind);
	}
}
