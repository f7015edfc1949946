import { bulk } from '../shared/flow/bulk';
import {
	idIn,
	requiredFields,
	readFieldMapping,
	type FieldMapping,
	type MissingAdvice,
} from '../shared/n8n/sources/field-mapping';
import { doneText, troubleText } from '../shared/n8n/run/hints';
import { Parameters } from '../shared/n8n/parameters/parameters';
import { Session } from '../shared/n8n/session/session';
import type { Run } from '../shared/n8n/run/run';
import { FileSink, type FileToRead } from '../shared/n8n/sinks/file-sink';
import { ItemSink } from '../shared/n8n/sinks/item-sink';
import { account, itemOf, type Sink } from '../shared/n8n/sinks/sink';
import { PER_ITEM_OPTIONS } from '../shared/n8n/sources/file-properties';
import { withFiles, type FileReading } from '../shared/n8n/sources/file-source';
import { withItems, type ItemReading, type Source } from '../shared/n8n/sources/source';
import { TextFiles } from '../shared/n8n/sources/text-files';
import { UnusedFields } from '../shared/n8n/sources/unused-fields';
import { fieldsOfItem } from '../shared/n8n/sources/files';
import { FORMATS } from '../shared/records/format';
import { RecentIds } from '../shared/records/recent-ids';
import { detach } from '../shared/records/record';
import { PUSH_SERVICE } from '../shared/service/service-definitions';
import {
	adviceForItem,
	documentFrom,
	documentsOf,
	documentsOfFile,
	DEFAULT_MAPPING,
} from './documents';
import { pushProperties, type PushOptions, type PushParameters } from './properties';
import {
	pushRequests,
	pushResultFormat,
	replacedResultFormat,
	type Entry,
	type SameIds,
} from './requests';
import { DRY_RUN_RESULT } from '../shared/n8n/sinks/dry-run';
import { formatCount } from '../shared/service/strings';

/**
 * Pushes the documents from all input items or from their files (docs/service-interface.md, Push).
 *
 * @throws InputError if an option or the credential is invalid
 */
export async function pushDocuments(run: Run): Promise<void> {
	const parameters = new Parameters(run.context, pushProperties);
	const options = parameters.collection('options', PER_ITEM_OPTIONS);
	const session = await Session.open(run, PUSH_SERVICE);
	const sameIds: SameIds = { skipped: 0, repeated: 0 };
	const sentIds = new RecentIds();
	const pushing = pushRequests(run, session, options);
	const unusedFields = new UnusedFields();

	/**
	 * Reports a document that has the same ID as an earlier document. If such a document comes from a file, it is
	 * listed in the file's summary. If it comes from an item, it is added to a count in a hint.
	 */
	const noteSameId = (sink: Sink, entry: Entry, count: keyof SameIds) => {
		if (entry.record) sink.note(entry.record, 'sameId', entry.id);
		else sameIds[count]++;
	};
	const push = async ({ entries, sink }: Source<Entry>) => {
		for await (const results of bulk(entries, pushing)) {
			for (const result of results) {
				const { entries: batch, outcome } = result;
				const sent = result.request > 0 ? batch : [];
				const repeated = sent.filter(({ id }) => sentIds.addAndCheck(id));
				if (outcome.ok) for (const entry of repeated) noteSameId(sink, entry, 'repeated');
				const resultFormat = pushResultFormat(options, result);
				await account(sink, batch, outcome, resultFormat);
				// Earlier documents with the same ID were not sent, so they share the later document's
				// outcome.
				for (const entry of batch) {
					const { replaces: replaced } = entry;
					if (!replaced) continue;
					if (outcome.ok) replaced.forEach(() => noteSameId(sink, entry, 'skipped'));
					await account(sink, replaced, outcome, replacedResultFormat(resultFormat));
				}
			}
		}
	};
	if (parameters.get('documentSource', 0) === 'file') {
		const readingOf = fileReading(run, parameters, options, unusedFields);
		await withFiles({ run, parameters, options, readingOf, use: push });
	} else {
		await withItems(run, itemReading(run, parameters, options, unusedFields), push);
	}
	addHints(run, options, sameIds);
	unusedFields.addTo(run);
}

function itemReading(
	run: Run,
	parameters: PushParameters,
	options: PushOptions,
	unusedFields: UnusedFields,
): ItemReading<Entry> {
	const documentSource = parameters.get('documentSource', 0);
	const isWholeItem = documentSource === 'wholeItem';
	const isSameForAll =
		isWholeItem &&
		parameters.areConstant('idField', 'nameField', 'descriptionField', 'urlField');
	const hasParameters = documentSource === 'fields' || documentSource === 'textFile';
	const defaultMapping = { ...DEFAULT_MAPPING, hasParameters };
	let mapping: FieldMapping = defaultMapping;
	const files =
		documentSource === 'textFile'
			? new TextFiles(run, parameters, options.bytesPerRequest)
			: undefined;
	return {
		valuesOf: (itemIndex) => {
			if (files) return documentsOfFile(files, parameters, itemIndex);
			if (!isWholeItem) return documentsOf(run, parameters, documentSource, itemIndex);
			if (mapping === defaultMapping || !isSameForAll)
				mapping = readFieldMapping(parameters, itemIndex);
			const item = fieldsOfItem(run, itemIndex);
			unusedFields.note(item, mapping);
			return [item];
		},
		entryOf: (value, origin) => {
			const adviceFor: MissingAdvice = (missing) =>
				adviceForItem(run, itemOf(origin), missing);
			const advice = isWholeItem ? adviceFor : undefined;
			const document = documentFrom(value, mapping, options, advice);
			return { items: origin.items, id: document.id, document };
		},
		idOf: (value) => idIn(value, mapping.id),
		...(files && {
			resolve: async (entries, sink) => await files.withoutRepeatedNames(entries, sink),
		}),
		verb: 'push',
		emptyList: { pushed: false, reason: 'The list of documents is empty' },
		sink: new ItemSink(run, options, {
			...resultsOf(options),
			repeating: 'Pushing all of them again is safe',
		}),
	};
}

const fileReading =
	(run: Run, parameters: PushParameters, options: PushOptions, unusedFields: UnusedFields) =>
	(fileToRead: FileToRead): FileReading<Entry> => {
		const mapping = readFieldMapping(parameters, fileToRead.itemIndex);
		const { isJson } = FORMATS[fileToRead.file.format];
		const remake = isJson
			? (value: unknown) => documentFrom(value, mapping, options)
			: undefined;
		return {
			requiredFields: requiredFields(mapping),
			entryOf: (value, { items, record }) => {
				unusedFields.note(value, mapping);
				const document = documentFrom(value, mapping, options);
				const original = isJson && document === value ? record?.text : undefined;
				// IDs are remembered for the whole run. An ID from a CSV cell must be copied. Otherwise, it
				// would keep the surrounding part of the file in memory.
				const id = isJson ? document.id : detach(document.id);
				return { items, record, id, document, original, remake };
			},
			idOf: (value) => idIn(value, mapping.id),
			sink: new FileSink(run, fileToRead, options, resultsOf(options)),
		};
	};

const resultsOf = ({ dryRun }: PushOptions) => ({ done: 'pushed', ...(dryRun && DRY_RUN_RESULT) });

function addHints(run: Run, { dryRun }: PushOptions, sameIds: SameIds): void {
	const { stats, meter } = run;
	const done = dryRun
		? `Dry run: ${formatCount(stats.done, 'document')} in ${formatCount(stats.requests, 'request')}, ${formatCount(stats.bytes, 'byte')} in total. Nothing was sent.`
		: doneText(stats, meter, 'document', 'pushed');
	const counts: string[] = [];
	if (sameIds.skipped > 0)
		counts.push(
			`${formatCount(sameIds.skipped, 'document')} skipped because a later one has the same ID`,
		);
	if (sameIds.repeated > 0)
		counts.push(
			`${formatCount(sameIds.repeated, 'document')} with the same ID as an earlier one`,
		);
	const trouble = troubleText(stats, counts);
	run.hint(done, 'info');
	run.hint(counts.length > 0 ? `${trouble}. ${SAME_ID_ADVICE}` : trouble);
}

const SAME_ID_ADVICE =
	'The index contains one document per ID. If these are different documents, give each one its own ID.';
