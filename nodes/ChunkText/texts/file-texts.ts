import type { IDataObject } from 'n8n-workflow';

import { fieldOf } from '../../shared/n8n/run/fields';
import {
	documentFieldsOf,
	neededFields as neededOfDocument,
	readDocumentFields,
	type DocumentFields,
} from '../../shared/n8n/sources/document-fields';
import type { FileSink } from '../../shared/n8n/sinks/file-sink';
import { isRecord } from '../../shared/service/json';
import type { Placed } from '../../shared/n8n/sinks/sink';
import type { FileReading } from '../../shared/n8n/sources/source';
import type { SourceRecord } from '../../shared/records/record';
import type { ChunkSettings } from '../../shared/service/chunking/chunking';
import { documentId } from '../../shared/service/push/document-id';
import { InputError } from '../../shared/service/input-error';
import { quoted } from '../../shared/service/wording';
import type { Chunking } from '../submit/chunking';
import type { ChunkParameters } from '../parameters';
import type { SourceDocument } from './source-documents';
import type { TextWindow } from './text-window';
import { usableText, withFields, type TextEntry, type TextRef } from './text';

/** A text of a file, and the record it comes from. */
export interface FileText extends TextEntry, Placed {
	/** Without its content, of which only what is needed is kept. */
	record: SourceRecord;
	/** Of the whole record, in UTF-8. */
	bytes: number;
	place: number;
}

/** Whether a text comes from a file. */
export const isFileText = (ref: TextRef): ref is FileText => 'record' in ref;

/** Where the fields are in a record: names or dotted paths. */
interface Fields {
	text: string;
	/** Of the document; undefined if none is wanted. */
	document: DocumentFields | undefined;
}

/**
 * Reads which fields of a record have the text and the document.
 *
 * @throws InputError for a field that is not named
 */
function readFields(
	parameters: ChunkParameters,
	itemIndex: number,
	withDocuments: boolean,
): Fields {
	const text = parameters.requiredText('textField', itemIndex);
	return {
		text,
		document: withDocuments ? readDocumentFields(parameters, itemIndex) : undefined,
	};
}

/** How the texts of a file are read. Records without a usable text, or document if these are wanted, fail. */
export function textReading(
	{ parameters, options: all }: Chunking,
	itemIndex: number,
	settings: ChunkSettings,
	withDocuments: boolean,
): Omit<FileReading<FileText>, 'sink'> {
	const fields = readFields(parameters, itemIndex, withDocuments);
	const group = JSON.stringify(settings);
	const withSource = parameters.isAdded('options', 'sourceFields') && all.sourceFields !== 'none';
	const { additionalTextFieldNames: names, bytesPerRequest: maxBytes } = all;
	const options = { itemIndex, fields, names, settings, maxBytes, withSource };
	let place = 0;
	return {
		needed: neededFields(fields),
		// The window admits each text by itself.
		sliceRecords: 1,
		entryOf: (_value, { items, record }) => {
			if (record === undefined) throw new Error('A text of a file has a record');
			return { ...fileText(record, group, options), items, place: place++ };
		},
		idOf: (value) => idIn(value, fields),
	};
}

/** The texts of a file one by one, each as soon as the window has room for it. */
export async function* admitted(
	slices: AsyncIterable<FileText[]>,
	sink: FileSink,
	window: TextWindow,
): AsyncGenerator<FileText, void, undefined> {
	for await (const slice of slices) {
		for (const [at, text] of slice.entries()) {
			// Nothing more is sent: the run has ended.
			if (!(await window.admit(text))) {
				await sink.skipped(slice.slice(at));
				break;
			}
			yield text;
		}
	}
}

interface TextOptions {
	itemIndex: number;
	fields: Fields;
	/** Fields that are sent beside the text. */
	names: string[];
	settings: ChunkSettings;
	/** Maximum of a request. */
	maxBytes: number;
	/** Whether fields of the records are kept in the output. */
	withSource: boolean;
}

function fileText(
	record: SourceRecord,
	group: string,
	{ itemIndex, fields, names, settings, maxBytes, withSource }: TextOptions,
): Omit<FileText, 'place' | 'items'> {
	const { value } = record;
	if (!isRecord(value) || Array.isArray(value)) {
		throw new InputError('The record is not a JSON object', 'Each record must be an object.');
	}
	const text = usableText(
		fieldOf(value, fields.text),
		`The field ${quoted(fields.text)}`,
		maxBytes,
	);
	const document = fields.document && documentOf(value, fields.document);
	const bytes = Buffer.byteLength(record.text);
	const additional = Object.fromEntries(
		names
			.map((name) => [name, fieldOf(value, name)] as const)
			.filter(([, field]) => field !== undefined),
	);
	return {
		itemIndex,
		text,
		...withFields(additional as IDataObject),
		settings,
		group,
		record: { ...record, value: undefined },
		bytes,
		besides: Math.max(0, bytes - Buffer.byteLength(text)),
		...(withSource && { source: value as IDataObject }),
		...(document && { document }),
	};
}

function documentOf(record: Record<string, unknown>, fields: DocumentFields): SourceDocument {
	const advice = "'Documents Ready to Push' needs it: correct the record, or the field's name.";
	const { id, name, ...others } = documentFieldsOf(record, fields);
	return {
		id: documentId(id, fields.id, advice),
		fields: { name: documentId(name, fields.name, advice), ...(others as IDataObject) },
		previousChunkCount: 0,
	};
}

/** The fields that records must have, each with the parameter that names it; see `checkFields`. */
const neededFields = ({ text, document }: Fields): Array<[string, string]> => [
	[text, 'Text Field'],
	...(document ? neededOfDocument(document) : []),
];

/** The ID of a record, as far as it has one. */
function idIn(record: unknown, { document }: Fields): string | undefined {
	const value = isRecord(record) ? fieldOf(record, document?.id ?? 'id') : undefined;
	return typeof value === 'string' && value !== '' ? value : undefined;
}
