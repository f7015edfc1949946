import { MESSAGE_KEYS, serverMessage, ServiceFailure } from '../failure';
import { isObject, isRecord, membersOf, type Members } from '../json';
import { denialIn, isFalse } from '../success';
import { deniesInWords, linesOf } from './response-text';

/** A document of the request, as far as its response needs it. */
export interface SentDocument {
	id: string;
	/** Its JSON, to recognize what only repeats it. */
	text?: string;
}

/** Why a document inside a 2xx response does not count as pushed. */
export interface DocumentFailure {
	/** What the service says about it; may be empty. */
	words: string;
	/** The document's own HTTP status, if it has one. */
	status?: number;
	/** The response reports an error without saying of which document: the outcome is unknown. */
	isUnattributed?: true;
	/** The response has parts that are not read, and does not call the document successful: the outcome is unknown. */
	isUnread?: true;
	/** The response is text that cannot be read, and may speak of a rejection: the outcome is unknown. */
	isDamaged?: true;
}

/** What a response says about one document. */
export interface DocumentAnswer {
	/** The document's own answer, or the whole response if there is none. */
	response: unknown;
	/** Present unless the document counts as pushed. */
	failure?: DocumentFailure;
}

/**
 * Matches a push response to the documents of its request (docs/service-interface.md, Push documents).
 * Response bodies are not specified, so this reads any JSON: whatever names a pushed ID is that
 * document's answer, and whatever is below a name such as `errors` rejects it. If a document is
 * named several times, a rejection wins. What is within a document's answer says nothing about other
 * documents. An error that names no document may concern any of them: then only those count as pushed
 * that the response calls successful. So it is with what is too deep to be read. A text is read line by
 * line if each is an object; of other texts only the words count. The steps take well under 100 ms each,
 * however many entries there are.
 *
 * @param body of the response
 * @param documents those of the request
 * @returns the answer for a document, by its ID
 */
export function* documentAnswerSteps(
	body: unknown,
	documents: SentDocument[],
): Generator<undefined, (id: string) => DocumentAnswer, undefined> {
	const content = typeof body === 'string' ? yield* linesOf(body) : body;
	if (content === undefined && body !== undefined)
		return () => ({ response: body, failure: { words: '', isDamaged: true } });
	const isDenial = deniesInWords(isObject(content) ? content.message : content);
	// Many services answer without a body, and only lists and objects can name a document.
	if (!isRecord(content) && !isDenial) return () => ({ response: body });
	const reader = new ResponseReader(documents);
	if (isDenial) reader.deny(content);
	yield* reader.read(content);
	return (id) => reader.answer(id, body);
}

/** A step of reading a response has as many values. */
const VALUES_PER_STEP = 1_000;

/** Reads values in steps, and tells whether one of them names a document of the request. */
type Reading = Generator<undefined, boolean, undefined>;

/**
 * A document that a 2xx response does not accept, as the failure of its push or delete.
 *
 * @param failure what the response says
 * @param count documents of the request
 * @returns rejected, or of unknown outcome where the response does not say which document it means, or
 * may say so where it is not read
 */
export function rejection(
	{ words, status, isUnattributed, isUnread, isDamaged }: DocumentFailure,
	request: 'push' | 'delete',
	count = 1,
): ServiceFailure {
	const advice = REPEAT[request];
	let said = { what: `rejected the ${REJECTED[request]}`, advice };
	if (isUnread) said = UNREAD;
	else if (isDamaged) said = DAMAGED;
	else if (isUnattributed)
		said = count > 1 ? UNATTRIBUTED : { what: 'reported no success', advice };
	const withStatus = status === undefined ? '' : ` with status ${status}`;
	return new ServiceFailure(`The push service ${said.what}${withStatus}`, {
		kind: isUnattributed || isUnread || isDamaged ? 'response' : 'rejected',
		said: words,
		...(status !== undefined && { status }),
		description: said.advice,
	});
}

const REJECTED = { push: 'document', delete: 'delete' };
const REPEAT = {
	push: 'Correct the document and push it again.',
	delete: 'Remove the cause that the service names, then delete the document again.',
};
const UNATTRIBUTED = {
	what: 'reported an error for one or more documents of the request',
	advice: "Push the documents again, with 'Documents per Request' set to 1 to find out which one it is.",
};

/** Levels of a response that are read, since each takes room on the stack. */
const MAX_DEPTH = 12;

const CHECK =
	'The service may name documents there that it did not accept: check that they are in the index.';
const UNREAD = {
	what: `answered in more than ${MAX_DEPTH} levels of lists and objects, and what is deeper is not read`,
	advice: CHECK,
};
const DAMAGED = { what: 'answered with text that cannot be read', advice: CHECK };

const ID_KEYS = ['id', '_id', 'documentId', 'document_id', 'docId'];

/** Members that say what happened to a document. */
const STATUS_KEYS = ['status', 'statusCode', 'httpStatus', 'code'];
const WORD_KEYS = ['status', 'result', 'state'];
const FLAG_KEYS = ['success', 'ok', 'acknowledged', 'accepted', 'indexed', 'pushed', 'deleted'];
const SPEAKING_KEYS = [...STATUS_KEYS, ...WORD_KEYS, ...FLAG_KEYS, ...MESSAGE_KEYS];

/** Names of lists and maps whose entries were not accepted, such as `failedDocuments`. */
const REJECTING_NAME = /error|fail|reject|invalid|refus|dropped|not_?(?:indexed|accepted)/i;

/**
 * Names that responses have for their own members. A document may have such an ID, but nobody knows then
 * which of the two is meant.
 */
const RESPONSE_NAME =
	/^(?:data|details?|docs?|documents?|entries|ids?|items|records|response|results?|(?:errors?|fail(?:ed|ures?)|invalid|reject(?:ed|ions?)|refused|dropped)(?:_?(?:count|docs?|documents?|ids?|items))?)$/i;
const isResponseName = (name: string): boolean =>
	SPEAKING_KEYS.includes(name) || RESPONSE_NAME.test(name);

/** Names of numbers that count entries that were not accepted. */
const REJECTING_COUNT = /^(?:errors?|failed|failures?|rejected)(?:_?count)?$/i;

const REJECTING_WORD =
	/^(?:errors?|errored|fail|failed|failures?|reject|rejected|invalid|refused|denied)$/i;
const ACCEPTING_WORD =
	/^(?:ok|success|successful|succeeded|created|updated|indexed|accepted|added)$/i;

/** What a response says about a document of the request. */
interface Said {
	document: SentDocument;
	/** Members of the document, once they were needed. */
	sent?: Members;
	answer?: Members;
	rejection?: { response: unknown; failure: DocumentFailure };
}

/** Goes through a response once and keeps what it says about each document. */
class ResponseReader {
	private readonly said = new Map<string, Said>();
	/** Errors that name no document of the request. */
	private readonly unattributed: unknown[] = [];
	private values = 0;
	private unattributedWords: string | undefined;
	/** The response says of more than one document that it was no success. */
	private isDenied = false;
	/** There is more below the levels that are read. */
	private isUnread = false;

	constructor(documents: SentDocument[]) {
		for (const document of documents) this.said.set(document.id, { document });
	}

	/**
	 * @param rejects whether it is below a name that says its entries were not accepted
	 * @returns whether it names a document of the request
	 */
	*read(value: unknown, rejects = false, depth = MAX_DEPTH): Reading {
		if (depth === 0) {
			this.isUnread ||= isSignificant(value);
			return false;
		}
		if (++this.values % VALUES_PER_STEP === 0) yield;
		if (Array.isArray(value)) return yield* this.readList(value, rejects, depth);
		const members = membersOf(value);
		return members !== undefined && (yield* this.readObject(members, rejects, depth));
	}

	/** The response says of something that it was not accepted, but not of what. */
	deny(content: unknown): void {
		this.unattributed.push(content);
		this.isDenied = true;
	}

	/** What the response says about a document. */
	answer(id: string, body: unknown): DocumentAnswer {
		const said = this.said.get(id);
		if (said?.rejection) return said.rejection;
		const response = said?.answer ?? body;
		if (this.unattributed.length === 0 && !this.isUnread) return { response };
		if (said?.answer && saysAccepted(ownMember(said.answer, said))) return { response };
		if (this.unattributed.length === 0)
			return { response, failure: { words: '', isUnread: true } };
		this.unattributedWords ??= serverMessage(this.unattributed);
		const isOnly = this.said.size === 1 && !this.isDenied;
		const failure = { words: this.unattributedWords };
		return { response, failure: isOnly ? failure : { ...failure, isUnattributed: true } };
	}

	private *readList(list: unknown[], rejects: boolean, depth: number): Reading {
		let names = false;
		for (const entry of list) {
			const isNamed =
				typeof entry === 'object'
					? yield* this.read(entry, rejects, depth - 1)
					: rejects && this.rejectById(entry);
			names ||= isNamed;
			if (rejects && !isNamed && isSignificant(entry)) this.unattributed.push(entry);
		}
		return names;
	}

	/** An entry of a list of rejected IDs. */
	private rejectById(entry: unknown): boolean {
		const id = idText(entry);
		const said = id === undefined ? undefined : this.said.get(id);
		if (said) reject(said, entry, {});
		return said !== undefined;
	}

	private *readObject(object: Members, rejects: boolean, depth: number): Reading {
		const id = idIn(object);
		const said = id === undefined ? undefined : this.said.get(id);
		if (said) {
			take(said, object, rejects);
			return true;
		}
		// It names no document of the request, or calls it by another name.
		if (saysRejected((key) => scalar(object[key]))) this.unattributed.push(object);
		this.isDenied ||= denialIn(object) !== undefined;
		let names = false;
		for (const [name, value] of Object.entries(object)) {
			const below = rejects || (REJECTING_NAME.test(name) && !this.isId(name));
			const isNamed =
				this.readKeyed(name, value, below) ||
				(isRecord(value) && (yield* this.read(value, below, depth - 1))) ||
				(below && typeof value === 'string' && this.rejectById(value));
			if (REJECTING_COUNT.test(name) && typeof value === 'number' && value > 0) {
				this.unattributed.push({ message: `${name}: ${value}` });
			}
			names ||= isNamed;
			if (!rejects && below && !isNamed && isErrorObject(name, value)) {
				this.unattributed.push(value);
			}
		}
		return names;
	}

	/** Whether a name is the ID of a document, and nothing else. */
	private isId(name: string): boolean {
		return this.said.has(name) && !isResponseName(name);
	}

	/** A member whose name is the ID of a document. */
	private readKeyed(id: string, value: unknown, rejects: boolean): boolean {
		const said = Array.isArray(value) ? undefined : this.said.get(id);
		if (!said) return false;
		if (isResponseName(id)) {
			const isNone = REJECTING_NAME.test(id) && value === false;
			if (isRejection(value) && !isNone) this.unattributed.push({ message: value });
			return false;
		}
		const members = membersOf(value);
		if (members) take(said, members, rejects);
		else if (isRejection(value) || (rejects && isSignificant(value))) {
			reject(said, value, { message: value });
		}
		return members !== undefined || rejects;
	}
}

function take(said: Said, answer: Members, rejects: boolean): void {
	const own = ownMember(answer, said);
	if (!rejects && !saysRejected(own)) said.answer = answer;
	else reject(said, answer, Object.fromEntries(SPEAKING_KEYS.map((key) => [key, own(key)])));
}

/** Of two rejections, the one that says why is kept. */
function reject(said: Said, response: unknown, own: Members): void {
	if (said.rejection && said.rejection.failure.words !== '') return;
	const status = statusOf((key) => own[key]);
	const failure = { words: serverMessage(own), ...(status !== undefined && { status }) };
	said.rejection = { response, failure };
}

/**
 * What an answer says about its document. A service may send documents back, and a document may have
 * members of these names.
 */
const ownMember =
	(answer: Members, said: Said): Member =>
	(key) => {
		const value = answer[key];
		return value !== undefined && isEcho(sentMember(said, key), value) ? undefined : value;
	};

/** A member of the document as it was sent. Its JSON is only read if it may have one of that name. */
function sentMember(said: Said, key: string): unknown {
	const { text = '' } = said.document;
	if (!text.includes(`"${key}"`)) return undefined;
	said.sent ??= JSON.parse(text) as Members;
	return said.sent[key];
}

/** Reads a member of an answer. */
type Member = (key: string) => unknown;

/** Lists and objects of errors may name the documents they are about. */
const scalar = (value: unknown): unknown =>
	typeof value === 'object' && value !== null ? undefined : value;

function idIn(object: Members): string | undefined {
	for (const key of ID_KEYS) {
		const id = idText(object[key]);
		if (id !== undefined) return id;
	}
	return undefined;
}

const text = (value: unknown): string => (typeof value === 'string' ? value.trim() : '');

const idText = (value: unknown): string | undefined =>
	typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;

/** Whether a value says something: 0, false, '' and what is empty do not. */
const isSignificant = (value: unknown): boolean =>
	typeof value === 'object' && value !== null ? Object.keys(value).length > 0 : Boolean(value);

/** A status as a number, also if it is written as text. */
function statusOf(own: Member): number | undefined {
	for (const key of STATUS_KEYS) {
		const value = own(key);
		if (typeof value === 'number' && value >= 100 && value <= 599) return value;
		if (/^\d{3}$/.test(text(value))) return Number(value);
	}
	return undefined;
}

/** Whether a value by itself says that the document it stands for was not accepted. */
const isRejection = (value: unknown): boolean =>
	value === false ||
	(typeof value === 'number' && value >= 400 && value <= 599) ||
	REJECTING_WORD.test(text(value));

/** Whether an answer says that what it describes was not accepted. */
function saysRejected(own: Member): boolean {
	if ((statusOf(own) ?? 0) >= 400) return true;
	if (WORD_KEYS.some((key) => REJECTING_WORD.test(text(own(key))))) return true;
	if (FLAG_KEYS.some((key) => isFalse(own(key)))) return true;
	return isSignificant(own('error')) || isSignificant(own('errors'));
}

/** Whether an answer says that what it describes was accepted. */
function saysAccepted(own: Member): boolean {
	const status = statusOf(own);
	if (status !== undefined) return status >= 200 && status < 300;
	if (FLAG_KEYS.some((key) => own(key) === true)) return true;
	return WORD_KEYS.some((key) => ACCEPTING_WORD.test(text(own(key))));
}

/** Whether a member is an error that names no document, and not just a count of none. */
const isErrorObject = (name: string, value: unknown): boolean =>
	membersOf(value) !== undefined &&
	(serverMessage(value) !== '' || (/^error$/i.test(name) && isSignificant(value)));

/** Whether a member only repeats that of the document, perhaps in another notation or order. */
function isEcho(sent: unknown, received: unknown): boolean {
	if (sent === received) return true;
	if (typeof sent !== 'object' && typeof received !== 'object') {
		const plain = (value: unknown) => text(String(value)).toLowerCase();
		return sent !== undefined && plain(sent) === plain(received);
	}
	if (!isRecord(sent) || !isRecord(received)) return false;
	const names = Object.keys(sent);
	return (
		Array.isArray(sent) === Array.isArray(received) &&
		names.length === Object.keys(received).length &&
		names.every((name) => name in received && isEcho(sent[name], received[name]))
	);
}
