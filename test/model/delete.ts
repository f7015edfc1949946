/** Delete Document: deletes documents by ID. Each ID has its own request, and an ID of several items is deleted once. */
import { read } from './files';
import { fieldOf, isBlank, isRecord, textOf } from './model';
import type { Entry, Expected, Given, Item } from './model';
import { Sending } from './sending';
import { predictRun } from './sinks';

export interface DeleteGiven extends Given {
	source: 'item' | 'list' | 'file';
	/** The field with the ID or the list. */
	field: string;
	/** The field with the number of chunks, or nothing if the option is not used. */
	chunkCount: string;
	commit: 'serviceDefault' | 'everyDelete' | 'lastDeleteOnly';
	ignoreNotFound: boolean;
	/** The documents in the index, if the service answers with 404 to others. */
	known?: string[];
}

/** Returns what a run of Delete Document does. */
export function predictDelete(given: DeleteGiven): Expected {
	const index = new Set(given.known);
	const pending = new Set<string>();
	const answer = ([entry]: Entry[], isCommit: boolean) => {
		const { id = '' } = entry ?? {};
		const isKnown = !given.known || index.has(id);
		if (isKnown) pending.add(id);
		// A delete takes effect with the next commit.
		if (isCommit) for (const each of pending) index.delete(each);
		return isKnown ? { rejected: [], isComplaint: false, responseOf: () => undefined } : 404;
	};
	const isHit = ([entry]: Entry[]) => entry?.id?.endsWith('hit') === true;
	const sending = new Sending(
		given,
		{ count: 1, bytes: Infinity },
		{ fault: given.fault, isHit, answer, bodyLimit: Infinity },
		{
			bodyOf: () => undefined,
			contentOf: ([entry]) => entry?.id,
			notFound: given.ignoreNotFound ? 'succeeds' : 'fails',
			commits: (
				{ serviceDefault: 'no', everyDelete: 'each', lastDeleteOnly: 'last' } as const
			)[given.commit],
		},
	);
	const isFile = given.source === 'file';
	return predictRun(given, {
		verb: 'deleted',
		isFile,
		isOnceEach: true,
		readItem: (item, at) => entriesOf(given, item, at),
		sending,
	});
}

/** Returns the IDs of an item or file. */
function entriesOf(given: DeleteGiven, { json, file }: Item, item: number): Entry[] {
	if (given.source === 'file') {
		if (file === undefined) return [failed({ item })];
		return read(file).records.map(({ source, value, is }, at) => {
			const entry = { item, record: at + 1, source };
			if (is === 'unreadable')
				return failed({
					...entry,
					isUnreadable: true,
					hasOnlyLine: file.format === 'jsonLines',
				});
			// A record is an ID, or contains one.
			return checked(entry, isRecord(value) ? fieldOf(value, given.field) : value);
		});
	}
	const value = fieldOf(json, given.field);
	if (Object.values(json).every(isBlank)) return [{ item, fate: { is: 'blank' } }];
	if (given.source === 'list') {
		if (!Array.isArray(value)) return [failed({ item })];
		if (value.length === 0) return [{ item, fate: { is: 'emptyList' } }];
		return value.map((one) => checked({ item }, one));
	}
	const entry = checked({ item }, value);
	if (given.chunkCount === '' || (entry.fate && !isDots(value))) return [entry];
	// The chunks of a document are deleted instead of the document.
	const count = Number(json[given.chunkCount] ?? NaN);
	if (isBlank(json[given.chunkCount]) || !Number.isInteger(count)) return [failed({ item })];
	if (count === 0) return [entry];
	const id = textOf(value, true).text;
	return Array.from({ length: count }, (_, at) => ({ item, id: `${id}#${at}` }));
}

const isDots = (id: unknown): boolean => id === '.' || id === '..';

/** The docs do not say whether the error of an ID that is not valid contains the ID. */
const failed = (entry: Entry): Entry => ({
	...entry,
	fate: { is: 'failed', failure: { claim: 'invalid' } },
});

/** Checks an ID. A URL cannot contain `.` and `..` as an ID. */
function checked(entry: Entry, value: unknown): Entry {
	const { text, is } = textOf(value, true);
	if (is || isDots(text)) return failed(entry);
	return { ...entry, ...(text !== undefined && { id: text }) };
}
