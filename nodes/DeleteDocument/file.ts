import type { Outcome } from '../shared/flow/deliver';
import { deliverEach } from '../shared/flow/deliver-each';
import { fieldOf } from '../shared/n8n/fields';
import { FileReport } from '../shared/n8n/file-report';
import { checkFields, openItemFile, type RecordFile } from '../shared/n8n/record-file';
import type { Run } from '../shared/n8n/run';
import type { SourceRecord } from '../shared/records/record';
import { documentId } from '../shared/service/document-id';
import { deletePath } from '../shared/service/push';
import { deleting, outcomeMessage } from '../shared/service/wording';
import type { DeleteOptions, DeleteParameters } from './properties';
import { isCommitted, type Answer, type Deleting } from './sender';

/** An ID to delete, and the record it comes from. */
interface IdEntry {
	source: SourceRecord;
	id: string;
}

/**
 * Deletes the documents that the files of all input items name, one file after the other. No more of
 * a file is held than the requests in flight need, so an ID that occurs twice is deleted twice. Each
 * file gives one item; see docs/files.md.
 */
export async function deleteFromFiles(
	run: Run,
	parameters: DeleteParameters,
	options: DeleteOptions,
	requests: Deleting,
): Promise<void> {
	const commitsLast = requests.commit === 'lastDeleteOnly';
	let isDone = !commitsLast;
	for (const itemIndex of run.items.keys()) {
		if (run.ended) break;
		const isLast = commitsLast && itemIndex === run.items.length - 1;
		let file: RecordFile | undefined;
		let report: FileReport | undefined;
		try {
			file = await openItemFile(
				run,
				parameters,
				{ ...options, otherwise: 'lines' },
				itemIndex,
			);
			report = reportOn(run, file, parameters, options, itemIndex);
			const idField = parameters.requiredText('idField', itemIndex);
			const ids = readIds(file, report, idField, requests.endpoint);
			const last = await deleteAll(ids, report, requests, isLast);
			isDone ||= last !== undefined && isCommitted(last);
			await report.end();
		} catch (error) {
			run.refuse(itemIndex, error);
		} finally {
			report?.close();
			file?.close();
		}
	}
	if (!isDone) await requests.sender.commit(requests);
}

function reportOn(
	run: Run,
	file: RecordFile,
	parameters: DeleteParameters,
	{ bytesPerFile, ignoreNotFound }: DeleteOptions,
	itemIndex: number,
): FileReport {
	const skip = parameters.number('options.skipRecords', itemIndex);
	const report = new FileReport(run, file, { itemIndex, done: 'deleted', skip, bytesPerFile });
	if (ignoreNotFound) report.others[NOT_FOUND] = 0;
	return report;
}

/** The count of IDs that the service does not know, if that is no failure. */
const NOT_FOUND = 'notFound';

/** The IDs of a file. Records without a usable ID fail immediately. */
function readIds(
	file: RecordFile,
	report: FileReport,
	idField: string,
	endpoint: string,
): AsyncGenerator<IdEntry, void, undefined> {
	const check = (first: SourceRecord) => checkFields(file, first, [[idField, 'ID Field']]);
	return report.read(check, (source) => {
		const id = idOf(source.value, idField);
		deletePath(endpoint, id);
		return { source, id };
	});
}

/** @throws InputError for an ID that cannot be used */
function idOf(record: unknown, idField: string): string {
	if (typeof record !== 'object' || record === null || Array.isArray(record)) {
		return documentId(record, 'ID');
	}
	return documentId(fieldOf(record, idField), idField);
}

/**
 * Deletes the documents of one file.
 *
 * @param commits whether the last delete is sent after all others, with the commit
 * @returns the outcome of that last delete, if there was one
 */
async function deleteAll(
	ids: AsyncIterable<IdEntry>,
	report: FileReport,
	requests: Deleting,
	commits: boolean,
): Promise<Outcome<Answer> | undefined> {
	const { sender, commit } = requests;
	const held: { entry?: IdEntry } = {};
	const send = async ({ id }: IdEntry, attempt: number) =>
		await sender.delete(id, attempt, commit === 'everyDelete');
	const sent = commits ? withoutLast(ids, held) : ids;
	for await (const { entry, outcome } of deliverEach(sent, send, requests)) {
		await account(entry, outcome, report);
	}
	if (held.entry === undefined) return undefined;
	const outcome = await sender.deleteAndCommit(held.entry.id, requests);
	await account(held.entry, outcome, report);
	return outcome;
}

/** All entries but the last one, which is put into `held`. */
async function* withoutLast(
	entries: AsyncIterable<IdEntry>,
	held: { entry?: IdEntry },
): AsyncGenerator<IdEntry, void, undefined> {
	for await (const entry of entries) {
		if (held.entry) yield held.entry;
		held.entry = entry;
	}
}

async function account(
	{ source, id }: IdEntry,
	outcome: Outcome<Answer>,
	report: FileReport,
): Promise<void> {
	if (outcome.ok) {
		return report.succeed([source], outcome.response === 'notFound' ? NOT_FOUND : undefined);
	}
	if (outcome.skipped) return report.skip([source]);
	const { reason, verdict } = outcome;
	const message = outcomeMessage(deleting(id), reason);
	await report.fail(source, { reason, message, id, endsRun: verdict.action === 'stop' });
}
