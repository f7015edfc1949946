import type { IDataObject } from 'n8n-workflow';

import { fieldOf } from '../../shared/records/fields';
import {
	idIn,
	neededFields,
	optionalFieldsOf,
	readItemFields,
	requiredFieldsOf,
	type DocumentFields,
} from '../../shared/n8n/sources/document-fields';
import type { FileReading } from '../../shared/n8n/sources/file-source';
import { InputError } from '../../shared/service/input-error';
import { isObject } from '../../shared/service/json';
import { quoted } from '../../shared/service/wording';
import type { ChunkParameters } from '../parameters';
import { readSettings } from './settings';
import { usableText, type ChunkTask, type SourceDocument, type TextEntry } from './text';

/**
 * Reads how the records of a file are read. Those without a usable text, or document if these are
 * wanted, fail.
 *
 * @param itemIndex number of the item that has the file
 * @throws InputError for a parameter that cannot be used
 */
export function recordTexts(
	{ parameters, options, mode }: ChunkTask,
	itemIndex: number,
): Omit<FileReading<TextEntry>, 'sink'> {
	const textField = parameters.requiredText('textField', itemIndex);
	const document = mode === 'chunks' ? undefined : documentFields(parameters, itemIndex);
	const grouped = readSettings(parameters, itemIndex);
	const { bytesPerRequest: maxBytes, keepSourceFields = 'none' } = options;
	return {
		needed: [[textField, 'Text Field'], ...(document ? neededFields(document) : [])],
		entryOf: (value, { items, record }) => {
			if (!isObject(value))
				throw new InputError('The record is not a JSON object', NOT_AN_OBJECT);
			const text = fieldOf(value, textField);
			return {
				items,
				text: usableText(text, `The field ${quoted(textField)}`, maxBytes, NO_TEXT),
				document: document && documentOf(value, document),
				...grouped,
				// Without its content, of which only what is needed is kept.
				record: record && { ...record, value: undefined },
				source: keepSourceFields !== 'none' ? (value as IDataObject) : undefined,
			};
		},
		idOf: (value) => idIn(value, document?.id ?? 'id'),
	};
}

/** Where the document of a record is in it. */
const documentFields = (parameters: ChunkParameters, itemIndex: number): DocumentFields => ({
	...readItemFields(parameters, itemIndex),
	description: parameters.get('options.descriptionField', itemIndex).trim(),
	url: parameters.get('options.urlField', itemIndex).trim(),
});

const NOT_AN_OBJECT = 'Each record must be an object that has a text.';
const NO_TEXT = "Correct the record, or enter another field as 'Text Field'.";

function documentOf(record: object, fields: DocumentFields): SourceDocument {
	const { id, name } = requiredFieldsOf(record, { fields });
	const others = optionalFieldsOf(record, fields) as IDataObject;
	return { id, fields: { name, ...others }, previousChunkCount: 0 };
}
