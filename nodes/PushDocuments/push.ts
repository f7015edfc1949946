import { bulk } from '../shared/flow/bulk';
import {
	idIn,
	neededFields,
	readDocumentFields,
	type MissingAdvice,
} from '../shared/n8n/sources/document-fields';
import { doneText, troubleText } from '../shared/n8n/run/hints';
import { Parameters } from '../shared/n8n/parameters/parameters';
import { Session } from '../shared/n8n/session/session';
import type { Run } from '../shared/n8n/run/run';
import { FileSink, type FileToRead } from '../shared/n8n/sinks/file-sink';
import { ItemSink } from '../shared/n8n/sinks/item-sink';
import { account, itemOf } from '../shared/n8n/sinks/sink';
import { PER_ITEM_OPTIONS } from '../shared/n8n/sources/file-properties';
import { withFiles, type FileReading } from '../shared/n8n/sources/file-source';
import { withItems, type ItemReading, type Source } from '../shared/n8n/sources/source';
import { TextFiles } from '../shared/n8n/sources/text-files';
import { UnusedFields } from '../shared/n8n/sources/unused-fields';
import { fieldsOfItem } from '../shared/n8n/sources/files';
import { FORMATS } from '../shared/records/format';
import { detached } from '../shared/records/record';
import { PUSH_SERVICE } from '../shared/service/service-definitions';
import {
	adviceForItem,
	documentFrom,
	documentsOf,
	documentsOfFile,
	DEFAULT_FIELDS,
	type DocumentForm,
} from './documents';
import { pushProperties, type PushOptions, type PushParameters } from './properties';
import {
	MAX_IDS,
	noteSent,
	pushRequests,
	pushResultFormat,
	replacedResultFormat,
	type Entry,
	type Sent,
} from './requests';
import { CHECKED } from '../shared/n8n/sinks/dry-run';
import { count } from '../shared/service/numbers';

/**
 * Pushes the documents of all input items or of their files (docs/service-interface.md, Push).
 *
 * @throws InputError for unusable options or an unusable credential
 */
export async function pushDocuments(run: Run): Promise<void> {
	const parameters = new Parameters(run.context, pushProperties);
	const options = parameters.collection('options', PER_ITEM_OPTIONS);
	const session = await Session.open(run, PUSH_SERVICE);
	const sent: Sent = { skipped: 0, ids: new Set(), repeated: 0 };
	const pushing = pushRequests(run, session, options);
	const unused = new UnusedFields();

	const push = async ({ entries, sink }: Source<Entry>) => {
		for await (const answers of bulk(entries, pushing)) {
			for (const answer of answers) {
				const { entries: answered, outcome } = answer;
				if (answer.request > 0) noteSent(sent, answered);
				const resultFormat = pushResultFormat(options, answer);
				await account(sink, answered, outcome, resultFormat);
				// Earlier documents with the same IDs were not sent: they share the outcome.
				const replaced = answered.flatMap(({ replaces = [] }) => replaces);
				if (replaced.length === 0) continue;
				if (outcome.ok) sent.skipped += replaced.length;
				await account(sink, replaced, outcome, replacedResultFormat(resultFormat));
			}
		}
	};
	if (parameters.get('documentSource', 0) === 'file') {
		const readingOf = fileReading(run, parameters, options, unused);
		await withFiles({ run, parameters, options, readingOf, use: push });
	} else {
		await withItems(run, itemReading(run, parameters, options, unused), push);
	}
	addHints(run, options, sent);
	unused.addTo(run);
}

/** Documents that are items or part of items. */
function itemReading(
	run: Run,
	parameters: PushParameters,
	options: PushOptions,
	unused: UnusedFields,
): ItemReading<Entry> {
	const from = parameters.get('documentSource', 0);
	const isWholeItem = from === 'wholeItem';
	const isSame =
		isWholeItem &&
		parameters.areConstant('idField', 'nameField', 'descriptionField', 'urlField');
	const isMapped = from === 'fields' || from === 'textFile';
	let form: DocumentForm = { fields: DEFAULT_FIELDS, isMapped, options };
	const files =
		from === 'textFile' ? new TextFiles(run, parameters, options.bytesPerRequest) : undefined;
	return {
		valuesOf: (itemIndex) => {
			if (files) return documentsOfFile(files, parameters, itemIndex);
			if (!isWholeItem) return documentsOf(run, parameters, from, itemIndex);
			if (form.fields === DEFAULT_FIELDS || !isSame)
				form = { fields: readDocumentFields(parameters, itemIndex), options };
			const item = fieldsOfItem(run, itemIndex);
			unused.note(item, form.fields);
			return [item];
		},
		entryOf: (value, place) => {
			const adviceFor: MissingAdvice = (missing) =>
				adviceForItem(run, itemOf(place), missing);
			const document = documentFrom(value, form, isWholeItem ? adviceFor : undefined);
			return { items: place.items, id: document.id, document };
		},
		idOf: (value) => idIn(value, form.fields.id),
		...(files && {
			resolve: async (entries, sink) => await files.distinct(entries, sink),
		}),
		verb: 'push',
		emptyList: { pushed: false, reason: 'The list of documents is empty' },
		sink: new ItemSink(run, options, {
			...resultsOf(options),
			repeating: 'Pushing all of them again is safe',
		}),
	};
}

/** Documents that are records of files. */
const fileReading =
	(run: Run, parameters: PushParameters, options: PushOptions, unused: UnusedFields) =>
	(origin: FileToRead): FileReading<Entry> => {
		const form = { fields: readDocumentFields(parameters, origin.itemIndex), options };
		const { isJson } = FORMATS[origin.file.format];
		const remake = isJson ? (value: unknown) => documentFrom(value, form) : undefined;
		return {
			needed: neededFields(form.fields),
			entryOf: (value, { items, record }) => {
				unused.note(value, form.fields);
				const document = documentFrom(value, form);
				const original = isJson && document === value ? record?.text : undefined;
				// IDs are remembered, and a cell of a CSV file would keep the text that it is part of.
				const id = isJson ? document.id : detached(document.id);
				return { items, record, id, document, original, remake };
			},
			idOf: (value) => idIn(value, form.fields.id),
			sink: new FileSink(run, origin, options, resultsOf(options)),
		};
	};

const resultsOf = ({ dryRun }: PushOptions) => ({ done: 'pushed', ...(dryRun && CHECKED) });

function addHints(run: Run, { dryRun }: PushOptions, sent: Sent): void {
	const { stats, meter } = run;
	const done = dryRun
		? `Dry run: ${count(stats.done, 'document')} in ${count(stats.requests, 'request')}, ${count(stats.bytes, 'byte')} in total. Nothing was sent.`
		: doneText(stats, meter, 'document', 'pushed');
	const others: string[] = [];
	if (sent.skipped > 0)
		others.push(
			`${count(sent.skipped, 'document')} skipped because a later one has the same ID`,
		);
	if (sent.repeated > 0) {
		const least = sent.ids.size < MAX_IDS ? '' : 'at least ';
		others.push(
			`${least}${count(sent.repeated, 'document')} with the same ID as an earlier one`,
		);
	}
	const trouble = troubleText(stats, others);
	run.hint(done, 'info');
	run.hint(trouble);
}
