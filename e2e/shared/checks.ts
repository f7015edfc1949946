/** One thing a command checks. */
interface Check {
	title: string;
	passed: boolean;
	/** What was seen, for the report. */
	seen: string;
}

/** Collects what was checked. */
export class Checks {
	readonly all: Check[] = [];

	/** Adds the result of a check; returns whether it passed. */
	add(title: string, passed: boolean, seen = ''): boolean {
		this.all.push({ title, passed, seen });
		return passed;
	}

	/** The checks that did not pass. */
	get failed(): Check[] {
		return this.all.filter(({ passed }) => !passed);
	}
}
