/**
 * Determines which documents the service has accepted. The responses to pushes, deletes and migrations are not
 * documented. So any 2xx status is treated as a success, unless the response clearly reports a failure.
 *
 * Each element of a list in a response is called an entry. The response as a whole is also called an entry. If an entry
 * reports a failure and contains a document's ID, that document was rejected. If the entry contains no ID from the
 * request, it may refer to any document. The outcome of all documents is then unknown, except for documents whose own
 * entry reports a success or a failure.
 *
 * Fields that only repeat the sent document are ignored, because a document may itself contain a field such as `error`
 * or `status`. For all rules, see docs/service-interface.md, Responses.
 */
import { ServiceFailure } from './failure';
import { isNullOrEmptyText, isObject, isRecord, type Members } from './json';
import { serverMessage } from './response-words';

/** A document in the request. Its JSON is used to find response fields that merely repeat the document. */
interface SentDocument {
	id: string;
	text?: string;
}

export interface DocumentOutcome {
	/**
	 * The response entry that contains the document's ID, or the whole response if there is no such entry.
	 */
	response: unknown;
	failure?: ServiceFailure;
}

type Request = 'push' | 'delete';

const ID_NAMES = ['id', '_id', 'documentId', 'key'];
const FAILED_NAMES = ['errors', 'failed', 'rejected'];
const LIST_NAMES = ['results', 'items', 'documents', 'value', ...FAILED_NAMES];
const FLAG_NAMES = ['success', 'ok', 'acknowledged', 'status'];
const ERROR_NAMES = ['error', 'errorMessage'];

/**
 * Determines from a 2xx response which documents in the request were accepted.
 *
 * @param documents all documents in the request
 * @returns the outcome of each document, by document ID. The map is empty if the response has no body
 */
export function documentOutcomes(
	body: unknown,
	documents: readonly SentDocument[],
	request: Request,
): ReadonlyMap<string, DocumentOutcome> {
	const outcomes = new Map<string, DocumentOutcome>();
	if (isNullOrEmptyText(body)) return outcomes;
	const sentById = new Map(documents.map((document) => [document.id, document]));
	const { entries, rejections, complaints } = readResponse(body, sentById);
	const shared = complaints.length > 0 ? reportedFailure(complaints, request) : undefined;
	for (const [id, document] of sentById) {
		const entry = entries.get(id);
		const outcome: DocumentOutcome = { response: entry ?? body };
		if (rejections.has(id)) outcome.failure = rejection(rejections.get(id), request);
		else if (shared && !reportsSuccess(withoutEcho(entry, document))) outcome.failure = shared;
		outcomes.set(id, outcome);
	}
	return outcomes;
}

/** Returns the failure that the 2xx response to a migration reports, if there is one. */
export function migrationFailure(body: unknown): ServiceFailure | undefined {
	const { complaints } = readResponse(body, new Map());
	return complaints.length > 0 ? reportedFailure(complaints, 'migration') : undefined;
}

interface ResponseFacts {
	/** The entries that name a document in the request, by document ID. */
	entries: ReadonlyMap<string, unknown>;
	/** The entries that reject a document, without echoes, by document ID. */
	rejections: ReadonlyMap<string, unknown>;
	/** Reports of failures that may apply to any document. */
	complaints: readonly unknown[];
}

function readResponse(body: unknown, sentById: ReadonlyMap<string, SentDocument>): ResponseFacts {
	const entries = new Map<string, unknown>();
	const rejections = new Map<string, unknown>();
	const complaints: unknown[] = [];
	if (isRecord(body) && Object.keys(body).length === 0)
		return { entries, rejections, complaints };
	const readEntry = (entry: unknown, isListedAsFailed: boolean, isTop: boolean): unknown => {
		const document = documentNamedIn(entry, sentById, isListedAsFailed);
		const facts = isTop || reportsFailure(entry) ? withoutEcho(entry, document) : entry;
		const isFailure = reportsFailure(facts) || (isListedAsFailed && !isFalsyThroughout(entry));
		if (document) entries.set(document.id, entry);
		if (document && isFailure) rejections.set(document.id, facts);
		if (isFailure && (isTop || !document)) complaints.push(facts);
		return facts;
	};
	const top = isObject(body) ? (readEntry(body, false, true) as Members) : { results: body };
	for (const name of LIST_NAMES) {
		const list = Array.isArray(top[name]) ? top[name] : [];
		for (const entry of list) readEntry(unwrap(entry), FAILED_NAMES.includes(name), false);
	}
	complaints.push(...unexplainedFailures(top, rejections.size));
	return { entries, rejections, complaints };
}

const isFalsyThroughout = (value: unknown): boolean =>
	typeof value === 'object' && value !== null
		? Object.values(value).every(isFalsyThroughout)
		: !value;

/**
 * Returns the inner object of an entry such as `{"index": {...}}`. Any other entry is returned unchanged.
 */
function unwrap(entry: unknown): unknown {
	const [name = '', ...others] = isObject(entry) ? Object.keys(entry) : [];
	const only = isObject(entry) && others.length === 0 ? entry[name] : undefined;
	return isObject(only) && !ERROR_NAMES.includes(name) ? only : entry;
}

function documentNamedIn(
	entry: unknown,
	sentById: ReadonlyMap<string, SentDocument>,
	mayBeId: boolean,
) {
	const ids = isObject(entry) ? ID_NAMES.map((name) => entry[name]) : mayBeId ? [entry] : [];
	const texts = ids.filter((id) => typeof id === 'string' || typeof id === 'number');
	return texts.map((id) => sentById.get(String(id))).find(Boolean);
}

function withoutEcho(entry: unknown, document?: SentDocument): unknown {
	if (document?.text === undefined || !isObject(entry)) return entry;
	const fields = JSON.parse(document.text) as Members;
	const isNew = ([name, value]: [string, unknown]) =>
		ID_NAMES.includes(name) || sortedJson(value) !== sortedJson(fields[name]);
	return Object.fromEntries(Object.entries(entry).filter(isNew));
}

/** Returns JSON with sorted keys, so that objects can be compared regardless of their key order. */
const sortedJson = (value: unknown): string | undefined =>
	JSON.stringify(value, (_name, member: unknown) =>
		isObject(member)
			? Object.fromEntries(
					Object.entries(member).sort(([one], [other]) => (one < other ? -1 : 1)),
				)
			: member,
	);

const hasStatus = ({ status, statusCode }: Members, from: number, to: number): boolean =>
	[status, statusCode].some((one) => typeof one === 'number' && one >= from && one <= to);

const reportsFailure = (entry: unknown): boolean =>
	isObject(entry) &&
	(hasStatus(entry, 400, Infinity) ||
		FLAG_NAMES.some((name) => entry[name] === false) ||
		ERROR_NAMES.some((name) => !isFalsyThroughout(entry[name])));

const reportsSuccess = (entry: unknown): boolean =>
	isObject(entry) &&
	(hasStatus(entry, 200, 299) || FLAG_NAMES.some((name) => entry[name] === true));

/**
 * Returns the failure reports (flags, counts and objects) that the known failures do not fully explain.
 *
 * @param failed number of documents that are known to have failed
 */
const unexplainedFailures = (top: Members, failed: number): unknown[] =>
	FAILED_NAMES.filter((name) => {
		const value = top[name];
		const isCount = value === true || typeof value === 'number';
		return (
			!isFalsyThroughout(value) &&
			!Array.isArray(value) &&
			!(isCount && Number(value) <= failed)
		);
	}).map((name) => (isObject(top[name]) ? top[name] : `${name}: ${String(top[name])}`));

const ADVICE = {
	push: 'Correct the document and push it again.',
	delete: 'Check what the service says, then delete the document again.',
	migration:
		'Some manifests may have been migrated. Check the log of the blob service and the manifests before you run the node again.',
	unknown:
		"To find out which document the service means, push the documents again with 'Documents per Request' set to 1.",
};

/** Returns the failure for a document that was rejected although the response has a 2xx status. */
function rejection(entry: unknown, request: Request): ServiceFailure {
	const { status, statusCode } = isObject(entry) ? entry : {};
	const code = [status, statusCode].find((one) => typeof one === 'number');
	const what = request === 'push' ? 'document' : 'delete';
	return new ServiceFailure(
		`The push service rejected the ${what}${code === undefined ? '' : ` with status ${code}`}`,
		{
			kind: 'rejected',
			serviceWords: serverMessage(entry),
			...(code !== undefined && { status: code }),
			description: ADVICE[request],
		},
	);
}

/**
 * Returns the failure for a report that contains no document ID. The failure applies to all documents that the
 * report may refer to.
 */
const reportedFailure = (report: unknown, request: Request | 'migration'): ServiceFailure =>
	new ServiceFailure(
		`The ${request === 'migration' ? 'blob' : 'push'} service reported a failure`,
		{
			kind: 'response',
			serviceWords: serverMessage(report),
			description: ADVICE[request === 'push' ? 'unknown' : request],
		},
	);
