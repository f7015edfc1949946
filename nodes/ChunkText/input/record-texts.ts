import type { IDataObject } from 'n8n-workflow';

import { inexactNumberIn } from '../../shared/formats/exact-numbers';
import { fieldOf, withoutField } from '../../shared/formats/fields';
import type { FileFindings } from '../../shared/output/file-findings';
import { FORMATS } from '../../shared/formats/format';
import { detach } from '../../shared/formats/record';
import type { RecordFile } from '../../shared/output/record-file';
import {
	idIn,
	requiredFields,
	optionalFieldsOf,
	readItemMapping,
	readIdAndName,
	type FieldMapping,
} from '../../shared/input/field-mapping';
import type { FileReading } from '../../shared/input/file-source';
import type { UnusedFields } from '../../shared/input/unused-fields';
import { InputError } from '../../shared/service/input-error';
import { isObject } from '../../shared/service/json';
import { quoted } from '../../shared/service/strings';
import type { ChunkParameters, ChunkTask } from '../parameters';
import { readSettings } from './settings';
import { usableText, type SourceDocument, type TextEntry } from './text-entry';

/**
 * Describes how a file's records become texts. A record without a valid text fails. If the node returns documents, a
 * record without a valid document ID or name fails too.
 *
 * @param unusedFields tracks which optional fields occur in records, so that missing fields can be reported. All files
 *   in a run share this object
 * @throws InputError if a parameter is invalid
 */
export function recordTexts(
	task: ChunkTask,
	{ format, findings, itemIndex }: RecordFile,
	unusedFields: UnusedFields,
): Omit<FileReading<TextEntry>, 'sink'> {
	const { parameters, options, mode } = task;
	const textField = parameters.requiredText('textField', itemIndex);
	const mapping = mode === 'chunks' ? undefined : documentMapping(parameters, itemIndex);
	const settings = readSettings(parameters, itemIndex);
	const { keepSourceFields = 'none' } = options;
	return {
		requiredFields: [[textField, 'Text Field'], ...(mapping ? requiredFields(mapping) : [])],
		entryOf: (value, { items, record }) => {
			if (!isObject(value))
				throw new InputError('The record is not a JSON object', NOT_AN_OBJECT_ADVICE);
			if (mapping) unusedFields.searchIn(value, mapping);
			const text = usableText(
				fieldOf(value, textField),
				`The field ${quoted(textField)}`,
				task,
				NO_TEXT_ADVICE,
			);
			const sourceDocument = mapping && documentOf(value, mapping);
			const { text: json = '', line = 0 } = record ?? {};
			if (keepSourceFields !== 'none' && FORMATS[format].isJson)
				noteInexactNumber(findings, json, line);
			return {
				items,
				...text,
				id: sourceDocument?.id,
				document: sourceDocument,
				...settings,
				// The entry already contains everything that is needed from the value. The value is removed to
				// save memory.
				record: record && { ...record, value: undefined },
				source: sourceOf(value as IDataObject, textField, keepSourceFields),
			};
		},
		idOf: (value) => idIn(value, mapping?.id ?? 'id'),
	};
}

/**
 * If the user keeps all fields, the text field is left out, because a chunk that contained the whole text would match
 * every search that matches the document.
 */
function sourceOf(
	record: IDataObject,
	textField: string,
	keepSourceFields: 'all' | 'listed' | 'none',
): IDataObject | undefined {
	if (keepSourceFields === 'none') return undefined;
	return keepSourceFields === 'all' ? withoutField(record, textField) : record;
}

const documentMapping = (parameters: ChunkParameters, itemIndex: number): FieldMapping => ({
	...readItemMapping(parameters, itemIndex),
	description: parameters.get('options.descriptionField', itemIndex).trim(),
	url: parameters.get('options.urlField', itemIndex).trim(),
});

/**
 * Record fields that are copied to the chunks are parsed and written again, so they can lose digits.
 *
 * @throws InputError if a number is so large that it would become null
 */
function noteInexactNumber(findings: FileFindings, json: string, line: number): void {
	const number = inexactNumberIn(json);
	if (number === undefined) return;
	if (Number.isFinite(Number(number))) return findings.add('inexactNumber', line, number);
	throw new InputError(
		`The record has the number ${number}, which is too large`,
		"Correct the record, or set 'Keep Source Fields' to 'None'.",
	);
}

const NOT_AN_OBJECT_ADVICE = 'Each record must be an object that contains a text.';
const NO_TEXT_ADVICE = "Correct the record, or enter another field as 'Text Field'.";

function documentOf(record: object, mapping: FieldMapping): SourceDocument {
	const { id, name } = readIdAndName(record, mapping);
	const others = optionalFieldsOf(record, mapping) as IDataObject;
	// Output items contain these values. If they were parts of the file's text, the items would keep the text in memory.
	const fields = Object.entries({ name, ...others }).map(
		([field, value]) => [field, typeof value === 'string' ? detach(value) : value] as const,
	);
	return { id: detach(id), fields: Object.fromEntries(fields), previousChunkCount: 0 };
}
