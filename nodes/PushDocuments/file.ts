import { bulk, type Answer } from '../shared/flow/bulk';
import { fieldOf } from '../shared/n8n/fields';
import { FileReport } from '../shared/n8n/file-report';
import { count, troubleText } from '../shared/n8n/hints';
import type { PushEndpoint } from '../shared/n8n/push-endpoint';
import { checkFields, openItemFile, type RecordFile } from '../shared/n8n/record-file';
import type { Run } from '../shared/n8n/run';
import type { SourceRecord } from '../shared/records/record';
import { InputError } from '../shared/service/input-error';
import {
	documentText,
	isVectorFree,
	prepareDocument,
	type DocumentRules,
} from '../shared/service/push';
import { quoted } from '../shared/service/wording';
import { rulesOf } from './documents';
import { pushFailure } from './failure';
import { DocumentHints } from './hints';
import type { PushOptions, PushParameters } from './properties';
import { pushRequests, type Pushable, type Sent } from './requests';

/**
 * A document of a file, and the record it comes from. Only what its request, its answer and a file of
 * failed records need: what is in flight for long is expensive for n8n's garbage collector.
 */
interface FileEntry extends Pushable {
	source: SourceRecord;
	/** The document as JSON. */
	text: string;
}

/** Where the fields of a document are in a record. */
interface Fields {
	id: string;
	name: string;
	/** Those that a record has by another name, or at a path. */
	others: Array<[field: string, path: string]>;
}

/**
 * Pushes the documents in the files of all input items, one file after the other. No more of a file
 * is held than the requests in flight need. Each file gives one item; see docs/files.md.
 */
export async function pushFiles(
	run: Run,
	endpoint: PushEndpoint,
	parameters: PushParameters,
	options: PushOptions,
): Promise<void> {
	const sent = { bytes: 0 };
	const textOf = ({ text }: FileEntry) => text;
	const pushing = {
		...pushRequests<FileEntry>(run, endpoint, options, sent, textOf),
		// Excluded fields and spaces of a record stay in memory with it.
		besidesOf: ({ source, text }: FileEntry) => Math.max(0, source.text.length - text.length),
	};
	const reader = new DocumentReader(run, parameters, options);
	for (const itemIndex of run.items.keys()) {
		if (run.ended) break;
		let file: RecordFile | undefined;
		let report: FileReport | undefined;
		try {
			file = await openItemFile(run, parameters, options, itemIndex);
			report = reportOn(run, file, parameters, options, itemIndex, sent);
			const documents = reader.read(file, report, itemIndex);
			for await (const answer of bulk(documents, pushing)) await account(answer, report);
			await report.end();
		} catch (error) {
			run.refuse(itemIndex, error);
		} finally {
			report?.close();
			file?.close();
		}
	}
	reader.addHints();
	addTotals(run, options, sent.bytes);
}

const reportOn = (
	run: Run,
	file: RecordFile,
	parameters: PushParameters,
	{ bytesPerFile, dryRun }: PushOptions,
	itemIndex: number,
	sent: { bytes: number },
): FileReport =>
	new FileReport(run, file, {
		itemIndex,
		done: dryRun ? 'checked' : 'pushed',
		skip: parameters.number('options.skipRecords', itemIndex),
		bytesPerFile,
		sentBytes: () => sent.bytes,
		...(dryRun && { json: { dryRun }, goOn: () => 'Nothing was sent: this was a dry run.' }),
	});

/** Makes documents of records. */
class DocumentReader {
	private readonly rules: DocumentRules;
	private readonly hints: DocumentHints;
	/** A longer text is written again: without its spaces and escapes it may fit into a request. */
	private readonly maxTextCharacters: number;

	constructor(
		private readonly run: Run,
		private readonly parameters: PushParameters,
		options: PushOptions,
	) {
		this.rules = rulesOf(options);
		this.hints = new DocumentHints(options.excludeFields);
		this.maxTextCharacters = options.bytesPerRequest / 4;
	}

	/** The documents of a file. Records that cannot be documents fail immediately. */
	read(
		file: RecordFile,
		report: FileReport,
		itemIndex: number,
	): AsyncGenerator<FileEntry, void, undefined> {
		const fields = this.fieldsOf(itemIndex);
		const check = (first: SourceRecord) =>
			checkFields(file, first, [
				[fields.id, 'ID Field'],
				[fields.name, 'Name Field'],
			]);
		return report.read(
			check,
			(source) => this.entryOf(source, fields, file),
			(value) => idOf(value, fields),
		);
	}

	addHints(): void {
		for (const hint of this.hints.texts()) this.run.hint(hint.text, hint.type);
	}

	private entryOf(source: SourceRecord, fields: Fields, { format }: RecordFile): FileEntry {
		const { value, text } = source;
		const document = prepareDocument(mapped(value, fields), this.rules);
		this.hints.found(value as object);
		this.hints.pushing(document);
		// The original text is faster than writing it again, and keeps numbers of any length.
		const isUnchanged =
			format !== 'csv' &&
			document === value &&
			text.length <= this.maxTextCharacters &&
			isVectorFree(document);
		const entry = {
			source,
			document: { id: document.id },
			text: isUnchanged ? text : documentText(document),
		};
		source.value = undefined;
		return entry;
	}

	private fieldsOf(itemIndex: number): Fields {
		const { parameters } = this;
		const id = parameters.requiredText('idField', itemIndex);
		const name = parameters.requiredText('nameField', itemIndex);
		const paths = {
			id,
			name,
			description: parameters.text('descriptionField', itemIndex).trim(),
			url: parameters.text('urlField', itemIndex).trim(),
		};
		const others = Object.entries(paths).filter(
			([field, path]) => field !== path && path !== '',
		);
		return { id, name, others };
	}
}

/** A record with the fields of a document under their own names; the record itself if it has them. */
function mapped(record: unknown, { others }: Fields): unknown {
	if (typeof record !== 'object' || record === null || Array.isArray(record)) {
		throw new InputError(
			'The record is not a JSON object',
			'Each record must be an object with an ID and a name.',
		);
	}
	if (others.length === 0) return record;
	const document: Record<string, unknown> = { ...record };
	for (const [field, path] of others) {
		const value = fieldOf(record, path);
		const isRequired = field === 'id' || field === 'name';
		const isEmpty = value === undefined || value === null || value === '';
		if (isEmpty && isRequired) {
			throw new InputError(
				`The field ${quoted(path)}${field === 'id' ? ' with the ID' : ' with the name'} is missing or empty`,
				'Every document needs an ID and a name.',
			);
		}
		if (!isEmpty) document[field] = value;
	}
	return document;
}

function idOf(record: unknown, { id }: Fields): string | undefined {
	const value = typeof record === 'object' && record !== null ? fieldOf(record, id) : undefined;
	return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Accounts for the records of an answer. */
async function account(
	{ entries, outcome, bytes }: Answer<FileEntry, Sent<FileEntry>>,
	report: FileReport,
): Promise<void> {
	const sources = entries.map(({ source }) => source);
	if (outcome.ok) return report.succeed(sources);
	if (outcome.skipped) return report.skip(sources);
	const { reason, verdict } = outcome;
	for (const { source, document } of entries) {
		const { message } = pushFailure(document.id, outcome, bytes);
		const endsRun = verdict.action === 'stop';
		await report.fail(source, { reason, message, id: document.id, endsRun });
	}
}

function addTotals(run: Run, { dryRun }: PushOptions, bytes: number): void {
	if (dryRun) {
		run.hint(
			`Dry run: ${count(run.stats.requests, 'request')} of ${bytes.toLocaleString('en-US')} bytes in total. Nothing was sent.`,
			'info',
		);
	}
	const trouble = troubleText(run.stats);
	if (trouble !== '') run.hint(trouble);
}
