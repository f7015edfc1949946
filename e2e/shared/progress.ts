/** Seconds between a step's progress lines in a log. On a terminal, one line is updated instead. */
const LOG_EVERY_SECONDS = 15;

/**
 * A step calls this function to set the text that the terminal shows next to the elapsed time. `read` returns this
 * text.
 */
export type Detail = (read: () => string) => void;

export function say(text = ''): void {
	process.stdout.write(`${text}\n`);
}

/** Maximum length of a line that is read from elsewhere. Such lines contain whole requests or indexes. */
const LINE_LENGTH = 300;

/** Shortens a line so that it never fills the screen. The log that it comes from has all of it. */
export function shortened(line: string): string {
	return line.length > LINE_LENGTH ? `${line.slice(0, LINE_LENGTH)} …` : line;
}

export function seconds(milliseconds: number): string {
	return `${(milliseconds / 1000).toFixed(1)} s`;
}

export async function step<T>(title: string, work: (detail: Detail) => Promise<T>): Promise<T> {
	const startedAt = Date.now();
	const terminal = process.stdout.isTTY;
	let detail = () => '';
	let ticks = 0;
	const line = () => {
		const elapsed = Math.round((Date.now() - startedAt) / 1000);
		return [`  … ${title} (${elapsed} s)`, detail()].filter(Boolean).join(': ');
	};
	const tick = () => {
		ticks += 1;
		if (terminal) process.stdout.write(`\r\x1b[2K${line()}`);
		else if (ticks % LOG_EVERY_SECONDS === 0) say(line());
	};
	const timer = setInterval(tick, 1000);
	const end = (mark: string) => {
		clearInterval(timer);
		if (terminal) process.stdout.write('\r\x1b[2K');
		say(`  ${mark} ${title} (${seconds(Date.now() - startedAt)})`);
	};
	try {
		const result = await work((read) => {
			detail = read;
		});
		end('✓');
		return result;
	} catch (error) {
		end('✗');
		throw error;
	}
}
