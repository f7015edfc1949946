/**
 * The types of the data that Code nodes pass on. The files in `code/` use these types in their JSDoc.
 */

/**
 * What is known about one document. The last entry about an ID counts.
 *
 * - `version`: an empty version means that the index may contain anything of the document. The version null means that
 *   the document was deleted.
 * - `chunks`: the largest number of documents that the index may contain for this document. Without chunking, this
 *   number is 0 or 1.
 * - `text`: two checksums of the text that was pushed, one of them of its words without numbers. Entries of earlier
 *   versions have only the first one. Without `text`, the text is unknown.
 * - `problem`: why this version of the document could not be read.
 * - `leftOut`: why the document is not indexed, although it is in the list.
 */
export type Entry = [
	id: string,
	version: string | null,
	chunks?: number,
	text?: string,
	problem?: string,
	leftOut?: string,
];

/** A row of the data table. A lock has only `lockedUntil`. */
export interface Row {
	id: number;
	run?: number | null;
	/** A list of `Entry` as JSON. */
	entries?: string | null;
	/** Number of entries. */
	size?: number | null;
	lockedUntil?: string | null;
}

/** What the node Known Documents returns. */
export interface Known {
	isOwner: boolean;
	lockedUntil: string;
	/** Why it is not known what earlier runs have pushed. */
	problem?: string;
	entries: Entry[];
	/** ID of the last row that a snapshot replaces, or 0 if no snapshot is needed. */
	compactUpTo: number;
}

/** A document as Map Fields or the caller returns it. */
export interface ListedDocument {
	id: string | number;
	name?: unknown;
	url?: unknown;
	text?: unknown;
	version?: unknown;
	problem?: unknown;
	/** Only if documents are chunked: further fields of each chunk. */
	fields?: unknown;
	/** Only in lists with versions: the kind of a document that is not to be indexed. Such documents are counted. */
	skipped?: unknown;
	/** Only in lists with versions: whether the document stays as it is in the index until a later run. */
	later?: unknown;
	[field: string]: unknown;
}

/** The fields of the node Settings. */
export interface Settings {
	/** More deletes than this number and this percentage are withheld. */
	mostDeletes: number;
	mostDeletesPercent: number;
	/** IDs of documents that are pushed even if they have not changed. */
	pushAgain: unknown;
	/** At most so many documents are fetched in one run, if the entries of the list have a version instead of a text. */
	mostPerRun?: number;
	/** Only of websites. */
	secondsBetweenRequests?: number;
}

/** What a run that has the lock needs to work. A run that only shows its plan has none. */
export interface RunLock {
	run: number;
	tableId: string;
	history: History;
}

/** The documents of a plan, by what a run would do with them. */
export interface PlanCounts {
	new: number;
	changed: number;
	/** Documents that a run would delete, and those that it would withhold. */
	missing: number;
	unreadable: number;
	approval: Approval;
	/** Documents of which the source decides what becomes of them. */
	willBeAsked?: number;
	/** Requests to the source after the list, without redirects. */
	requests?: number;
	secondsBetweenRequests?: number;
	charactersToChunk?: number;
	newIds: string[];
	changedIds: string[];
	missingIds: string[];
	unreadableIds: string[];
	laterIds: string[];
	skippedIds: string[];
	problems: string[];
}

/** What the node Plan returns. */
export interface RunPlan extends Omit<PlanCounts, 'approval' | 'secondsBetweenRequests'> {
	status: number;
	unchanged: number;
	later: number;
	skipped?: Record<string, number>;
	withheld: number;
	/** How many deletes a person may approve. */
	approvable?: number;
	secondsAtLeast?: number;
	/** Why there is no plan. */
	error: string;
}

/**
 * Whether a person has approved deletes for this run. Only deletes of documents that the index may contain count.
 *
 * - `most`: how many deletes are approved.
 * - `isInvalid`: the caller has approved deletes without a number.
 * - `remembered`: the smallest number that was withheld since a run has withheld nothing, or 0.
 */
export interface Approval {
	isApproved: boolean;
	most: number;
	isInvalid: boolean;
	remembered: number;
}

/** A row of the data table Sync Runs. A run that was killed has no end, and `aliveUntil` is over. */
export interface SyncRun {
	id: number;
	/** ID of the workflow. */
	workflow: string;
	name: string;
	startedBy: string;
	beganAt: string;
	endedAt: string;
	aliveUntil: string;
	/** When the next run is late. */
	nextBefore: string;
	/** Documents that the index contains after the run. */
	documents: number;
	unchanged: number;
	pushed: number;
	deleted: number;
	chunksDeleted: number;
	notIndexed: number;
	failed: number;
	unreadable: number;
	withheld: number;
	later: number;
	skipped: number;
	/** complete, incomplete, withheld or failed. Empty while the run is active. */
	outcome: string;
	error: string;
	/** Up to 20 lines. */
	problems: string;
	/** Number of deletes that a person may approve, or 0. */
	approvable: number;
	/** JSON: the table of the sync, whether the run has compared, and what it has skipped by kind. */
	more: string;
}

/** What the node Check the Run returns. */
export interface Begun {
	table: string;
	/** Whether the run ends with its plan. */
	isPlanOnly: boolean;
	/** ID of the data table, or an empty text if it does not exist yet. */
	tableId: string;
	approval: Approval;
	/** The row of this run. */
	row: Partial<SyncRun>;
}

/** What the node Result returns. */
export interface RunResult {
	status: number;
	pushed: number;
	deleted: number;
	chunksDeleted?: number;
	notIndexed?: number;
	unchanged: number;
	failed: number;
	withheld: number;
	/** How many deletes a person may approve. */
	approvable?: number;
	unreadable: number;
	problems: string[];
	error: string;
	later?: number;
	outcome?: string;
	skipped?: Record<string, number>;
	/** How many documents of the list this run has left out, by their reasons. */
	leftOut?: Record<string, number>;
}

/** One document of a batch. A document without `document` is missing from the list. */
export interface Work {
	id: string;
	/** The version null means that the document is missing from the list. */
	version: string | null;
	chunks: number;
	/** Checksums of the text that was pushed before. */
	text?: string;
	/** Whether the ID is in `pushAgain`. */
	isConfirmed?: boolean;
	/** Whether the settings leave the document out. It counts as missing. */
	isExcluded?: boolean;
	/** Why a database has no document to push, or null. */
	problem?: string | null;
	document?: ListedDocument;
}

/** Where the row of a run is. */
export interface History {
	tableId: string;
	row: number;
}

/** What one call of Apply receives. */
export interface Batch {
	batch: number;
	batches: number;
	tableId: string;
	run: number;
	/** What is known about all documents, if the table has to be compacted. */
	snapshot: Entry[];
	/** Only if the documents are fetched. */
	settings?: Settings;
	/** Checksums of all addresses in the list, with spaces between them. Only for websites. */
	listed?: string;
	/** Number of deletes of listed documents that this batch may carry out. Plan the Batches has counted the missing ones. */
	mayDelete: number;
	/** Number of missing documents. More of them may be missing now than when the batch was planned. */
	missing: number;
	/** Whether a person has approved deletes for this run. */
	isApproved: boolean;
	/** The row of this run in the history. */
	history: History;
	work: Work[];
}

/**
 * What Fetch returns about one entry: `text`, `pages`, `problem`, `error`, `gone` or `refused`.
 *
 * - `problem`: this version cannot be read. The entry is fetched again if its version changes.
 * - `error`: there was no usable answer. The entry is fetched again in the next run.
 * - `gone`: the source says that the document no longer exists.
 * - `refused`: the document is missing from the list, and the source does not say whether it still exists. It is deleted
 *   only after an approval.
 */
export interface Fetched {
	id: string | number;
	text?: unknown;
	pages?: unknown;
	problem?: unknown;
	error?: unknown;
	/** A text says why a document that is in the list is left out, such as `moved: /b`. What precedes the colon is counted. */
	gone?: unknown;
	/** Only of entries that are missing from the list: why the source does not say whether they exist. */
	refused?: unknown;
	/** Numbers of the pages of a PDF that have no text, if others have one. */
	pagesWithoutText?: number[];
	/** What else of the document could not be read, as the end of a sentence about it. */
	readInPart?: string;
	/** Whether lines that begin with `#` are no headings. */
	isPlain?: boolean;
	name?: unknown;
	url?: unknown;
	/** Further fields of each chunk. */
	fields?: unknown;
}

/** What the node Documents returns for each document of a batch. */
export interface BatchDocument {
	id: string;
	version: string | null;
	/** Chunks that the index may contain now. */
	chunks: number;
	/** Checksums of the text that the index contains, if it is known. */
	oldText?: string;
	newText?: string;
	/** Why the document could not be read. Nothing is pushed or deleted for such a document. */
	problem: string;
	/** Whether a document with a problem is read again in the next run, even if its version stays the same. */
	isTransient: boolean;
	/** Whether the document would be deleted, but too many documents of the batch would be. */
	isWithheld: boolean;
	isDeleted: boolean;
	/** Why the document is left out, although it is in the list. */
	leftOut?: string;
	/** See `Fetched`. */
	pagesWithoutText?: number[];
	readInPart?: string;
	/** Whether a chunk of the text begins at each heading. */
	isByHeading?: boolean;
	documents: ListedDocument[];
	removedIds: string[];
	name?: unknown;
	url?: unknown;
	description?: unknown;
	/** Further fields of each chunk. */
	fields?: Record<string, unknown>;
	text?: unknown;
	previousChunkCount: number;
}

/** A row of the data table that says what one batch did. */
export interface BatchRow {
	run: number;
	entries: string;
	size: number;
	pushed: number;
	deleted: number;
	chunksDeleted: number;
	/** Documents without a text or that are gone, and of which the index had nothing. */
	notIndexed: number;
	failed: number;
	unreadable: number;
	withheld: number;
	/** Number of documents that were planned for the batch, if this number can differ from what the batch has found. */
	planned?: number;
	/** Number of documents of a batch that was left out, because the service does not answer. */
	notDone?: number;
	/** The first failure. It begins with `No request succeeded` if all documents failed because of the service. */
	error: string;
	/**
	 * The first 20 documents that could not be read, that failed, that were read in part, or that were left out, one per
	 * line. A line of the other kinds begins with `Failed: `, `Read in part: ` or `Left out: `.
	 */
	problems: string;
}

/** What is known before the first batch. */
export interface Summary {
	status: number;
	/** Why nothing was changed. */
	problem: string;
	known: number;
	unchanged: number;
	missing: number;
	withheld: number;
	/** How many deletes the settings and a person allow. */
	mostDeletes: number;
	unreadable: number;
	problems: string[];
	/** How many entries of each kind are not to be indexed. */
	skipped?: Record<string, number>;
	/** Entries that wait for a later run. */
	later?: number;
	planned: number;
	compactUpTo: number;
}

/** A range of documents in a database. Both ends belong to the range. */
export interface KeyRange {
	from: string;
	to: string;
	documents: number;
	/** The changed documents, as a list of IDs in JSON. */
	ids?: string;
}

/** What the query Compare returns. */
export interface Compared {
	/** Why the query failed. There is nothing else then. */
	message?: string;
	/** Checksum of the settings of the nodes that push. */
	settings: string;
	isOwner: boolean;
	lockedUntil: string | null;
	rows: number;
	/** Of the first row, or null if there is none. */
	keyType?: string | null;
	rowsWithoutId: number;
	/** An ID that several rows have, or null. */
	repeatedId: string | null;
	known: number;
	unchanged: number;
	/** Number of documents that are missing and of which the index may contain something. */
	goneFromIndex: number;
	unreadable: number;
	problems: string[];
	/** The changed documents by the key of the table, one range per batch. */
	changed: KeyRange[];
	/** The missing documents by ID, one range per batch. */
	gone: KeyRange[];
	/** Only without a lock: the changed documents, and the first IDs of each kind. */
	plan?: Partial<
		Pick<PlanCounts, 'new' | 'changed' | 'unreadable'> & {
			characters: number;
			newIds: string[];
			changedIds: string[];
			unreadableIds: string[];
			missingIds: string[];
		}
	>;
}

/** What one call of Apply receives if the documents are in a database. The query Read adds the work. */
export interface DatabaseBatch extends Omit<Batch, 'tableId' | 'work' | 'settings'> {
	/** ID of the workflow to which the rows of the documents belong. */
	owner: string;
	settings: string;
	from: string | null;
	to: string | null;
	goneFrom: string | null;
	goneTo: string | null;
	/** Number of documents in both ranges when the batch was planned. */
	documents: number;
	/** A list of IDs as JSON. */
	pushAgain: string;
	query: string;
	/** Names of fields that do not count in versions, as a list in JSON. */
	ignored: string;
	/** The changed documents, as a list of IDs in JSON. */
	ids: string | null;
}

/** An item as n8n's Code node returns it. */
export interface Item<Json> {
	json: Json;
}

/** The summary that Push Documents and Chunk Text return of a file. */
export interface FileSummary {
	error?: unknown;
	/** Why the rest of the file could not be read. */
	readError?: string;
	failures?: Array<{ error?: unknown }>;
	warnings?: string[];
	records?: number;
	pushed?: number;
	failed?: number;
	/** Records that were skipped at the beginning of the file. */
	skipped?: number;
	atEnd?: boolean;
	/** Only Chunk Text returns this field. */
	chunked?: number;
}

/** A part of a file. `max` is 0 in the last range, which has no limit. */
export interface Range {
	range: number;
	skip: number;
	max: number;
}

/** How a range has ended, as its row in the data table says. */
interface RangeEnd {
	atEnd?: boolean | null;
	/** Records of the file up to the end of the range. */
	records?: number | null;
	pushed?: number | null;
	failed?: number | null;
	/** The version of the file, or an empty text if the storage does not tell it. */
	file?: string | null;
	/** A failure or a warning. */
	message?: string | null;
}

export interface RangeRow extends RangeEnd {
	range: number;
	event: 'called' | 'started' | 'done' | 'failed';
	createdAt: string | Date;
}

export interface RangeState extends Range, RangeEnd {
	state: 'done' | 'failed' | 'late' | 'running';
	/** Whether to call the range again. */
	again: boolean;
	calls: number;
}

/** A document in a call of Updates by Webhook. */
export interface Change {
	id: string | number;
	change: 'document' | 'deleted';
	/**
	 * The caller's `chunkCount`: chunks of the document that the index may contain. If this is 0, a delete deletes the
	 * document itself. The name differs from what Chunk Text returns, because a node that fails returns its input.
	 */
	previousChunkCount?: number;
	[field: string]: unknown;
}

/** Why a call is not valid. */
export interface InvalidCall {
	change: 'invalid';
	problem: string;
}

/** What has become of a document. `chunkCount` is the number of chunks that the index may contain now. */
export interface ChangeResult {
	id: string | number;
	status: 'pushed' | 'deleted' | 'failed';
	chunkCount: number;
	/** Number of deletes of unknown IDs. */
	notFound?: number;
	error?: string;
}

/** What Chunk Text returns with *One Item per Document*. */
export interface Chunked {
	id?: string | number;
	error?: unknown;
	chunkCount?: number;
	removalsKnown?: boolean;
	missingCharacters?: number;
	documents?: unknown[];
	removedIds?: string[];
}

/** What Push Documents and Delete Document return with *One Item per Input Item*. */
export interface Counted {
	/** An error has no ID if a node failed before it read its items. */
	id?: string | number;
	error?: unknown;
	pushed?: number;
	skipped?: number;
	deleted?: number;
	notFound?: number;
}

/** A file as n8n's FTP node lists it. */
export interface ListedFile {
	/** `-` for a file, `d` for a folder, `l` for a link. */
	type: string;
	name: string;
	path: string;
	/** In bytes. */
	size: number;
	modifyTime: string;
}

/** Further settings of a folder. */
export interface FileSettings {
	folder: string;
	/** Extensions of the files to read, such as `pdf, md`. */
	extensions: string;
	mostMegabytes: number;
	/** A file that has changed in these minutes may still be written, so it waits for the next run. */
	minutesAtRest: number;
	/** What people open, without the path of the file. */
	url: string;
	/** The ID of a document is this prefix and the path of its file in the folder. */
	prefix: string;
	/** Names of the fields of each chunk: `path, folder, extension, modified`. */
	fields?: unknown;
	/** Whether the first heading of a text or the title of a PDF becomes the name. */
	titleAsName?: unknown;
	/** Selectors of the part of an HTML file to read and of what to leave out of it. */
	mainPart?: unknown;
	leaveOut?: unknown;
}

/** An entry of a list of files, as the node Entries returns it. */
export interface FileToRead {
	id: string | number;
	isMissing: boolean;
	/** In lower case, without the dot. */
	extension?: string;
	/** In bytes. */
	size?: number;
	problem?: string;
}

/** A downloaded file. */
export interface FileItem {
	json: {
		id?: string | number;
		kind?: string;
		/** Of Office files. */
		format?: string;
		entry?: number;
		error?: unknown;
	};
	binary?: { data?: { bytes?: number } };
}

/** What n8n's node Extract from File and the node HTML to Text return. */
export interface ExtractedItem {
	json: {
		error?: unknown;
		/** Why the bytes are not certain to be a text. */
		problem?: string;
		/** The pages of a PDF, or the text of HTML. */
		text?: unknown;
		title?: unknown;
		/** What a PDF says about itself. */
		info?: unknown;
		data?: unknown;
		row?: unknown;
	};
	pairedItem?: { item: number };
}

/** What Drive says about a file or folder that was asked for by its ID, or only an error. */
export interface AskedItem {
	json: {
		error?: unknown;
		statusCode?: number;
		body?: { id?: string; trashed?: boolean; parents?: string[] };
	};
	pairedItem?: { item: number };
}

/** A file or folder as n8n's Google Drive node returns it with all fields. */
export interface DriveFile {
	id: string;
	name: string;
	mimeType: string;
	parents: string[];
	modifiedTime: string;
	/** Only of files that are not Google's own. */
	md5Checksum: string;
	/** In bytes, as a text. */
	size: string;
	webViewLink: string;
	owners: Array<{ displayName?: string }>;
}

/** A parsed sitemap. n8n's XML node returns an object in place of a list if there is one entry, and a text if there is none. */
export interface Sitemap {
	urlset?: unknown;
	sitemapindex?: unknown;
}

/** Further settings of a website. */
export interface WebsiteSettings {
	/** Parts of addresses to leave out, such as `/tag/, /login`. */
	exclude: string;
	/** A page is read again after so many days, even if lastmod has not changed. */
	daysUntilReread: number;
	/** Requests begin at this interval. */
	secondsBetweenRequests: number;
	/** Whether pages with noindex are read. */
	readNoindex: boolean;
	/** Selectors of the part to read and of what to leave out of it. */
	mainPart?: unknown;
	leaveOut?: unknown;
	/** Names of the fields of each chunk: `lang, description, section`. */
	fields?: unknown;
	/** What follows the name of the page in each title. */
	nameSuffix?: unknown;
}

/** A downloaded sitemap. */
export interface SitemapFile {
	json: { sitemap?: string; error?: unknown };
	binary?: { data?: object; file_0?: object };
}

/** A page of the list, as the node Entries returns it. */
export interface PageEntry {
	/** The address of the page. */
	id: string | number;
	isMissing: boolean;
	/** Whether the settings exclude a page that is in the sitemap. */
	isExcluded?: boolean;
}

/** A response of the website, or only an error. */
export interface PageResponse {
	error?: unknown;
	statusCode?: number;
	headers?: Record<string, unknown>;
}

/** What the website has answered. */
export interface PageToRead extends PageEntry {
	error?: unknown;
	status: number;
	/** Media type without parameters, or an empty text. */
	type: string;
	/** The page's HTML. */
	data: string;
	/** Why its HTML could not be decoded. */
	problem?: string;
	/** The header X-Robots-Tag. */
	robots: string;
	/** Where the page redirects to, if this is another page. */
	to: string;
}

/** An element of a page. */
export interface HtmlElement {
	/** In lower case. */
	tag: string;
	attributes: Map<string, string>;
	children: Array<HtmlElement | string>;
	/** How many elements of each tag are open around its children, as far as an end tag can end them. */
	open: Record<'block' | 'list' | 'table' | 'line' | 'other', Map<string, number>>;
}

/** One selector: an element, and those around it before it. */
export type Selector = Array<{
	/** Empty for any element. */
	tag: string;
	/** Without a value, the element must have the attribute. */
	attributes: Array<{ name: string; value?: string }>;
}>;

/** What is found in a page. */
export interface HtmlPage {
	/** The text of the main part. */
	text: string;
	/** Letters and digits in the text. */
	letters: number;
	/** Whether the main part asks for a password. */
	password: boolean;
	title: string;
	lang: string;
	description: string;
	/** As they stand in the page. */
	canonical: string;
	base: string;
	/** The rules of all robots tags. */
	robots: string;
	/** What the page says in place of a redirect, such as `0; url=/b`. */
	refresh: string;
}

/** Where an API has its list. A place is a path such as `body.data.items`. */
export interface ApiPlace {
	/** Without a slash at its end. */
	site: string;
	/** What follows the site. */
	path: string;
	/** What follows the path, before the number of the page. Empty if pages have no numbers. */
	page: string;
	firstPage: number;
	/** Place of the number of pages, or empty: the list then ends with an empty page. */
	pages: string;
	/** Place of the next page's path, or empty. */
	next: string;
	list: string;
	/** Place of the total number of entries, or empty. */
	total: string;
	/** Places in an entry. */
	id: string;
	name: string;
	link: string;
	text: string;
	/** The names of fields of each chunk, and their places in an entry. */
	fields?: Record<string, string>;
	/** An entry is left out if it has this field and the field is true. */
	leaveOut: string;
	isHtml: boolean;
	/** Whether the name is HTML, too. */
	isHtmlName: boolean;
}

/** An element of XML. Its name has no prefix, and its attributes have their prefixes. */
export interface XmlElement {
	name: string;
	attributes: Record<string, string>;
	/** Texts and elements, in their order. */
	children: Array<XmlElement | string>;
}

/** A part of a ZIP archive, as the directory of the archive lists it. */
export interface ZipEntry {
	name: string;
	/** In bytes, when it is unpacked. */
	size: number;
	/** CRC-32. */
	checksum: number;
}

/** A Word file, a workbook or a presentation: an item of Files. */
export interface OfficeFile {
	json: { entry: number; format: string };
	binary?: { data?: object };
}

/** An Office file whose directory was read. A file with `problem` is not unpacked. */
export interface ArchiveItem {
	json: {
		entry: number;
		/** The extension of its format, such as `docx`. */
		format: string;
		problem?: string;
		/** The checksum of each part, by its name in lower case. */
		checksums?: Record<string, number>;
	};
	binary?: { data: object };
}

/** What the nodes that read Office files return: one item per file. */
export type OfficeItem = Item<Partial<Fetched> & { entry?: number }>;

/** What n8n's Compression node returns: a field for each part of an archive. */
export interface UnpackedItem {
	json: { error?: unknown; [field: string]: unknown };
	binary?: Record<string, { directory?: string; fileName?: string }>;
}

/** Returns the bytes of a file of an item, such as n8n's `getBinaryDataBuffer`. */
export type ReadBytes = (item: number, field: string) => Promise<Uint8Array>;

/** The parts of an Office file. The case of their names does not matter. */
export interface OfficeParts {
	has: (name: string) => boolean;
	/** Throws an error if the part is missing or damaged. */
	read: (name: string) => Promise<Uint8Array>;
}

/** What a style of a Word file says. */
export interface WordStyle {
	basedOn?: string;
	/** Of a heading, from 0. 9 is the level of other texts. */
	level?: number;
	isHidden?: boolean;
	numbering?: XmlElement;
}

/** A level of a list in a Word file. */
export interface WordLevel {
	/** Such as `decimal` or `bullet`. */
	format: string;
	/** Such as `%1.%2`. */
	text: string;
	start: number;
}

/** The format of a cell. Built-in formats have no code. */
export interface NumberFormat {
	id: number;
	code?: string;
}

/** What a person wants to know of a sync first. */
export interface SyncState {
	workflow: string;
	name: string;
	/** All its runs, the oldest first. */
	runs: Partial<SyncRun>[];
	last: Partial<SyncRun>;
	lastEnded?: Partial<SyncRun>;
	lastComplete?: Partial<SyncRun>;
	isRunning: boolean;
	isKilled: boolean;
	isLate: boolean;
	light: 'red' | 'amber' | 'green';
}
