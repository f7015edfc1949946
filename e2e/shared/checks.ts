import { until } from './wait';

/** How long something may take to be shown. */
const SHOWN_WITHIN_MS = 60_000;

/** One thing a command checks. */
export interface Check {
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

	/** Adds the result of a check of what is shown only after a moment: reads it until it is right. */
	async eventually(
		title: string,
		read: () => Promise<string>,
		isRight: (seen: string) => boolean,
	): Promise<void> {
		let seen = '';
		const passed = await until(async () => isRight((seen = await read())), SHOWN_WITHIN_MS);
		this.add(title, passed, passed ? '' : seen);
	}

	/** The checks that did not pass. */
	get failed(): Check[] {
		return this.all.filter(({ passed }) => !passed);
	}
}
