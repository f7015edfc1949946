import { pathSegment } from '../url';
import { inexact } from './document-id';
import { InputError } from '../input-error';
import { isObject } from '../json';
import { unpackVector } from '../chunking/vector';
import { quoted } from '../wording';

export * from './document-id';
export * from './push-response';

/** A document as the service takes it (docs/service-interface.md, Push documents). */
export interface PushDocument {
	id: string;
	name: string;
	[field: string]: unknown;
}

/**
 * Path of a push (docs/service-interface.md, Push documents).
 *
 * @param endpoint identifier of the data source, raw
 * @throws InputError for an identifier that is empty, `.` or `..`, or no valid Unicode
 */
export function pushPath(endpoint: string): string {
	return `/api/v1/push/${pathSegment(endpoint, 'Endpoint Identifier')}`;
}

/**
 * Path of a delete (docs/service-interface.md, Delete), the ID as one segment.
 *
 * @param endpoint identifier of the data source, raw
 * @param id ID of the document, raw
 * @throws InputError for one of the two that is empty, `.` or `..`, or no valid Unicode
 */
export function deletePath(endpoint: string, id: string): string {
	return `${pushPath(endpoint)}/${pathSegment(id, 'Document ID')}`;
}

/** What is done to a document before it is checked. */
export interface DocumentRules {
	/** What to do with an id or name that is a whole number; any other that is not a string fails. */
	nonStrings: 'fail' | 'convert';
	/** Top-level fields to omit. */
	excludeFields: string[];
	/** Omit top-level fields that are null, '' or an empty list or object. */
	dropEmpty: boolean;
	/** What the ID and the name are called in messages; fields of the document unless given. */
	called?: Readonly<Record<RequiredField, string>>;
}

type RequiredField = 'id' | 'name';

/** What to do about a missing ID or name; asked only then, since there may be hundreds of thousands of documents. */
export type MissingAdvice = (fields: readonly RequiredField[]) => string;

/**
 * Checks a document and applies the rules, never changing what came in (docs/service-interface.md,
 * Push documents: id and name are required and must be strings).
 *
 * @param source the document as the user gave it
 * @param adviceFor unless what the rules call the fields says enough
 * @returns the document, which is the source itself where nothing had to be changed
 * @throws InputError naming the field and, where it is known, the document
 */
export function prepareDocument(
	source: unknown,
	rules: DocumentRules,
	adviceFor?: MissingAdvice,
): PushDocument {
	if (!isObject(source)) {
		throw new InputError(
			'The document is not a JSON object',
			'Enter one object, or a list of objects, each with an id and a name.',
		);
	}
	const dropped = rules.excludeFields.filter((name) => Object.hasOwn(source, name));
	if (rules.dropEmpty)
		dropped.push(...Object.keys(source).filter((name) => isEmpty(source[name])));
	// An unchanged document is not copied: there may be hundreds of thousands, or one with many fields.
	const fields = dropped.length > 0 ? { ...source } : source;
	for (const name of dropped) delete fields[name];
	const id = requiredString(fields, 'id', rules, adviceFor);
	const name = requiredString(fields, 'name', rules, adviceFor, id);
	return fields.id === id && fields.name === name
		? (fields as PushDocument)
		: { ...fields, id, name };
}

function requiredString(
	fields: Record<string, unknown>,
	field: RequiredField,
	rules: DocumentRules,
	adviceFor?: MissingAdvice,
	id?: string,
): string {
	const value = fields[field];
	const isAbsent = isMissing(field, value);
	if (typeof value === 'string' && !isAbsent) return value;
	const called = calledBy(rules, field);
	const of = id === undefined ? '' : ` of document ${quoted(id)}`;
	if (isAbsent) {
		const isBoth = field === 'id' && isMissing('name', fields.name);
		throw missing(isBoth ? ['id', 'name'] : [field], of, rules, adviceFor);
	}
	const isConvertible = Number.isSafeInteger(value);
	if (isConvertible && rules.nonStrings === 'convert') return String(value);
	if (typeof value === 'number' && !isConvertible) throw inexact(value, `${called}${of}`);
	throw new InputError(
		`${called}${of} must be a string, but it is ${describe(value)}`,
		isConvertible
			? "Turn on the option 'Convert ID and Name to String', or convert it before this node."
			: 'Choose a field with text for it.',
	);
}

function isMissing(field: RequiredField, value: unknown): boolean {
	if (value === undefined || value === null || value === '') return true;
	// The service might treat all blank IDs as the same ID.
	return field === 'id' && typeof value === 'string' && value.trim() === '';
}

const calledBy = ({ called }: DocumentRules, field: RequiredField): string =>
	called?.[field] ?? `The field '${field}'`;

/** @param of which document, if that is known */
function missing(
	fields: readonly RequiredField[],
	of: string,
	rules: DocumentRules,
	adviceFor?: MissingAdvice,
): InputError {
	const [one = '', other] = fields.map((field) => calledBy(rules, field));
	const are = other ? `${one} and ${other.replace(/^The/, 'the')} are` : `${one}${of} is`;
	const message = `${are} missing or empty`;
	if (adviceFor) return new InputError(message, adviceFor(fields));
	const names = fields.map(quoted).join(' and ');
	return new InputError(
		message,
		rules.called
			? 'Every document needs an ID and a name: fill in what is missing, or choose the field that has it.'
			: `Every document needs an ID and a name. Chunk Text returns both with its output 'Documents Ready to Push'; for other items, map ${names} in the node or add what is missing to the item.`,
	);
}

function describe(value: unknown): string {
	if (Array.isArray(value)) return 'a list';
	return typeof value === 'object' ? 'an object' : `the ${typeof value} ${String(value)}`;
}

function isEmpty(value: unknown): boolean {
	if (value === null || value === undefined || value === '') return true;
	if (Array.isArray(value)) return value.length === 0;
	return isPlain(value) && Object.keys(value).length === 0;
}

/** Whether a value is an object as JSON has them, of whatever realm: a Date, say, is none. */
function isPlain(value: unknown): value is object {
	if (typeof value !== 'object' || value === null) return false;
	const prototype: unknown = Object.getPrototypeOf(value);
	return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** Fields that every document should have (docs/service-interface.md, Push documents). */
export const RECOMMENDED_FIELDS = ['description', 'url'] as const;

/** Whether a document does not have a field, or has an empty one. */
export const lacks = (document: PushDocument, field: string): boolean => isEmpty(document[field]);

/**
 * JSON of a document, for the body of a push.
 *
 * @throws InputError for a document that cannot be written as JSON, such as one that contains itself
 */
export function documentText(document: PushDocument): string {
	let text: string | undefined;
	let reason = 'its toJSON method returns something else';
	try {
		text = JSON.stringify(withVectors(document));
	} catch (error) {
		// The message about a circular structure has several lines.
		[reason = ''] = (error instanceof Error ? error.message : String(error)).split('\n');
	}
	// A toJSON method may return something else than an object.
	if (text?.startsWith('{')) return text;
	throw new InputError(
		`the document cannot be written as JSON (${reason})`,
		'Build it from texts, numbers, booleans, lists and objects before this node.',
	);
}

/** Shorter texts that look like a packed vector, such as `u8:main`, are taken for the user's own. */
const MIN_VECTOR_CHARACTERS = 64;

/** The vector that a field of a document has as packed text; undefined if it has none. */
function vectorIn(field: string, value: unknown): number[] | undefined {
	if (typeof value !== 'string' || field === 'id' || field === 'name') return undefined;
	const mayBeVector = field === 'vector' || value.length >= MIN_VECTOR_CHARACTERS;
	return mayBeVector ? unpackVector(value) : undefined;
}

/** Whether no field of a document is a packed vector, so that its JSON can be sent as it is. */
export function isVectorFree(document: PushDocument): boolean {
	for (const field in document) {
		if (vectorIn(field, document[field]) !== undefined) return false;
	}
	return true;
}

/** A document whose packed vectors are lists of numbers, as search indexes want them. */
function withVectors(document: PushDocument): PushDocument {
	let unpacked: PushDocument | undefined;
	for (const field in document) {
		const vector = vectorIn(field, document[field]);
		if (vector === undefined) continue;
		unpacked ??= { ...document };
		unpacked[field] = vector;
	}
	return unpacked ?? document;
}

/**
 * Body of a push: one document as an object, several as a list.
 *
 * @param documents their JSON, and its bytes
 * @param bytes of the body
 */
export function pushBody(
	documents: ReadonlyArray<{ text: string; bytes: number }>,
	bytes: number,
): Uint8Array {
	const body = Buffer.allocUnsafe(bytes);
	// Written piece by piece: the body as one text, made of others, would be in memory three times.
	let at = documents.length === 1 ? 0 : body.write('[');
	for (const [index, document] of documents.entries()) {
		if (index > 0) at += body.write(',', at);
		// A text with one byte for each character is ASCII, which this writes fastest.
		const isAscii = document.text.length === document.bytes;
		at += body.write(document.text, at, isAscii ? 'latin1' : 'utf8');
	}
	if (documents.length !== 1) body.write(']', at);
	return body;
}

/** Bytes that a push of several documents needs beside them: the brackets, and commas in between. */
export const PUSH_BODY_BYTES = { envelopeBytes: 2, separatorBytes: 1 };
