import type { IDataObject } from 'n8n-workflow';

import { fieldOf } from '../../shared/records/fields';
import {
	documentFieldsOf,
	idIn,
	neededFields as neededOfDocument,
	readDocumentFields,
	type DocumentFields,
} from '../../shared/n8n/sources/document-fields';
import { isRecord } from '../../shared/service/json';
import type { FileReading } from '../../shared/n8n/sources/source';
import type { SourceRecord } from '../../shared/records/record';
import type { ChunkSettings } from '../../shared/service/chunking/chunking';
import { documentId } from '../../shared/service/push/document-id';
import { InputError } from '../../shared/service/input-error';
import { quoted } from '../../shared/service/wording';
import type { Chunking } from '../submit/chunking';
import type { ChunkParameters } from '../parameters';
import { usableText, withFields, type SourceDocument, type TextEntry } from './text';

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
	{ parameters, options: all }: Pick<Chunking, 'parameters' | 'options'>,
	itemIndex: number,
	settings: ChunkSettings,
	withDocuments: boolean,
): Omit<FileReading<TextEntry>, 'sink'> {
	const fields = readFields(parameters, itemIndex, withDocuments);
	const group = JSON.stringify(settings);
	const withSource = parameters.isAdded('options', 'sourceFields') && all.sourceFields !== 'none';
	const { additionalTextFieldNames: names, bytesPerRequest: maxBytes } = all;
	const options = { fields, names, settings, maxBytes, withSource };
	let place = 0;
	return {
		needed: neededFields(fields),
		// The window admits each text by itself.
		sliceRecords: 1,
		entryOf: (_value, { items, record }) => {
			if (record === undefined) throw new Error('A text of a file has a record');
			return { ...fileText(record, group, options), items, place: place++ };
		},
		idOf: (value) => idIn(value, fields.document?.id ?? 'id'),
	};
}

interface TextOptions {
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
	{ fields, names, settings, maxBytes, withSource }: TextOptions,
): Omit<TextEntry, 'place' | 'items'> {
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
		text,
		...withFields(additional as IDataObject),
		settings,
		group,
		// Without its content, of which only what is needed is kept.
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
