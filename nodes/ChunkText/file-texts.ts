import type { IDataObject } from 'n8n-workflow';

import { fieldOf } from '../shared/n8n/fields';
import type { FileReport } from '../shared/n8n/file-report';
import { isRecord } from '../shared/n8n/parameter-reader';
import { checkFields } from '../shared/n8n/record-file';
import type { SourceRecord } from '../shared/records/record';
import type { ChunkSettings } from '../shared/service/chunking';
import { documentId } from '../shared/service/document-id';
import { InputError } from '../shared/service/input-error';
import { quoted } from '../shared/service/wording';
import type { TextFile } from './file-run';
import type { ChunkParameters } from './parameters';
import type { SourceDocument } from './source-documents';
import type { TextWindow } from './text-window';
import { usableText, type TextEntry, type TextRef } from './texts';

/** A text of a file, and the record it comes from. */
export interface FileText extends TextEntry {
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
	document: Record<'id' | 'name' | 'description' | 'url', string> | undefined;
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
	if (!withDocuments) return { text, document: undefined };
	return {
		text,
		document: {
			id: parameters.requiredText('idField', itemIndex),
			name: parameters.requiredText('nameField', itemIndex),
			description: parameters.text('descriptionField', itemIndex).trim(),
			url: parameters.text('urlField', itemIndex).trim(),
		},
	};
}

/**
 * The texts of a file, each as soon as the window, if there is one, has room for it. Records without a
 * usable text, or document if these are wanted, fail at once.
 */
export async function* fileTexts(
	{ chunking, file, itemIndex, settings }: TextFile,
	report: FileReport,
	withDocuments: boolean,
	window?: TextWindow,
): AsyncGenerator<FileText, void, undefined> {
	const { parameters, options: all } = chunking;
	const fields = readFields(parameters, itemIndex, withDocuments);
	const group = JSON.stringify(settings);
	const withSource = parameters.isAdded('options', 'sourceFields') && all.sourceFields !== 'none';
	const options = { itemIndex, fields, settings, maxBytes: all.bytesPerRequest, withSource };
	let place = 0;
	const check = (first: SourceRecord) => checkFields(file, first, neededFields(fields));
	const texts = report.read(
		check,
		(record) => ({ ...fileText(record, group, options), place: place++ }),
		(value) => idIn(value, fields),
	);
	for await (const text of texts) {
		// Nothing more is sent: the run has ended.
		if (window && !(await window.admit(text))) return report.skip([text.record]);
		yield text;
	}
}

interface TextOptions {
	itemIndex: number;
	fields: Fields;
	settings: ChunkSettings;
	/** Maximum of a request. */
	maxBytes: number;
	/** Whether fields of the records are kept in the output. */
	withSource: boolean;
}

function fileText(
	record: SourceRecord,
	group: string,
	{ itemIndex, fields, settings, maxBytes, withSource }: TextOptions,
): Omit<FileText, 'place'> {
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
	return {
		itemIndex,
		text,
		settings,
		group,
		record: { ...record, value: undefined },
		bytes,
		besides: Math.max(0, bytes - Buffer.byteLength(text)),
		...(withSource && { source: value as IDataObject }),
		...(document && { document }),
	};
}

function documentOf(
	record: Record<string, unknown>,
	{ id, name, description, url }: NonNullable<Fields['document']>,
): SourceDocument {
	const advice = "'Documents Ready to Push' needs it: correct the record, or the field's name.";
	const fields: IDataObject = {
		name: documentId(fieldOf(record, name), name, advice),
	};
	for (const [field, path] of [
		['description', description],
		['url', url],
	] as const) {
		const value = path === '' ? undefined : fieldOf(record, path);
		if (value !== '' && value !== undefined && value !== null) {
			fields[field] = value as IDataObject[string];
		}
	}
	return { id: documentId(fieldOf(record, id), id, advice), fields, previousChunkCount: 0 };
}

/** The fields that records must have, each with the parameter that names it; see `checkFields`. */
const neededFields = ({ text, document }: Fields): Array<[string, string]> => [
	[text, 'Text Field'],
	...(document
		? ([
				[document.id, 'ID Field'],
				[document.name, 'Name Field'],
			] satisfies Array<[string, string]>)
		: []),
];

/** The ID of a record, as far as it has one. */
function idIn(record: unknown, { document }: Fields): string | undefined {
	const value = isRecord(record) ? fieldOf(record, document?.id ?? 'id') : undefined;
	return typeof value === 'string' && value !== '' ? value : undefined;
}
