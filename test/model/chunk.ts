/**
 * Chunk Text: submits texts, and fetches their chunks when their jobs have ended. Several texts share a request, and each
 * accepted request is one job.
 */
import type { IDataObject } from 'n8n-workflow';

import { chunksOf, cutOff, describedBy, shownChunks } from './chunks';
import { read } from './files';
import { fieldOf, isBlank, isRecord, textOf } from './model';
import type { Entry, Expected, Failure, Item, Shown } from './model';
import { Sending } from './sending';
import { namesOf, type ChunkGiven, type Document, type JobFault, type Part } from './texts';

/** Returns what a run of Chunk Text does. */
export function predictChunk(given: ChunkGiven): Expected {
	const isFile = given.source === 'file';
	// The items of Get Results come from a Submit that goes on after failures.
	const isStop = given.onError === 'stopWorkflow' && given.operation !== 'getResults';
	const { sending, wait } = sendingOf(given);
	const documents: Document[] = [];
	/** Documents that are read, even if the run ends before they count. */
	let all = documents;
	const add = (document: Document) => {
		for (const part of document.parts) sending.add(part);
	};
	if (isFile) {
		const { skipRecords, maxRecords } = given;
		const records = given.items.flatMap((item, at) => recordsOf(given, item, at));
		all = records;
		for (const document of records.slice(
			0,
			maxRecords > 0 ? skipRecords + maxRecords : undefined,
		)) {
			documents.push(document);
			if ((document.record ?? 0) <= skipRecords) document.fate = { is: 'skipped' };
			else if (document.fate?.is !== 'failed') add(document);
			else if (isStop) sending.ended ??= document.fate.failure;
			if (sending.ended) break;
		}
		const isDamaged = given.items.some(({ file }) => file && read(file).readError);
		if (isDamaged && isStop) sending.ended ??= { claim: 'invalid' };
	} else {
		documents.push(...given.items.map((item, at) => documentOf(given, item, at)));
		// If no item has a value, there is no table with blank rows, and all items fail.
		if (documents.every(({ fate }) => fate?.is === 'blank'))
			for (const document of documents) document.fate = invalid();
		if (isStop)
			for (const document of documents.filter(isUnsendable(given.bytesPerRequest)))
				document.fate ??= {
					is: 'failed',
					failure: {
						claim: 'not',
						...(document.id !== undefined && { id: document.id }),
					},
				};
		if (isStop && documents.some(({ fate }) => fate?.is === 'failed'))
			sending.ended = { claim: 'invalid' };
		for (const document of documents) if (!document.fate) add(document);
	}
	if (!sending.ended) sending.finish();
	if (given.operation === 'submitAndWait') wait(documents.flatMap(({ parts }) => parts));
	for (const document of documents) settle(given, document, sending.ended);
	return given.operation === 'getResults'
		? predictFetch(given, documents)
		: expectedOf(given, documents, sending, { all });
}

const invalid = (id?: string): Entry['fate'] => ({
	is: 'failed',
	failure: { claim: 'invalid', ...(id !== undefined && { id }) },
});

// Reading

/** Returns the text of an item. */
function documentOf(given: ChunkGiven, { json, file }: Item, item: number): Document {
	const entry = { item, fields: json, parts: [] };
	if (given.source === 'item') {
		if (Object.values(json).every(isBlank)) return { ...entry, fate: { is: 'blank' } };
		return checked(given, entry, json.text, json.id, json.name);
	}
	if (file === undefined) return { ...entry, fate: invalid() };
	const { name, text = '' } = file;
	if (text === '' || /^\s*<!doctype html/i.test(text) || text.includes('\0'))
		return { ...entry, fate: invalid() };
	if (Buffer.byteLength(text) > given.bytesPerRequest) return { ...entry, fate: invalid() };
	if (given.items.filter((one) => one.file?.name === name).length > 1)
		return { ...entry, fate: invalid(name) };
	return checked(given, entry, text, name, name.replace(/\.[^.]*$/, ''));
}

/** Returns the texts of a file with records. */
function recordsOf(given: ChunkGiven, { file }: Item, item: number): Document[] {
	if (file === undefined) return [];
	const { fields } = given;
	return read(file).records.map(({ source, value, is }, at) => {
		const entry = { item, record: at + 1, source, fields: {}, parts: [] };
		if (is === 'unreadable')
			return {
				...entry,
				isUnreadable: true,
				hasOnlyLine: file.format === 'jsonLines',
				fate: invalid(),
			};
		if (!isRecord(value)) return { ...entry, fate: invalid() };
		const [text, id, name] = [fields.text, fields.id, fields.name].map((field) =>
			fieldOf(value, field),
		);
		return checked(given, { ...entry, fields: value }, text, id, name);
	});
}

/** Checks the text, and the ID and name if the output needs them. */
function checked(
	given: ChunkGiven,
	entry: Document,
	text: unknown,
	id: unknown,
	name: unknown,
): Document {
	const { source, operation, output, fields } = given;
	const isFile = source === 'file';
	const isNeeded = operation === 'submitAndWait' ? output !== 'chunks' : isFile;
	const idText = textOf(id, true);
	// Open: in a file, white space is a name, and true and false are none. In an item, it is the other way round.
	const nameText = textOf(
		isFile ? name : isBlank(name) ? '' : typeof name === 'boolean' ? String(name) : name,
		false,
	);
	const document: Document = {
		...entry,
		...(isNeeded && { id: idText.text, name: nameText.text }),
		description: fieldOf(entry.fields, isFile ? fields.description : 'description'),
		url: fieldOf(entry.fields, isFile ? fields.url : 'url'),
	};
	// An ID that a spreadsheet has shortened is nobody's ID.
	const fails = { ...document, fate: invalid(idText.is ? undefined : document.id) };
	if (isNeeded && (idText.is || nameText.is)) return fails;
	const pages = Array.isArray(text) ? (text as string[]) : undefined;
	const isPlain = ['string', 'number', 'boolean'].includes(typeof text);
	const whole = pages ? pages.join('\n\n') : isPlain ? String(text) : undefined;
	// An empty text is a document without chunks.
	if (whole === '' && !pages && operation === 'submitAndWait' && output === 'perDocument')
		return document;
	if (whole === undefined || whole === '' || (pages && whole.trim() === '')) return fails;
	const { bytesPerRequest: limit } = given;
	const part = (text: string, firstPage?: number): Part => ({
		item: entry.item,
		...(document.id !== undefined && { id: document.id }),
		text,
		...(firstPage !== undefined && { firstPage }),
	});
	if (pages) document.pages = pages;
	if (!pages || Buffer.byteLength(whole) <= limit || operation === 'submit') {
		document.parts = [part(whole, pages && 1)];
		return document;
	}
	// A large document is cut between pages.
	let group: string[] = [];
	for (const [at, page] of [...pages, undefined].entries()) {
		const isFull =
			page === undefined || Buffer.byteLength([...group, page].join('\n\n')) > limit;
		if (isFull && group.length > 0) {
			document.parts.push({
				...part(group.join('\n\n'), at - group.length + 1),
				isCut: true,
			});
			group = [];
		}
		if (page !== undefined) group.push(page);
	}
	return document;
}

// Submitting and waiting

/** Text that a run sends, and the jobs of its requests. */
function sendingOf(given: ChunkGiven) {
	const { textsPerRequest: count, bytesPerRequest: bytes, fault } = given;
	const textsOf = (batch: Entry[]) => (batch as Part[]).map(({ text }) => text);
	const isHit = (batch: Entry[]) => textsOf(batch).some((text) => text.includes('hit'));
	const bodyOf = (batch: Entry[]) => ({
		batch: textsOf(batch).map((text) => ({ text })),
		...(given.quantization !== 'none' && {
			modelConfig: { vectorQuantizationMethod: given.quantization },
		}),
		chunkerConfig: given.chunker === 'lines' ? { maxChunkSize: 1 } : { regex: 'nothing.*' },
	});
	const jobs = new Set<Part[]>();
	const answer = (batch: Entry[]) => {
		for (const part of batch as Part[]) part.job = batch as Part[];
		return { rejected: [], isComplaint: false, responseOf: () => undefined };
	};
	const sending = new Sending(
		{
			onError: given.operation === 'getResults' ? 'continueRegularOutput' : given.onError,
			dryRun: false,
		},
		{ count, bytes },
		{ fault, isHit, answer, bodyLimit: Infinity },
		{
			bodyOf,
			contentOf: bodyOf,
			sizeOf: (batch) =>
				textsOf(batch).reduce((sum, text) => sum + Buffer.byteLength(text), 0),
			isEachSent: true,
			// A 401 counts after four attempts with other tokens.
			attemptsWith401: 5,
		},
	);
	const { jobFault, onError, whenTimeRunsOut, output, source } = given;
	const canReturn = whenTimeRunsOut === 'output' && output !== 'perDocument' && source !== 'file';
	/** Gives the parts of all jobs their chunks, or the reason why there are none. */
	const wait = (parts: Part[]) => {
		for (const { job, fate } of parts) if (job && fate?.is === 'done') jobs.add(job);
		const struck = [...jobs].filter((job) => jobFault !== 'nothing' && isHit(job));
		const others = [...jobs].filter((job) => !struck.includes(job));
		for (const job of others) finish(given, job);
		for (const job of struck) {
			const isAlone = others.length === 0;
			const again =
				jobFault.toString().startsWith('ERROR') &&
				job.length > 1 &&
				!isAlone &&
				onError !== 'stopWorkflow'
					? job.map((part) => [part])
					: jobFault.toString().startsWith('lost') && !isAlone
						? [job]
						: [];
			if (jobFault.toString().startsWith('ERROR') && again.length > 0)
				sending.figures.splits++;
			for (const batch of again) sending.again(batch);
			if (isPolledAgain(jobFault)) {
				sending.figures.retries++;
				if (jobFault === 'once 429') sending.figures.throttled++;
			}
			if (again.length === 0) fail(given, job, canReturn);
			for (const batch of again)
				if (isHit(batch) && !jobFault.toString().endsWith('once'))
					fail(given, batch, false);
				else finish(given, batch);
		}
	};
	return { sending, wait };
}

type Wait = Pick<ChunkGiven, 'chunker' | 'maxChunks' | 'jobFault' | 'operation' | 'wait'>;

/** Gives the texts of a job their chunks. The service may return only the first ones. */
function finish({ chunker, maxChunks }: Wait, job: Part[]): void {
	let left = maxChunks;
	for (const part of job) {
		part.chunks = chunksOf(part.text, chunker).slice(0, left);
		left -= part.chunks.length;
		part.fate = { is: 'done', shown: {} };
	}
}

const isPolledAgain = (fault: JobFault): boolean => fault === 'once 429' || fault === 'once 500';

/** Decides what a fault does to the texts of a job. */
function fail(given: Wait, job: Part[], canReturn: boolean): void {
	const { jobFault } = given;
	if (['nothing', 'no vectors', 'once 429', 'once 500'].includes(String(jobFault))) {
		finish(given, job);
		for (const part of job)
			if (jobFault === 'no vectors')
				part.chunks = part.chunks?.map((chunk) => ({ ...chunk, hasNoVector: true }));
		return;
	}
	for (const [at, part] of job.entries()) {
		const failure: Failure = {
			claim: 'job',
			...(part.id !== undefined && { id: part.id }),
			...statusOf(jobFault),
			...whereIs(part),
			// A response is returned once, with the first text.
			...(['mismatch', 'cut'].includes(String(jobFault)) &&
				at === 0 && { hasResponse: true }),
		};
		const isUnfinished = canReturn && !part.isCut && ['never', 500].includes(jobFault);
		part.fate = isUnfinished ? { is: 'unfinished' } : { is: 'failed', failure };
	}
}

const jobOf = (parts: Part[]): string[] => namesOf(parts.map(({ text }) => text));

/** If time runs out, the failure has no status. */
const statusOf = (fault: JobFault): Pick<Failure, 'httpStatus'> =>
	typeof fault === 'number' && fault !== 500
		? { httpStatus: fault }
		: String(fault).startsWith('lost')
			? { httpStatus: 404 }
			: {};

const whereIs = (part: Part): Pick<Failure, 'job' | 'textPosition'> => ({
	job: jobOf(part.job ?? []),
	textPosition: part.job?.indexOf(part) ?? 0,
});

/** A document has the fate of its texts. If one of them fails, the document fails. */
function settle({ onError }: ChunkGiven, document: Document, ended?: Failure): void {
	if (document.fate) return;
	const { parts, id } = document;
	for (const part of parts) {
		if (part.fate) continue;
		if (ended === undefined) throw new Error(`Text ${part.text} has no fate`);
		part.fate =
			onError === 'stopWorkflow' || document.record !== undefined
				? { is: 'skipped' }
				: { is: 'failed', failure: { ...ended, ...(id !== undefined && { id }) } };
	}
	const fates = parts.map(({ fate }) => fate);
	document.fate = fates.find((fate) => fate?.is === 'failed') ??
		fates.find((fate) => fate?.is !== 'done') ?? { is: 'done', shown: {} };
}

// Returning

const SUBMITTED = ['job', 'chunkingId', 'status', 'textPosition', 'textsInRequest'];

/** Predicts Get Results with the items of a Submit. Each job is fetched once for all its items. */
function predictFetch(given: ChunkGiven, submitted: Document[]): Expected {
	const isFile = given.source === 'file';
	const all = submitted.filter(({ fate }) => fate?.is === 'done');
	const jobs = [...new Set(all.flatMap(({ parts }) => parts.map(({ job }) => job ?? [])))];
	const documents = all.map((document, at): Document => {
		const item = isFile ? jobs.indexOf(document.parts[0]?.job ?? []) : at;
		const { fields } = document;
		const isNeeded = given.output !== 'chunks' && !isFile;
		const [id, name] = [textOf(fields.id, true), textOf(fields.name, false)];
		const { fate: _fate, record: _record, ...others } = document;
		return {
			...others,
			item,
			...(isFile && { fields: describedBy(document) as IDataObject }),
			...(!isFile && { fields: { ...fields, ...whereOf(document) } as IDataObject }),
			...(given.output === 'chunks' && { id: undefined as never }),
			...(isNeeded && { id: id.text, name: name.text }),
			...(isNeeded && (id.is || name.is) && { fate: invalid(id.text) }),
		};
	});
	const isStopped =
		given.onError === 'stopWorkflow' && documents.some(({ fate }) => fate !== undefined);
	const canReturn =
		!given.wait || (given.output !== 'perDocument' && given.whenTimeRunsOut === 'output');
	if (!isStopped)
		for (const job of jobs) {
			for (const part of job) delete part.fate;
			const isHit = job.some(({ text }) => text.includes('hit'));
			if (isHit) fail(given, job, canReturn);
			else finish(given, job);
		}
	for (const document of documents) {
		for (const part of document.parts)
			if (part.fate?.is === 'failed') part.fate.failure.id = document.id as string;
		settle(given, document, isStopped ? { claim: 'invalid' } : undefined);
	}
	const isAgain = !isStopped && jobs.length > 0 && isPolledAgain(given.jobFault);
	const figures = {
		...{ requests: 0, retries: Number(isAgain), splits: 0, bytes: 0 },
		throttled: Number(isAgain && given.jobFault === 'once 429'),
	};
	const sending = { sent: [], figures, ended: undefined, firstFailed: undefined };
	return expectedOf({ ...given, source: 'item' }, documents, sending, { isFetchOfFile: isFile });
}

function expectedOf(
	given: ChunkGiven,
	documents: Document[],
	{
		sent,
		figures,
		ended,
		firstFailed,
	}: Pick<Sending, 'sent' | 'figures' | 'ended' | 'firstFailed'>,
	{ all = documents, isFetchOfFile = false }: { all?: Document[]; isFetchOfFile?: boolean } = {},
): Expected {
	const isFile = given.source === 'file';
	const failed = documents.filter(({ fate }) => fate?.is === 'failed');
	const isStopped =
		given.onError === 'stopWorkflow' && (ended !== undefined || failed.length > 0);
	const expected: Expected = {
		sent,
		figures,
		untimed: untimedOf(given, all, isStopped, ended !== undefined),
		output: [],
		failed: [],
		files: [],
		facts: isStopped ? {} : factsOf(given, documents, isFetchOfFile),
	};
	if (isStopped) {
		const first =
			documents.find(({ parts }) => parts.includes(firstFailed as Part)) ?? failed[0];
		const failure = first?.fate?.is === 'failed' ? first.fate.failure : (ended as Failure);
		// If no record is to blame, it is the one in which the file breaks off.
		const record = first ? first.record : all.length + 1;
		const at = isFile
			? record !== undefined && !first?.hasOnlyLine && { record }
			: { item: first?.item ?? 0 };
		// The claim of a job's failure is in its sentence.
		const claim = failure.claim === 'job' ? 'invalid' : failure.claim;
		return { ...expected, error: { claim, ...at } };
	}
	const chunks = documents.flatMap((document) => shownOf(given, document, documents));
	const isInFile = ({ json }: Shown) => !('removed' in json || 'status' in json);
	const written = given.toFiles && given.operation !== 'submit' ? chunks.filter(isInFile) : [];
	if (written.length > 0) {
		expected.written = written.map(({ json }) => json);
		const records = written.length;
		const of = [...new Set(written.map((one) => one.of[0] ?? 0))];
		chunks.push({ of, json: { part: 1, records } });
	}
	expected.output = chunks.filter((one) => !written.includes(one));
	if (!isFile)
		expected.failed = failed.map(({ item, fate }) => ({
			of: [item],
			json: {},
			...(fate?.is === 'failed' && { failure: fate.failure }),
		}));
	else if (hasSummary(given, documents))
		expected.files = [summaryOf(given, documents, ended !== undefined)];
	return expected;
}

/** The fields with which Get Results finds the job of a text, in the form of the model. */
function whereOf({ parts: [part] }: Document) {
	const job = part?.job ?? [];
	return {
		job: jobOf(job),
		status: 'SUBMITTED',
		textPosition: job.indexOf(part as Part),
		textsInRequest: job.length,
	};
}

/** The output items of a text. */
function shownOf(given: ChunkGiven, document: Document, documents: Document[]): Shown[] {
	const { fate, item, parts, fields } = document;
	const of = [item];
	const [part] = parts;
	const isSubmit = given.operation === 'submit';
	if ((isSubmit && fate?.is === 'done') || fate?.is === 'unfinished') {
		const job = part?.job ?? [];
		if (isSubmit && given.source === 'file') {
			if (job.indexOf(part as Part) !== 0) return [];
			const all = job.map((one) => documents.find(({ parts }) => parts.includes(one)));
			const [first, last] = [all.at(0)?.record, all.at(-1)?.record];
			const shown = {
				...{ job: jobOf(job), status: 'SUBMITTED', firstRecord: first, lastRecord: last },
				textsInRequest: job.length,
				documents: all.map((one) => (one ? describedBy(one) : {})),
			};
			return [{ of, json: shown as never }];
		}
		const kept = keptOf(given, fields, true);
		return [{ of, json: { ...kept, ...whereOf(document) } as never }];
	}
	if (fate?.is !== 'done') return [];
	const isRepeated = documents.some(
		(other) =>
			other !== document &&
			other.id !== undefined &&
			other.id === document.id &&
			!isInvalid(other.fate),
	);
	return shownChunks(given, document, keptOf(given, fields, false), isRepeated).map((json) => ({
		of,
		json,
	}));
}

/** The source fields in the output. */
function keptOf(
	{ keep, source, output, fields: { text } }: ChunkGiven,
	fields: IDataObject,
	isUnfinished: boolean,
): IDataObject {
	if (keep === 'none' || (keep === 'unset' && !isUnfinished)) return {};
	const isKept = (name: string) =>
		(isUnfinished || keep !== 'all' || output === 'perDocument' || name !== 'vector') &&
		(Array.isArray(keep)
			? keep.includes(name)
			: !(source === 'file' && name === text) &&
				(output === 'perDocument' || !SUBMITTED.includes(name)));
	return Object.fromEntries(Object.entries(fields).filter(([name]) => isKept(name)));
}

function factsOf(
	given: ChunkGiven,
	documents: Document[],
	isFetchOfFile = false,
): Record<string, number> {
	const count = (isCounted: (document: Document) => boolean) =>
		documents.filter(isCounted).length;
	const done = documents.filter(({ fate }) => fate?.is === 'done');
	const chunks = ({ parts }: Document) =>
		parts.flatMap((part) => (part.chunks ?? []).filter(({ text }) => !isBlank(text)));
	const ids = documents.flatMap(({ id, fate }) =>
		id === undefined || fate?.is === 'skipped' || isInvalid(fate) ? [] : [id],
	);
	return {
		...(given.source !== 'file' && {
			failed: count(({ fate }) => fate?.is === 'failed'),
			unfinished: count(({ fate }) => fate?.is === 'unfinished'),
		}),
		blank:
			given.source === 'file' ? blankRows(given) : count(({ fate }) => fate?.is === 'blank'),
		sameIds: isFetchOfFile ? 0 : ids.length - new Set(ids).size,
		noChunks:
			given.operation === 'submit'
				? 0
				: done.filter((one) => one.parts.length > 0 && chunks(one).length === 0).length,
		cutOff: done.filter((one) => cutOff(one) > 0).length,
		noVectors: done.filter(
			(one) =>
				given.vectors !== 'none' &&
				chunks(one).length > 0 &&
				chunks(one).every(({ hasNoVector }) => hasNoVector),
		).length,
	};
}

/** Counts the blank rows of the file in the chosen range. */
function blankRows({ items, skipRecords, maxRecords }: ChunkGiven): number {
	const files = items.flatMap(({ file }) => (file ? [read(file)] : []));
	const last = maxRecords > 0 ? skipRecords + maxRecords : undefined;
	return files
		.flatMap(({ records, blanks }) => [
			...records.slice(skipRecords, last),
			...(maxRecords === 0 && records.length > skipRecords ? [{ blanks }] : []),
		])
		.reduce((sum, { blanks = 0 }) => sum + blanks, 0);
}

const isInvalid = (fate: Entry['fate']): boolean =>
	fate?.is === 'failed' && fate.failure.claim === 'invalid';

/** If all went well and nothing is to be told, chunks that are items need no summary of their file. */
function hasSummary(given: ChunkGiven, documents: Document[]): boolean {
	const { toFiles, operation, maxRecords, items } = given;
	const isWhole = items.every(({ file }) => !file || !read(file).readError) && maxRecords === 0;
	const { blank: _blank, ...warnings } = factsOf(given, documents);
	return (
		toFiles ||
		operation === 'submit' ||
		!isWhole ||
		documents.some(({ fate }) => fate?.is === 'failed') ||
		Object.values(warnings).some((count) => count > 0)
	);
}

function summaryOf(
	given: ChunkGiven,
	documents: Document[],
	hasEnded: boolean,
): Expected['files'][number] {
	const { items, maxRecords } = given;
	const [{ file } = {}] = items;
	const { records, readError } = file ? read(file) : { records: [] };
	// The record where reading stops fails too.
	const isBroken = readError === true && documents.length === records.length;
	const count = (is: string) => documents.filter(({ fate }) => fate?.is === is).length;
	const failed = documents.filter(({ fate }) => fate?.is === 'failed');
	const chunks = documents
		.filter(({ fate }) => fate?.is === 'done')
		.flatMap(({ parts }) => parts.flatMap((part) => part.chunks ?? []))
		.filter(({ text }) => !isBlank(text));
	const verb = given.operation === 'submit' ? 'submitted' : 'chunked';
	const nothing = { of: 0, failed: [], unreadable: [], failures: [] };
	if (hasEnded)
		return { ...nothing, json: { [verb]: count('done'), hasEnded: true, unaccounted: 0 } };
	const sources = (isUnreadable: boolean) =>
		failed
			.filter((one) => (one.isUnreadable ?? false) === isUnreadable)
			.map(({ source = '' }) => source);
	return {
		of: 0,
		json: {
			records: documents.length + Number(isBroken),
			[verb]: count('done'),
			...(given.operation !== 'submit' && { chunks: chunks.length }),
			failed: failed.length + Number(isBroken),
			skipped: count('skipped'),
			atEnd: !readError && (maxRecords === 0 || documents.length === records.length),
			...(readError && { readError: true }),
		},
		failed: sources(false),
		unreadable: sources(true),
		failures: [
			...failed.map(({ record = 0, fate }) => {
				// The chunking ID is only in the sentence, and responses are in files of their own.
				const { claim, id, httpStatus } = (fate as { failure: Failure }).failure;
				return {
					record,
					claim: claim === 'job' ? ('invalid' as const) : claim,
					...(httpStatus !== undefined && { httpStatus }),
					...(given.output !== 'chunks' && id !== undefined && { id }),
				};
			}),
			...(isBroken ? [{ record: records.length + 1, claim: 'invalid' as const }] : []),
		],
	};
}

/** Whether the check of the text finds a fault, or the text is too large for a request. */
const isUnsendable =
	(limit: number) =>
	({ fate, parts }: Document): boolean =>
		isInvalid(fate) || parts.some(({ text }) => Buffer.byteLength(text) > limit);

/** What depends on time. */
function untimedOf(
	{ fault, jobFault, source, items, bytesPerRequest }: ChunkGiven,
	documents: Document[],
	isStopped: boolean,
	hasEnded: boolean,
): Expected['untimed'] {
	const untimed: Expected['untimed'] = [];
	if (fault === 503) untimed.push('sent', 'figures');
	// How far a file is read before the run ends depends on the speed of reading.
	if (source === 'file' && hasEnded) untimed.push('facts');
	// How often a failed poll is repeated depends on time.
	if (['lost', 'lost once', 'cut', 'page', 401, 500].includes(jobFault)) untimed.push('retries');
	// How many texts have been submitted when a job fails depends on time.
	if (isStopped && jobFault !== 'nothing') untimed.push('sent', 'figures');
	// A file is read while requests are in flight, so a bad record can end the run before any response.
	const isBad =
		documents.some(isUnsendable(bytesPerRequest)) ||
		items.some(({ file }) => file && read(file).readError);
	if (isStopped && isBad) {
		untimed.push('sent', 'figures');
		if (fault !== 'nothing' || jobFault !== 'nothing') untimed.push('error');
	}
	return untimed;
}
