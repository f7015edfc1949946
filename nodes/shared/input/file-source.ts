/**
 * Reads the files in the input items. `withFiles` first finds all files and then opens them one after
 * another. For each file, it calls the node's `use` function, which sends the entries. Records are read only
 * when a request needs them, so memory does not grow with the length of a file. An invalid record is passed
 * to its file's sink as a failure. If a file cannot be opened, its item fails. If the run ends early, each
 * unread file gets its own error. In this way, every file and every record is accounted for.
 */
import type { IBinaryData } from 'n8n-workflow';

import { quoted } from '../service/strings';
import type { Run } from '../run/run';
import type { FileSink } from '../output/file-sink';
import type { RecordFile } from '../output/record-file';
import type { EntryOrigin } from '../output/sink';
import { IdChecks } from './id-checks';
import { hasFile, inputFile } from './files';
import { withJsonCells } from './json-columns';
import {
	checkFields,
	openFile,
	type FileParameters,
	type Files,
	type RequiredField,
} from './open-file';
import { failedBefore, passOnSummary, type Reading, type Source } from './source';
import { InputError, messageOf } from '../service/input-error';
import { readError } from './file-errors';

export interface FileReading<E extends EntryOrigin> extends Reading<E> {
	requiredFields: readonly RequiredField[];
	sink: FileSink;
}

/** Maximum number of files to name in an error message. The message names the files that were opened last. */
const MAX_FILES_NAMED = 3;

/**
 * Reads the files in all input items, one after another. An item without a usable file fails. If an item is a
 * file summary from another node of this package, it is passed on unchanged.
 *
 * @param use sends the entries of a file. When it returns, every entry has an outcome
 */
export async function withFiles<E extends EntryOrigin, R extends FileReading<E>>(
	files: Files,
	readingOf: (file: RecordFile) => R,
	use: (source: Source<E>, reading: R) => Promise<void>,
): Promise<void> {
	const { run, parameters, overlaps = false, areDeleted = false } = files;
	const checks = new IdChecks(areDeleted);
	const unfinished = new Set<Promise<void>>();
	const sinks = new Set<FileSink>();
	const locations: Array<{ itemIndex: number; location: string | IBinaryData }> = [];
	for (const itemIndex of run.items.keys()) {
		await run.yieldToOthers();
		if (run.returnsNothing) break;
		for (const location of locationsOf(run, parameters, itemIndex))
			locations.push({ itemIndex, location });
	}
	for (const [at, { itemIndex, location }] of locations.entries()) {
		await run.yieldToOthers();
		if (run.returnsNothing) break;
		const opened = run.ended ? undefined : await open(files, itemIndex, location, readingOf);
		if (opened === undefined) {
			if (run.ended) failUnreadFile(run, itemIndex, location);
			continue;
		}
		const { reading } = opened;
		const { sink } = reading;
		sinks.add(sink);
		run.logLines = () => [...sinks].map((one) => one.logLine());
		run.progress = () => progressOf(sinks.size > 0 ? [...sinks] : [sink]);
		const isLast = at === locations.length - 1;
		let onRead: () => void = () => undefined;
		const read = new Promise<void>((resolve) => (onRead = resolve));
		const source = { entries: entriesOf(files, opened, checks, onRead), sink, isLast };
		const useSource = async () => await use(source, reading);
		const using: Promise<void> = useFile(run, opened, useSource).finally(() => {
			if (!run.ended) sinks.delete(sink);
			unfinished.delete(using);
		});
		unfinished.add(using);
		await (overlaps ? Promise.race([read, using]) : using);
	}
	await Promise.all(unfinished);
}

const progressOf = (sinks: readonly FileSink[]): string =>
	sinks
		.slice(-MAX_FILES_NAMED)
		.map((sink) => sink.progress())
		.reduce((before, text) => `${before.replace(/\.$/, '')}. ${text}`);

interface Opened<R> {
	file: RecordFile;
	reading: R;
}

/** If opening fails, the files in the item's other fields are still read. */
async function open<R>(
	files: Files,
	itemIndex: number,
	location: string | IBinaryData,
	readingOf: (file: RecordFile) => R,
): Promise<Opened<R> | undefined> {
	const { run } = files;
	let file: RecordFile | undefined;
	try {
		file = await openFile(files, itemIndex, location);
		return { file, reading: readingOf(file) };
	} catch (error) {
		file?.close();
		// When a run ends, it closes all files, even those that are still being opened. The error that results from
		// closing such a file is not reported.
		if (!run.ended) run.refuse(itemIndex, error);
		return undefined;
	}
}

async function useFile(
	run: Run,
	{ file, reading: { sink } }: Opened<{ sink: FileSink }>,
	use: () => Promise<void>,
): Promise<void> {
	try {
		await use();
		await sink.close();
	} catch (error) {
		run.refuse(file.itemIndex, error);
	} finally {
		file.close();
	}
}

function failUnreadFile(run: Run, itemIndex: number, location: string | IBinaryData): void {
	if (typeof location === 'string' && !hasFile(run, itemIndex, location)) return;
	const reason = run.ended?.reason;
	const { name } = inputFile(run, itemIndex, location);
	const message = `The file ${quoted(name)} was not read: ${messageOf(reason)}`;
	run.fail(itemIndex, { reason, message, json: { file: name }, skipped: true });
}

/**
 * Returns the fields that contain an item's files. The parameter may name several fields, separated by
 * commas. Fields without a file are ignored.
 */
function locationsOf(
	run: Run,
	parameters: FileParameters,
	itemIndex: number,
): Array<string | IBinaryData> {
	try {
		const location = parameters.file('binaryPropertyName', itemIndex);
		if (typeof location !== 'string') return [location];
		const names = [...new Set(location.split(',').flatMap((name) => name.trim() || []))];
		const found = names.filter((name) => hasFile(run, itemIndex, name));
		for (const name of names)
			if (found.length > 0 && !found.includes(name))
				run.hintAtFile(`Item ${itemIndex} has no file in the field ${quoted(name)}`, '');
		if (found.length > 0) return found;
		// If none of the fields contains a file, the error names the first field.
		return passOnSummary(run, itemIndex) ? [] : [names[0] ?? ''];
	} catch (error) {
		run.refuse(itemIndex, error);
		return [];
	}
}

/**
 * Records that cannot be sent are passed to the sink as failures.
 *
 * @param onRead function that is called when the file's last record has been read
 * @throws InputError if no record can be read or a required field is missing
 */
async function* entriesOf<E extends EntryOrigin>(
	{ run, options: { jsonColumns } }: Files,
	{ file, reading: { requiredFields, entryOf, idOf, sink } }: Opened<FileReading<E>>,
	checks: IdChecks,
	onRead: () => void,
): AsyncGenerator<E[], void, undefined> {
	const { itemIndex, skip, max, findings } = file;
	const items = [itemIndex];
	const last = max === 0 ? Infinity : skip + max;
	const columns = file.format === 'csv' ? jsonColumns : [];
	const fields = [
		...requiredFields,
		...columns.map((name): RequiredField => [name, 'JSON Columns']),
	];
	const fieldNames = requiredFields.map(([field]) => field);
	let isFirst = true;
	let at = 0;
	try {
		for await (const records of file.records(fieldNames)) {
			const slice: E[] = [];
			for (const record of records) {
				const pause = run.yieldToOthers();
				if (pause) await pause;
				if (run.ended || record.record > last) break;
				if (isFirst) checkFields(run, file, record, fields);
				isFirst = false;
				at = record.record;
				const origin = { items, record };
				try {
					if (record.error) throw record.error;
					if (columns.length > 0)
						record.value = withJsonCells(record.value as object, columns);
					const entry = entryOf(record.value, origin);
					checks.check(entry, findings);
					slice.push(entry);
				} catch (reason) {
					const failure = failedBefore(reason, record.value);
					await sink.addFailure(
						origin,
						failure ?? { reason, id: idOf?.(record.value, origin) },
					);
				}
			}
			if (slice.length > 0) yield slice;
			if (run.ended || (records.at(-1)?.record ?? 0) > last) return;
		}
		if (isFirst && !run.ended) checkFields(run, file, undefined, fields);
		sink.isAtEnd = !run.ended;
	} catch (error) {
		// Errors are ignored in two cases. If the run has ended, it has closed its files, so any read fails. If the
		// error occurs after the last requested record, the error does not affect this run.
		if (run.ended || at >= last) return;
		const read = Math.max(at, Math.min(skip, file.reader.position.record - 1));
		if (read === 0 || error instanceof InputError) throw readError(file.name, error);
		sink.breakOff(read + 1, error);
	} finally {
		onRead();
	}
}
