/** Push Documents: adds documents to an index. Many documents share a request, and each has an ID and a name. */
import type { IDataObject } from 'n8n-workflow';

import { read } from './files';
import { bytesOf, fieldOf, isBlank, isRecord, textOf } from './model';
import type { Entry, Expected, Failure, Given, Item } from './model';
import { Sending, type Accepted } from './sending';
import { predictRun } from './sinks';

export interface PushGiven extends Given {
	source: 'wholeItem' | 'fields' | 'json' | 'file' | 'textFile';
	/** The names of the fields that contain the ID, name, description and URL. With `fields`, of mapped values. */
	fields: { id: string; name: string; description: string; url: string };
	/** With `fields`: the field that Document Text reads. */
	text: string;
	includeOtherFields: boolean;
	/** With `fields` and `textFile`. */
	additionalFields: Record<string, string>;
	excludeFields: string[];
	dropEmpty: boolean;
	documentsPerRequest: number;
	bytesPerRequest: number;
	/** How the service answers a push. */
	response: 'empty' | 'count' | 'perDocument' | 'text';
	/** Bytes above which the service answers with 413. */
	bodyLimit: number;
}

/** Returns what a run of Push Documents does. */
export function predictPush(given: PushGiven): Expected {
	const { documentsPerRequest: count, bytesPerRequest: bytes, fault, bodyLimit } = given;
	const known = new Set<string>();
	const answer = (batch: Entry[]): Accepted => {
		const results = batch.map(({ id = '' }) => ({
			id,
			status: known.has(id) ? 'updated' : 'created',
		}));
		for (const { id } of results) known.add(id);
		const whole = {
			empty: undefined,
			count: { received: batch.length },
			perDocument: { results },
			text: 'OK',
		};
		return {
			rejected: [],
			isComplaint: false,
			// Where the response has an entry for the document, the output shows only this entry.
			responseOf: (id) =>
				given.response === 'perDocument'
					? results.find((one) => one.id === id)
					: whole[given.response],
		};
	};
	const service = {
		fault,
		answer,
		bodyLimit,
		isHit: (batch: Entry[]) => bodyOf(batch).includes('hit'),
	};
	const sending = new Sending(given, { count, bytes }, service, {
		bodyOf: (batch) =>
			batch.length === 1 ? batch[0]?.payload : batch.map(({ payload }) => payload),
		contentOf: (batch) => batch.map(({ payload }) => payload),
	});
	const readItem = (item: Item, at: number) =>
		given.source === 'textFile' ? [textFile(given, item, at)] : entriesOf(given, item, at);
	return predictRun(given, {
		verb: 'pushed',
		isFile: given.source === 'file',
		readItem,
		sending,
	});
}

const bodyOf = (batch: Entry[]): string => JSON.stringify(batch.map(({ payload }) => payload));

/** Returns the documents of an item. */
function entriesOf(given: PushGiven, { json, file }: Item, item: number): Entry[] {
	const { source } = given;
	if (source === 'wholeItem')
		return [
			isEmpty(json) ? { item, fate: { is: 'blank' } } : documentOf(given, json, { item }),
		];
	if (source === 'fields') return [mapped(given, json, item)];
	if (source === 'json')
		return isEmpty(json)
			? [{ item, fate: { is: 'blank' } }]
			: listed(given, json.documents, item);
	if (file === undefined) return [failed({ item })];
	return read(file).records.map(({ source: text, value, is }, at) => {
		const entry = { item, record: at + 1, source: text };
		if (is === 'unreadable')
			return failed({
				...entry,
				isUnreadable: true,
				hasOnlyLine: file.format === 'jsonLines',
			});
		const made = documentOf(given, value, entry);
		return is === 'notJson' ? failed(entry, made.id) : made;
	});
}

/** An item whose values are all empty is a blank row of a spreadsheet. */
const isEmpty = (json: IDataObject): boolean => Object.values(json).every(isBlank);

const failed = (entry: Entry, id?: string): Entry => {
	const failure: Failure = { claim: 'invalid', ...(id !== undefined && { id }) };
	return { ...entry, fate: { is: 'failed', failure } };
};

/** Whole item, records of files, and JSON: the document contains all fields. */
function documentOf(given: PushGiven, value: unknown, entry: Entry): Entry {
	if (!isRecord(value)) return failed(entry);
	const fields =
		given.source === 'json'
			? { id: 'id', name: 'name', description: 'description', url: 'url' }
			: given.fields;
	const own = (name: 'description' | 'url') => {
		const found = fieldOf(value, fields[name]);
		return fields[name] === name || isBlank(found) ? {} : { [name]: found };
	};
	return checked(
		given,
		entry,
		fieldOf(value, fields.id),
		fieldOf(value, fields.name),
		{
			...value,
			...own('description'),
			...own('url'),
		},
		value,
	);
}

/** Mapped fields: the document contains the mapped values that are not empty. */
function mapped(given: PushGiven, json: IDataObject, item: number): Entry {
	const { fields, text, includeOtherFields, additionalFields } = given;
	const optional = { description: fields.description, url: fields.url, text };
	const values = Object.entries(optional)
		.map(([name, from]) => [name, from === '' ? undefined : fieldOf(json, from)] as const)
		.filter(([, value]) => !isBlank(value));
	const others = includeOtherFields ? json : {};
	const [id, name] = [fieldOf(json, fields.id), fieldOf(json, fields.name)];
	if (isEmpty(json) && Object.values(additionalFields).every(isBlank))
		return { item, fate: { is: 'blank' } };
	return checked(
		given,
		{ item },
		id,
		name,
		{ ...others, ...Object.fromEntries(values), ...additionalFields },
		json,
	);
}

/** JSON: one document, or a list. */
function listed(given: PushGiven, value: unknown, item: number): Entry[] {
	if (isBlank(value)) return [failed({ item })];
	let parsed = value;
	try {
		if (typeof value === 'string') parsed = JSON.parse(value);
	} catch {
		return [failed({ item })];
	}
	if (!Array.isArray(parsed)) return [documentOf(given, parsed, { item })];
	if (parsed.length === 0) return [{ item, fate: { is: 'emptyList' } }];
	return parsed.map((one) => documentOf(given, one, { item }));
}

/** Text file: the text is one document. Its file name is the ID. */
function textFile(given: PushGiven, { file }: Item, item: number): Entry {
	if (file === undefined) return failed({ item });
	const { name, text = '' } = file;
	if (text === '' || /^\s*<!doctype html/i.test(text) || text.includes('\0'))
		return failed({ item });
	const same = given.items.filter((one) => one.file?.name === name);
	if (same.length > 1) return failed({ item }, name);
	const made = checked(
		given,
		{ item },
		name,
		name.replace(/\.[^.]*$/, ''),
		{ ...given.additionalFields, text },
		{},
	);
	return bytesOf(made.payload) > given.bytesPerRequest ? failed({ item }) : made;
}

/** Checks ID and name. Afterward, fields are left out, so that the field that contains the ID can be left out too. */
function checked(
	given: PushGiven,
	entry: Entry,
	id: unknown,
	name: unknown,
	fields: object,
	source: IDataObject,
): Entry {
	// An item that an earlier node has returned as failed.
	const isFailedBefore = typeof source.error === 'string' && 'advice' in source && isBlank(name);
	const idText = textOf(id, true);
	const nameText = textOf(name, false);
	if (isFailedBefore) return failed(entry, idText.text);
	if (idText.is || nameText.is) return failed(entry, idText.text);
	const kept = Object.entries(fields).filter(
		([field, value]) =>
			!given.excludeFields.includes(field) && !(given.dropEmpty && isEmptyValue(value)),
	);
	const payload = { ...Object.fromEntries(kept), id: idText.text, name: nameText.text };
	return { ...entry, id: idText.text as string, payload };
}

const isEmptyValue = (value: unknown): boolean =>
	value === null ||
	value === undefined ||
	value === '' ||
	['[]', '{}'].includes(JSON.stringify(value));
