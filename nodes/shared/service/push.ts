import { pathSegment } from './address';
import { InputError } from './input-error';

/** A document as endpoint 3 takes it (spec, Push document). */
export interface PushDocument {
	id: string;
	name: string;
	[field: string]: unknown;
}

/** Path of endpoint 3. */
export function pushPath(endpoint: string): string {
	return `/api/v1/push/${pathSegment(endpoint, 'Endpoint Identifier')}`;
}

/**
 * Path of endpoint 4, the id as one segment.
 *
 * @throws InputError for an id that is empty, `.` or `..`
 */
export function deletePath(endpoint: string, id: string): string {
	return `${pushPath(endpoint)}/${pathSegment(id, 'Document ID')}`;
}

export interface DocumentRules {
	/** What to do with an id or name that is no JSON string. */
	nonStrings: 'fail' | 'convert';
	/** Fields to leave out. */
	excludeFields: string[];
	/** Leave out fields that are null, '' or an empty list or object. */
	dropEmpty: boolean;
}

/**
 * Checks a document and applies the rules, never changing what came in (spec, Push document: id and name are required
 * and must be JSON strings).
 *
 * @throws InputError naming the field and, where it is known, the document
 */
export function prepareDocument(source: unknown, rules: DocumentRules): PushDocument {
	if (typeof source !== 'object' || source === null || Array.isArray(source)) {
		throw new InputError(
			'The document is not a JSON object',
			'Give one object, or a list of objects, each with an id and a name.',
		);
	}
	const changes = rules.dropEmpty || rules.excludeFields.length > 0;
	// A document that stays as it is is not copied: there may be hundreds of thousands.
	const fields = changes ? { ...source } : (source as Record<string, unknown>);
	for (const name of rules.excludeFields) delete fields[name];
	if (rules.dropEmpty) {
		for (const [name, value] of Object.entries(fields)) if (isEmpty(value)) delete fields[name];
	}
	const id = requiredString(fields, 'id', rules, '');
	const name = requiredString(fields, 'name', rules, ` of document "${id}"`);
	return fields.id === id && fields.name === name
		? (fields as PushDocument)
		: { ...fields, id, name };
}

function requiredString(
	fields: Record<string, unknown>,
	field: 'id' | 'name',
	rules: DocumentRules,
	of: string,
): string {
	const value = fields[field];
	if (typeof value === 'string' && value !== '') return value;
	if (value === undefined || value === null || value === '') {
		throw new InputError(
			`The field '${field}'${of} is missing or empty`,
			`Every document needs an id and a name. Map '${field}' in the node or add it to the item.`,
		);
	}
	if (rules.nonStrings === 'convert' && typeof value !== 'object') return String(value);
	throw new InputError(
		`The field '${field}'${of} must be a string, but it is ${describe(value)}`,
		typeof value === 'object'
			? `Map '${field}' to a text.`
			: "Turn on the option 'Convert ID and Name to String', or convert it before this node.",
	);
}

function describe(value: unknown): string {
	if (Array.isArray(value)) return 'a list';
	return typeof value === 'object' ? 'an object' : `the ${typeof value} ${String(value)}`;
}

function isEmpty(value: unknown): boolean {
	if (value === null || value === undefined || value === '') return true;
	return typeof value === 'object' && Object.keys(value).length === 0;
}

/** Recommended fields that are missing (spec, Push document). */
export function missingRecommended(document: PushDocument): string[] {
	return ['description', 'url'].filter((field) => isEmpty(document[field]));
}

/** Body of endpoint 3: one document as an object, several as an array. */
export function pushBody(documents: string[]): string {
	return documents.length === 1 ? (documents[0] ?? '') : `[${documents.join(',')}]`;
}

/** Size of a body whose documents have these sizes. */
export function pushBodyBytes(sizes: number[]): number {
	const documents = sizes.reduce((sum, bytes) => sum + bytes, 0);
	// Two brackets, and a comma after each document but the last.
	return sizes.length === 1 ? documents : documents + sizes.length + 1;
}

/** Most bytes of a body beside its documents: the brackets, and a comma for each document. */
export const PUSH_BODY_BYTES = { envelope: 2, separator: 1 };

/** What a reply says about one document. */
export interface DocumentAnswer {
	reply: unknown;
	/** The service says that this document was not taken. */
	failure?: string;
}

/**
 * Matches a push reply to the documents of its request. Reply bodies are not specified: only a list
 * whose members name the pushed ids is taken for per-document answers; anything else is passed
 * through with each document.
 *
 * @param ids ids of the request's documents
 * @returns one answer for each id, in their order
 */
export function documentAnswers(body: unknown, ids: string[]): DocumentAnswer[] {
	const byId = new Map<unknown, Record<string, unknown>>();
	for (const member of listsOf(body).flat()) {
		if (typeof member === 'object' && member !== null && 'id' in member) {
			byId.set((member as { id: unknown }).id, member as Record<string, unknown>);
		}
	}
	return ids.map((id) => {
		const answer = byId.get(id);
		if (answer === undefined) return { reply: body };
		const { status, error } = answer;
		const refused = (typeof status === 'number' && status >= 400) || Boolean(error);
		return refused
			? {
					reply: answer,
					failure: typeof error === 'string' ? error : `status ${String(status)}`,
				}
			: { reply: answer };
	});
}

/** The lists a reply may hold answers in: itself, or its members. */
function listsOf(body: unknown): unknown[][] {
	if (Array.isArray(body)) return [body];
	if (typeof body !== 'object' || body === null) return [];
	return Object.values(body).filter((value): value is unknown[] => Array.isArray(value));
}
