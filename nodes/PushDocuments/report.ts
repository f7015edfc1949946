import type { IDataObject } from 'n8n-workflow';

import type { Answer } from '../shared/flow/bulk';
import { failed, type Failed } from '../shared/flow/deliver';
import { responseJson } from '../shared/n8n/fields';
import { count, troubleText } from '../shared/n8n/hints';
import type { Run } from '../shared/n8n/run';
import { InputError } from '../shared/service/input-error';
import type { DocumentObserver, Entry } from './documents';
import { DocumentHints } from './hints';
import { pushFailure } from './failure';
import type { PushOptions } from './properties';
import type { Sent } from './requests';

const DUPLICATE = new InputError(
	'an earlier document of this run has the same ID',
	"Remove one of the two, or choose another value of the option 'Duplicate IDs'.",
);

/** Turns what happens to the documents of a run into output items, hints and a summary. */
export class PushReport implements DocumentObserver {
	/** Size of all requests that were accepted, or that a dry run would have sent. */
	bytes = 0;
	private total = 0;
	private pushed = 0;
	private replaced = 0;
	private readonly startedAt: number;
	private readonly hints: DocumentHints;
	/** Items that the summary stands for. */
	private readonly summarized = new Set<number>();

	constructor(
		private readonly run: Run,
		private readonly options: PushOptions,
	) {
		this.startedAt = run.now();
		this.hints = new DocumentHints(options.excludeFields);
	}

	/** What had been done, for the error of a run that ends early. */
	progress(): string {
		if (this.options.dryRun) return 'Nothing was sent, since this was a dry run.';
		if (this.run.stats.requests === 0) return 'Nothing was sent.';
		return `${count(this.pushed, 'document')} of ${this.total.toLocaleString('en-US')} had been pushed; pushing them again does no harm.`;
	}

	found(source: object): void {
		this.hints.found(source);
	}

	emptyList(itemIndex: number): void {
		this.done(itemIndex, { pushed: false, reason: 'The list of documents is empty' });
	}

	/** A later document with the same ID is pushed instead. */
	leftOut({ itemIndex, document: { id } }: Entry): void {
		this.replaced++;
		const reason = 'A later document has the same ID';
		this.done(itemIndex, { id, pushed: false, reason });
	}

	/** An earlier document with the same ID is pushed instead. */
	duplicate(entry: Entry): void {
		this.failed(entry, failed(DUPLICATE, 0));
	}

	/** Passes on the documents to push, as fast as other executions allow. */
	async *watch(entries: Entry[]): AsyncGenerator<Entry, void, undefined> {
		this.total = entries.length;
		for (const entry of entries) {
			await this.run.breathe();
			// A canceled run returns nothing, so that nobody asks for the others.
			if (this.run.signal.aborted) return;
			this.hints.pushing(entry.document);
			yield entry;
		}
	}

	async answer({ entries, outcome, request, bytes }: Answer<Entry, Sent<Entry>>): Promise<void> {
		for (const entry of entries) {
			await this.run.breathe();
			if (!outcome.ok) {
				this.failed(entry, outcome, bytes);
				continue;
			}
			this.pushed++;
			const { id } = entry.document;
			const { bytes: size, answer } = outcome.response.get(entry) ?? {};
			this.done(
				entry.itemIndex,
				this.options.dryRun
					? { id, pushed: false, dryRun: true, request, bytes: size }
					: {
							id,
							pushed: true,
							request,
							attempts: outcome.attempts,
							...responseJson(answer?.response),
						},
			);
		}
	}

	/** All documents have been answered: adds the hints, and the summary if it is asked for. */
	end(): void {
		const { run, options, pushed, bytes } = this;
		if (options.dryRun) {
			run.hint(
				`Dry run: ${count(pushed, 'document')} in ${count(run.stats.requests, 'request')} of ${bytes.toLocaleString('en-US')} bytes in total. Nothing was sent.`,
				'info',
			);
		}
		for (const hint of this.hints.texts()) run.hint(hint.text, hint.type);
		const replaced = `${count(this.replaced, 'document')} skipped for a later one with the same ID`;
		const trouble = troubleText(run.stats, this.replaced > 0 ? [replaced] : []);
		if (trouble !== '') run.hint(trouble);
		if (options.output === 'summary') this.summarize();
	}

	private summarize(): void {
		const { run, pushed, bytes } = this;
		const { requests, retries } = run.stats;
		const seconds = (run.now() - this.startedAt) / 1000;
		const summary = {
			documents: pushed,
			requests,
			bytes,
			retries,
			failures: run.failures,
			seconds: Math.round(seconds * 1000) / 1000,
			documentsPerSecond: Math.round(pushed / Math.max(seconds, 0.001)),
			...(this.options.dryRun && { dryRun: true }),
		};
		// If all have failed, there is still an item that it comes from.
		const items = this.summarized.size > 0 ? [...this.summarized] : [0];
		run.done(items[0] ?? 0, [summary], items);
	}

	private done(itemIndex: number, json: IDataObject): void {
		if (this.options.output === 'summary') this.summarized.add(itemIndex);
		else this.run.done(itemIndex, [json]);
	}

	private failed({ itemIndex, document: { id } }: Entry, failure: Failed, bytes = 0): void {
		const { reason, skipped } = failure;
		this.run.fail(itemIndex, reason, {
			...pushFailure(id, failure, bytes),
			json: { id },
			skipped,
		});
	}
}
