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
import { DRY_RUN_RESULT, FileSink, type FileToRead } from '../shared/output/file-sink';
import { ItemSink } from '../shared/output/item-sink';
import { account } from '../shared/output/sink';
import { PER_ITEM_OPTIONS } from '../shared/input/file-properties';
import { withFiles, type FileReading } from '../shared/input/file-source';
import {
	withItems,
	type ItemReading,
	type ItemValues,
	type Reading,
	type Source,
} from '../shared/input/source';
import { keptFieldsOf } from '../shared/input/source-fields';
import { TextFiles } from '../shared/input/text-files';
import { UnusedFields } from '../shared/input/unused-fields';
import { fieldsOfItem } from '../shared/input/item-fields';
import { FORMATS } from '../shared/formats/format';
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
		await withFiles({ run, parameters, options, readingOf, use: pushAll });
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
		const valuesOf = (itemIndex: number): ItemValues<Entry> => {
			const mapping = mappingOf(itemIndex);
			const item = fieldsOfItem(run, itemIndex);
			unusedFields.searchIn(item, mapping);
			const adviceFor: MissingAdvice = (missing) => adviceForItem(run, itemIndex, missing);
			return { values: [item], ...readingWith(mapping, options, adviceFor) };
		};
		return { ...shared, valuesOf };
	}
	const hasParameters = documentSource === 'fields' || documentSource === 'textFile';
	const reading = readingWith({ ...DEFAULT_MAPPING, hasParameters }, options);
	if (documentSource === 'textFile') {
		const files = new TextFiles(run, parameters, options.bytesPerRequest);
		return {
			...shared,
			valuesOf: async (itemIndex) => ({
				values: await documentsOfFile(files, parameters, itemIndex),
				...reading,
			}),
			resolve: async (entries, sink) => await files.withoutRepeatedNames(entries, sink),
		};
	}
	return {
		...shared,
		valuesOf: (itemIndex) => ({
			values: documentsOf(run, parameters, documentSource, itemIndex),
			...reading,
		}),
	};
}

const readingWith = (
	mapping: FieldMapping,
	options: PushOptions,
	adviceFor?: MissingAdvice,
): Reading<Entry> => ({
	entryOf: (value, { items }) => {
		const document = documentFrom(value, mapping, options, adviceFor);
		return { items, id: document.id, document };
	},
	idOf: (value) => idIn(value, mapping.id),
});

/** A mapping that is the same for all items is read only once. */
function mappingReader(parameters: PushParameters): (itemIndex: number) => FieldMapping {
	const fields = ['idField', 'nameField', 'descriptionField', 'urlField'] as const;
	if (!parameters.areConstant(...fields))
		return (itemIndex) => readFieldMapping(parameters, itemIndex);
	let mapping: FieldMapping | undefined;
	return (itemIndex) => (mapping ??= readFieldMapping(parameters, itemIndex));
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
				unusedFields.searchIn(value, mapping);
				const document = documentFrom(value, mapping, options);
				const original = isJson && document === value ? record?.text : undefined;
				return { items, record, id: document.id, document, original, remake };
			},
			idOf: (value) => idIn(value, mapping.id),
			sink: new FileSink(run, fileToRead, options, resultsOf(options)),
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
