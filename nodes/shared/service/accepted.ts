import { ServiceFailure } from './failure';
import { isNullOrEmptyText, isObject, isRecord, type Members } from './json';
import { serverMessage } from './response-words';

/** A document of a request: its ID, and its JSON, by which an echo in the response is recognized. */
interface SentDocument {
	id: string;
	text?: string;
}

/** What a response says of a document. */
export interface DocumentOutcome {
	/** The entry that names the document, or the whole response. */
	response: unknown;
	/** Why it does not count as accepted. */
	failure?: ServiceFailure;
}

type Request = 'push' | 'delete' | 'migration';

const ID_NAMES = ['id', '_id', 'documentId', 'key'];
const FAILED_NAMES = ['errors', 'failed', 'rejected'];
const LIST_NAMES = ['results', 'items', 'documents', 'value', ...FAILED_NAMES];
const FLAG_NAMES = ['success', 'ok', 'acknowledged', 'status'];
const ERROR_NAMES = ['error', 'errorMessage'];

/**
 * Reads which documents of a request its 2xx response accepts (docs/service-interface.md, Responses).
 *
 * @param documents of the request; of a migration one with the ID ''
 * @returns the answer for each document, by its ID; none if the response has no body
 */
export function documentOutcomes(
	body: unknown,
	documents: readonly SentDocument[],
	request: Request,
): ReadonlyMap<string, DocumentOutcome> {
	const answers = new Map<string, DocumentOutcome>();
	if (isNullOrEmptyText(body)) return answers;
	for (const { id } of documents) answers.set(id, { response: body });
	if (isRecord(body) && Object.keys(body).length === 0) return answers;
	const sent = new Map(documents.map((document) => [document.id, document]));
	const complaints: unknown[] = [];
	const read = (entry: unknown, isListedAsFailed: boolean, isTop: boolean): unknown => {
		const document = namedBy(entry, sent, isListedAsFailed);
		const own = isTop || saysFailed(entry) ? withoutEcho(entry, document) : entry;
		const isFailure = saysFailed(own) || (isListedAsFailed && !isFalsyThroughout(entry));
		const answer = document && answers.get(document.id);
		if (answer) answer.response = entry;
		if (answer && isFailure) answer.failure = rejection(own, request);
		if (isFailure && (isTop || !document)) complaints.push(own);
		return own;
	};
	const top = isObject(body) ? (read(body, false, true) as Members) : { results: body };
	for (const name of LIST_NAMES) {
		const list = Array.isArray(top[name]) ? top[name] : [];
		for (const entry of list) read(unwrapped(entry), FAILED_NAMES.includes(name), false);
	}
	const failed = [...answers.values()].filter(({ failure }) => failure).length;
	complaints.push(...unexplained(top, failed));
	if (complaints.length === 0) return answers;
	const unknown = complaint(complaints, request);
	for (const [id, answer] of answers) {
		if (answer.failure || saysAccepted(withoutEcho(answer.response, sent.get(id)))) continue;
		answer.failure = unknown;
	}
	return answers;
}

/** Whether a value says nothing: null, false, 0, '', and what has nothing else in it. */
const isFalsyThroughout = (value: unknown): boolean =>
	typeof value === 'object' && value !== null
		? Object.values(value).every(isFalsyThroughout)
		: !value;

/** `{"index": {...}}` stands for what is in it. */
function unwrapped(entry: unknown): unknown {
	const [name = '', ...others] = isObject(entry) ? Object.keys(entry) : [];
	const only = isObject(entry) && others.length === 0 ? entry[name] : undefined;
	return isObject(only) && !ERROR_NAMES.includes(name) ? only : entry;
}

/** The document of the request that an entry names. */
function namedBy(entry: unknown, sent: Map<string, SentDocument>, mayBeId: boolean) {
	const ids = isObject(entry) ? ID_NAMES.map((name) => entry[name]) : mayBeId ? [entry] : [];
	const texts = ids.filter((id) => typeof id === 'string' || typeof id === 'number');
	return texts.map((id) => sent.get(String(id))).find(Boolean);
}

/** An entry without the members that only repeat those of its document. */
function withoutEcho(entry: unknown, document?: SentDocument): unknown {
	if (document?.text === undefined || !isObject(entry)) return entry;
	const fields = JSON.parse(document.text) as Members;
	const isOwn = ([name, value]: [string, unknown]) =>
		ID_NAMES.includes(name) || sortedJson(value) !== sortedJson(fields[name]);
	return Object.fromEntries(Object.entries(entry).filter(isOwn));
}

/** JSON of a value, the same whatever the order of the members of objects. */
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

const saysFailed = (entry: unknown): boolean =>
	isObject(entry) &&
	(hasStatus(entry, 400, Infinity) ||
		FLAG_NAMES.some((name) => entry[name] === false) ||
		ERROR_NAMES.some((name) => !isFalsyThroughout(entry[name])));

const saysAccepted = (entry: unknown): boolean =>
	isObject(entry) &&
	(hasStatus(entry, 200, 299) || FLAG_NAMES.some((name) => entry[name] === true));

/** Failure flags, counts or objects that the failed documents do not explain. */
const unexplained = (top: Members, failed: number): unknown[] =>
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
		'Check its log and the manifests before you run the node again: some may have been migrated.',
	unknown:
		"To find out which document the service means, push them again with 'Documents per Request' set to 1.",
};

/** The failure of a document that a 2xx response rejects; of a migration nobody knows how much was done. */
function rejection(entry: unknown, request: Request): ServiceFailure {
	if (request === 'migration') return complaint(entry, request);
	const { status, statusCode } = isObject(entry) ? entry : {};
	const code = [status, statusCode].find((one) => typeof one === 'number');
	const what = request === 'push' ? 'document' : 'delete';
	return new ServiceFailure(
		`The push service rejected the ${what}${code === undefined ? '' : ` with status ${code}`}`,
		{
			kind: 'rejected',
			said: serverMessage(entry),
			...(code !== undefined && { status: code }),
			description: ADVICE[request],
		},
	);
}

/** The failure of all documents that a complaint may mean. */
const complaint = (said: unknown, request: Request): ServiceFailure =>
	new ServiceFailure(
		`The ${request === 'migration' ? 'blob' : 'push'} service reported a failure`,
		{
			kind: 'response',
			said: serverMessage(said),
			description: ADVICE[request === 'push' ? 'unknown' : request],
		},
	);
