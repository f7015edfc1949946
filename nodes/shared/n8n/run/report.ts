import type { IExecuteFunctions } from 'n8n-workflow';

import type { RunState } from '../../flow/run-state';
import type { Meter } from './meter';

/** How often a long run writes to n8n's log. */
const LOG_INTERVAL_MS = 10_000;

/** A run as operators see it (docs/scaling.md, What an operator sees). */
interface Reported extends RunState {
	context: IExecuteFunctions;
	meter: Meter;
	/** What the log says of it now, a line each. */
	logLines: () => string[];
}

/** Writes a line to n8n's log, with the figures of the run as members by which a log can be filtered. */
export function log({ context, meter }: Reported, text: string): void {
	const { name: node } = context.getNode();
	context.logger.info(`${node}: ${text}`, { node, records: meter.done, ...meter.json() });
}

/**
 * Writes how far a run has come to n8n's log, now and then.
 *
 * @returns ends it
 */
export function logRegularly(run: Reported): () => void {
	const closing = new AbortController();
	const write = async () => {
		while (!run.ended && !closing.signal.aborted) {
			await run.sleep(LOG_INTERVAL_MS, closing.signal);
			if (run.ended || closing.signal.aborted) return;
			for (const line of run.logLines()) log(run, line);
		}
	};
	void write();
	return () => closing.abort();
}

/** Keeps the figures of a run in the data of its execution, from which n8n's OpenTelemetry spans take them. */
export function recordFigures({ context, meter }: Reported): void {
	context.setMetadata({ tracing: { records: meter.done, ...meter.json() } });
}
