/** One thing the demo asserts. */
export interface Check {
	title: string;
	passed: boolean;
	/** What was seen, for the report. */
	seen: string;
}

/** Collects what was checked. */
export class Checks {
	readonly all: Check[] = [];

	/** Notes a check; returns whether it passed. */
	add(title: string, passed: boolean, seen = ''): boolean {
		this.all.push({ title, passed, seen });
		return passed;
	}

	/** Those that didn't pass. */
	get failed(): Check[] {
		return this.all.filter(({ passed }) => !passed);
	}
}
