import { bulk } from '../shared/flow/bulk';
import { failed, type Outcome } from '../shared/flow/deliver';
import {
	idIn,
	neededFields,
	readDocumentFields,
	readItemFields,
} from '../shared/n8n/sources/document-fields';
import { fileFieldsOf } from '../shared/n8n/sources/files';
import { count, doneText, troubleText } from '../shared/n8n/run/hints';
import { Parameters } from '../shared/n8n/parameters/parameters';
import { openPushEndpoint } from '../shared/n8n/session/push-endpoint';
import type { RecordFile } from '../shared/n8n/sources/record-file';
import { NOTHING_KEPT } from '../shared/n8n/run/previous-tries';
import type { Run } from '../shared/n8n/run/run';
import { account, itemOf, type Placed, type Sink } from '../shared/n8n/sinks/sink';
import { OWN_OPTIONS } from '../shared/n8n/sources/file-properties';
import {
	openFiles,
	withFiles,
	withItems,
	type FileReading,
	type ItemReading,
	type Source,
} from '../shared/n8n/sources/source';
import { FORMATS } from '../shared/records/format';
import { ServiceFailure } from '../shared/service/failure';
import { InputError } from '../shared/service/input-error';
import {
	prepareDocument,
	type DocumentRules,
	type MissingAdvice,
	type PushDocument,
} from '../shared/service/push/push';
import { quoted } from '../shared/service/wording';
import {
	adviceForItem,
	CALLED_AS_PARAMETERS,
	DocumentMapper,
	documentsOf,
	originalText,
	rulesOf,
} from './documents';
import { DocumentHints } from './hints';
import { pushProperties, type PushOptions, type PushParameters } from './properties';
import { pushRequests, type Entry, type Sent } from './requests';
import { pushWording, replacedWording } from './wording';

/**
 * Pushes the documents of all input items or of their files (docs/service-interface.md, Push).
 *
 * @throws InputError for unusable options or an unusable credential
 */
export async function pushDocuments(run: Run): Promise<void> {
	const parameters = new Parameters(run.context, pushProperties);
	const options = parameters.collection('options', OWN_OPTIONS);
	const endpoint = await openPushEndpoint(run);
	const hints = new DocumentHints(options.excludeFields);
	const sent: Sent = { documents: 0, leftOut: 0, skipped: 0 };
	const isFromFiles = parameters.choice('documentSource') === 'file';
	// Items with the same ID are resolved before.
	const mayRepeat = isFromFiles || options.duplicates === 'sendInOrder';
	const pushing = pushRequests(run, endpoint, options, sent, hints, mayRepeat);

	const keepsTries = !isFromFiles && !options.dryRun;
	const before = keepsTries ? run.previousTries.kept<true>('pushed') : NOTHING_KEPT;
	const mayBePushed = (entry: Entry) => before.get(nameOf(entry)) === true;

	const push = async ({ entries, sink }: Source<Entry>) => {
		for await (const answers of bulk(entries, pushing)) {
			for (const { entries: answered, outcome, request, bytes } of answers) {
				const wording = pushWording(options, request, bytes, mayBePushed);
				if (before !== NOTHING_KEPT && mayHaveTakenEffect(outcome)) {
					for (const entry of answered) before.set(nameOf(entry), true);
				}
				await account(sink, answered, outcome, wording);
				if (sent.leftOut === 0) continue;
				// Earlier documents with the same IDs were not sent: they share the outcome.
				const replaced = answered.flatMap(({ replaces = [] }) => replaces);
				if (outcome.ok) sent.skipped += replaced.length;
				await account(sink, replaced, outcome, replacedWording(wording));
			}
		}
	};
	if (isFromFiles) {
		const readingOf = fileReading(parameters, options, hints);
		const how = { ...options, asOneText: PUSH_AS_ONE_TEXT };
		const files = openFiles<Entry, FileReading<Entry>>(run, parameters, how, readingOf);
		await withFiles(run, files, push);
	} else {
		const reading = itemReading(run, parameters, options, sent, hints);
		await withItems(run, options, reading, push);
	}
	addHints(run, options, sent, hints);
}

/** What tries of the node call a document: several may have the same ID. */
const nameOf = (entry: Entry): string => `${itemOf(entry)} ${entry.id}`;

const mayHaveTakenEffect = (outcome: Outcome<unknown>): boolean =>
	outcome.ok || (outcome.reason instanceof ServiceFailure && outcome.reason.outcomeUnknown);

/** Documents that are items or part of items. */
function itemReading(
	run: Run,
	parameters: PushParameters,
	options: PushOptions,
	sent: Sent,
	hints: DocumentHints,
): ItemReading<Entry> {
	const from = parameters.choice('documentSource');
	const isWholeItem = from === 'wholeItem';
	const rules = rulesOf(options, from === 'fields' ? CALLED_AS_PARAMETERS : undefined);
	const prepared = isWholeItem
		? preparingItems(run, parameters, rules)
		: (value: unknown) => prepareDocument(value, rules);
	return {
		valuesOf: (itemIndex) => documentsOf(run, parameters, from, itemIndex),
		entryOf: (value, place) => {
			const document = prepared(value, itemOf(place));
			hints.found(value as object);
			return entryOf(document, place);
		},
		idOf: (value) => idIn(value, isWholeItem ? parameters.text('idField', 0) : 'id'),
		emptyList: { pushed: false, reason: 'The list of documents is empty' },
		wrong: inList,
		resolve: async (entries, sink) => await withoutDuplicates(entries, options, sent, sink),
		sink: {
			...resultsOf(options),
			repeating: 'pushing them again does no harm',
			...(options.dryRun && {
				progress: () => 'Nothing was sent, since this was a dry run.',
			}),
		},
	};
}

/** Makes documents of whole items, in which ID and name may have other names. */
function preparingItems(run: Run, parameters: PushParameters, rules: DocumentRules) {
	let mapper: DocumentMapper | undefined;
	return (value: unknown, itemIndex: number): PushDocument => {
		const adviceFor: MissingAdvice = (missing) => adviceForItem(run, itemIndex, missing);
		try {
			const fields = readItemFields(parameters, itemIndex);
			// Nearly always those of the item before.
			if (mapper?.fields.id !== fields.id || mapper.fields.name !== fields.name)
				mapper = new DocumentMapper(fields);
			const document = mapper.documentOf(value);
			const called = mapper.isIdentity ? undefined : mapper.called;
			return prepareDocument(document, called ? { ...rules, called } : rules, adviceFor);
		} catch (error) {
			throw withFileAdvice(run, itemIndex, error);
		}
	};
}

/** Documents that are records of files. */
const fileReading =
	(parameters: PushParameters, options: PushOptions, hints: DocumentHints) =>
	(itemIndex: number, { format }: RecordFile): FileReading<Entry> => {
		const mapper = new DocumentMapper(readDocumentFields(parameters, itemIndex));
		const rules = rulesOf(options, mapper.called);
		return {
			needed: neededFields(mapper.fields),
			entryOf: (value, place) => {
				const document = prepareDocument(mapper.documentOf(value), rules);
				hints.found(value as object);
				const text = FORMATS[format].isJson ? place.record?.text : undefined;
				const original = text && originalText(text, value as object, document);
				return entryOf(document, place, original);
			},
			idOf: (value) => idIn(value, mapper.fields.id),
			sink: {
				...resultsOf(options),
				...(options.dryRun && {
					goOn: () => 'Nothing was sent: this was a dry run.',
				}),
			},
		};
	};

// Member by member, since a copy of the place costs more than all else that is done for a document.
const entryOf = (document: PushDocument, place: Placed, original?: string): Entry => ({
	items: place.items,
	record: place.record,
	id: document.id,
	document,
	original,
	besides: 0,
});

const resultsOf = ({ dryRun }: PushOptions) =>
	dryRun ? { done: 'checked', json: { dryRun } } : { done: 'pushed', json: {} };

/** If an item with a file is no document, the user probably wants to push the file. */
function withFileAdvice(run: Run, itemIndex: number, error: unknown): unknown {
	const [field] = fileFieldsOf(run, itemIndex);
	if (field === undefined || !(error instanceof InputError)) return error;
	return new InputError(
		`${error.message}. The item has the file ${quoted(field)}: choose 'File' in 'Documents From'`,
		error.description,
	);
}

/** What to do about a file of plain text. */
const PUSH_AS_ONE_TEXT =
	"To push it as one document, read it with n8n's 'Extract from File' and choose 'Mapped Fields' in 'Documents From'.";

/** Says which document of a list it is. */
function inList(error: unknown, position: number, length: number): unknown {
	if (length === 1 || !(error instanceof InputError)) return error;
	return new InputError(
		`Document ${position} of the list, counted from 0: ${error.message}`,
		error.description,
	);
}

const DUPLICATE = new InputError(
	'an earlier document of this run has the same ID',
	"Remove one of the two, or choose another value of the option 'Duplicate IDs'.",
);

/**
 * Applies the policy for equal IDs, once all documents have been read.
 *
 * @returns what to push, in the order of the input
 */
async function withoutDuplicates(
	entries: Entry[],
	options: PushOptions,
	sent: Sent,
	sink: Sink,
): Promise<Entry[]> {
	const { duplicates } = options;
	if (duplicates === 'sendInOrder') return entries;
	const kept = new Map<string, Entry>();
	for (const entry of entries) {
		const earlier = kept.get(entry.id);
		if (earlier && duplicates === 'fail') {
			await account(sink, [entry], failed(DUPLICATE, 0), pushWording(options, 0, 0));
			continue;
		}
		if (earlier) {
			sent.leftOut++;
			const { replaces = [], ...replaced } = earlier;
			replaces.push({ ...replaced, document: undefined });
			entry.replaces = replaces;
			// Without this, the map would keep the place of the earlier document.
			kept.delete(entry.id);
		}
		kept.set(entry.id, entry);
	}
	return kept.size < entries.length ? [...kept.values()] : entries;
}

function addHints(run: Run, { dryRun }: PushOptions, sent: Sent, hints: DocumentHints): void {
	if (dryRun) {
		run.hint(
			`Dry run: ${count(sent.documents, 'document')} in ${count(run.stats.requests, 'request')} of ${run.stats.bytes.toLocaleString('en-US')} bytes in total. Nothing was sent.`,
			'info',
		);
	}
	const done = dryRun ? '' : doneText(run.stats, run.meter.seconds, 'document', 'pushed');
	if (done !== '') run.hint(done, 'info');
	for (const hint of hints.texts()) run.hint(hint.text, hint.type);
	const skipped = `${count(sent.skipped, 'document')} skipped for a later one with the same ID`;
	const trouble = troubleText(run.stats, sent.skipped > 0 ? [skipped] : []);
	if (trouble !== '') run.hint(trouble);
}
