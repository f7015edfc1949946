import { until } from './wait';

const SHOWN_WITHIN_MS = 60_000;

export interface Check {
	title: string;
	passed: boolean;
	/** The value that was seen, for the report. */
	seen: string;
}

export class Checks {
	readonly all: Check[] = [];

	/** Adds the result of a check and returns whether it passed. */
	add(title: string, passed: boolean, seen = ''): boolean {
		this.all.push({ title, passed, seen });
		return passed;
	}

	/** Reads a value that is right only after a moment, until it is right. Then adds the result. */
	async eventually(
		title: string,
		read: () => Promise<string>,
		isRight: (seen: string) => boolean,
	): Promise<void> {
		let seen = '';
		const passed = await until(async () => isRight((seen = await read())), SHOWN_WITHIN_MS);
		this.add(title, passed, passed ? '' : seen);
	}

	get failed(): Check[] {
		return this.all.filter(({ passed }) => !passed);
	}
}
