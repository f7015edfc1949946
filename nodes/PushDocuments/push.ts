import { bulk } from '../shared/sending/bulk';
import {
	idIn,
	requiredFields,
	readFieldMapping,
	type FieldMapping,
	type MissingAdvice,
} from '../shared/input/field-mapping';
import { doneText, troubleText } from '../shared/run/hints';
import { Parameters } from '../shared/parameters/parameters';
import { Session } from '../shared/session/session';
import type { Run } from '../shared/run/run';
import { DRY_RUN_RESULT, FileSink } from '../shared/output/file-sink';
import type { RecordFile } from '../shared/output/record-file';
import { ItemSink } from '../shared/output/item-sink';
import { account, itemOf, type EntryOrigin } from '../shared/output/sink';
import { PER_ITEM_OPTIONS } from '../shared/input/file-properties';
import { withFiles, type FileReading } from '../shared/input/file-source';
import { withItems, type ItemReading, type Reading, type Source } from '../shared/input/source';
import { keptFieldsOf } from '../shared/input/source-fields';
import { TextFiles } from '../shared/input/text-files';
import { UnusedFields } from '../shared/input/unused-fields';
import { fieldsOfItem } from '../shared/input/item-fields';
import { FORMATS } from '../shared/formats/format';
import type { PushDocument } from '../shared/service/push/push-document';
import { PUSH_SERVICE } from '../shared/service/service-definitions';
import {
	adviceForItem,
	documentFrom,
	documentsOf,
	documentsOfFile,
	DEFAULT_MAPPING,
} from './documents';
import { pushProperties, type PushOptions, type PushParameters } from './properties';
import { formatOfReplaced, pushRequests, pushResultFormat, type Entry } from './requests';
import { formatCount } from '../shared/service/strings';

const RESULT_FIELDS = ['pushed', 'skipped', 'checked', 'dryRun'];

/**
 * Pushes the documents from all input items or from their files (docs/service-interface.md, Push).
 *
 * @throws InputError if an option or the credential is invalid
 */
export async function pushDocuments(run: Run): Promise<void> {
	const parameters = new Parameters(run.context, pushProperties);
	const options = parameters.collection('options', PER_ITEM_OPTIONS);
	run.results.keptFields = keptFieldsOf(run, options, RESULT_FIELDS);
	const documentSource = parameters.get('documentSource', 0);
	const session = await Session.open(run, PUSH_SERVICE);
	const pushing = pushRequests(run, session, options);
	const unusedFields = new UnusedFields();

	const pushAll = async (source: Source<Entry>) => {
		for await (const results of bulk(source.entries, pushing)) {
			for (const result of results) {
				const { entries, outcome } = result;
				const resultFormat = pushResultFormat(options, result);
				await account(source.sink, entries, outcome, resultFormat);
				// A replaced document was not sent, so it shares the outcome of its replacement.
				const replaced = entries.flatMap(({ replaces = [] }) => replaces);
				if (replaced.length > 0)
					await account(source.sink, replaced, outcome, formatOfReplaced(resultFormat));
			}
		}
	};
	if (documentSource === 'file') {
		const readingOf = fileReading(run, parameters, options, unusedFields);
		await withFiles({ run, parameters, options }, readingOf, pushAll);
	} else {
		await withItems(
			run,
			itemReading(run, parameters, documentSource, options, unusedFields),
			pushAll,
		);
	}
	unusedFields.addTo(run);
	addHints(run, options);
}

function itemReading(
	run: Run,
	parameters: PushParameters,
	documentSource: string,
	options: PushOptions,
	unusedFields: UnusedFields,
): ItemReading<Entry> {
	const shared = {
		verb: 'push',
		emptyList: { pushed: false, reason: 'The list of documents is empty' },
		sink: new ItemSink(run, options, {
			...resultsOf(options),
			repeating: 'Pushing all of them again is safe',
		}),
	};
	if (documentSource === 'wholeItem') {
		const mappingOf = mappingReader(parameters);
		return {
			...shared,
			valuesOf: (itemIndex) => {
				const item = fieldsOfItem(run, itemIndex);
				unusedFields.searchIn(item, mappingOf(itemIndex));
				return [item];
			},
			entryOf: (item, origin) => {
				const itemIndex = itemOf(origin);
				const adviceFor: MissingAdvice = (missing) =>
					adviceForItem(run, itemIndex, missing);
				const document = documentFrom(item, mappingOf(itemIndex), options, adviceFor);
				return entryOf(document, origin);
			},
			idOf: (item, origin) => idIn(item, mappingOf(itemOf(origin)).id),
		};
	}
	const hasParameters = documentSource === 'fields' || documentSource === 'textFile';
	const mapping = { ...DEFAULT_MAPPING, hasParameters };
	const reading: Reading<Entry> = {
		entryOf: (value, origin) => entryOf(documentFrom(value, mapping, options), origin),
		idOf: (value) => idIn(value, mapping.id),
	};
	if (documentSource === 'textFile') {
		const files = new TextFiles(run, parameters, options.bytesPerRequest);
		return {
			...shared,
			...reading,
			valuesOf: async (itemIndex) => await documentsOfFile(files, parameters, itemIndex),
			resolve: async (entries, sink) => await files.withoutRepeatedNames(entries, sink),
		};
	}
	return {
		...shared,
		...reading,
		valuesOf: (itemIndex) => documentsOf(run, parameters, documentSource, itemIndex),
	};
}

const entryOf = (document: PushDocument, { items }: EntryOrigin): Entry => ({
	items,
	id: document.id,
	document,
});

/** A mapping that is the same for all items is read only once. */
function mappingReader(parameters: PushParameters): (itemIndex: number) => FieldMapping {
	const fields = ['idField', 'nameField', 'descriptionField', 'urlField'] as const;
	const isConstant = parameters.areConstant(...fields);
	let last: { itemIndex: number; mapping: FieldMapping } | undefined;
	return (itemIndex) => {
		if (!last || (!isConstant && last.itemIndex !== itemIndex))
			last = { itemIndex, mapping: readFieldMapping(parameters, itemIndex) };
		return last.mapping;
	};
}

const fileReading =
	(run: Run, parameters: PushParameters, options: PushOptions, unusedFields: UnusedFields) =>
	(file: RecordFile): FileReading<Entry> => {
		const mapping = readFieldMapping(parameters, file.itemIndex);
		const { isJson } = FORMATS[file.format];
		const remake = isJson
			? (value: unknown) => documentFrom(value, mapping, options)
			: undefined;
		return {
			requiredFields: requiredFields(mapping),
			entryOf: (value, { items, record }) => {
				unusedFields.searchIn(value, mapping);
				const document = documentFrom(value, mapping, options);
				const original = isJson && document === value ? record?.text : undefined;
				return { items, record, id: document.id, document, original, remake };
			},
			idOf: (value) => idIn(value, mapping.id),
			sink: new FileSink(run, file, options, resultsOf(options)),
		};
	};

const resultsOf = ({ dryRun }: PushOptions) => ({ done: 'pushed', ...(dryRun && DRY_RUN_RESULT) });

function addHints(run: Run, { dryRun }: PushOptions): void {
	const { stats, meter } = run;
	const done = dryRun
		? `Dry run: ${formatCount(stats.done, 'document')} in ${formatCount(stats.requests, 'request')}, ${formatCount(stats.bytes, 'byte')} in total. Nothing was sent.`
		: doneText(stats, meter, 'document', 'pushed');
	run.hint(done, 'info');
	run.hint(troubleText(stats));
}
