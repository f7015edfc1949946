/** What failed is returned as it was, and what a user does with what is left leads to the end. */
import { endOf, failedIn, showsCut, wantedOf, type FilePlan } from '../files';
import { failedFilesOf, wordsOf } from '../played';
import type { Check, Found } from './invariant';
import { answersOf, perAnswer } from './outcomes';

/** The files of failed records hold these, each once and as it was. */
const failedRecords = perAnswer(({ run, input: { file }, item, summary }) => {
	const wrong = (detail: string): Found => [['wrong failed records', `${file.name}: ${detail}`]];
	const expected = summary.failures.flatMap(({ record }) => file.records[record - 1] ?? []);
	const returned: string[] = [];
	for (const { text, field, isUnreadable } of failedFilesOf(run, item)) {
		const found = failedIn(text, file);
		if (found.stray !== '') return wrong(`${field} has ${found.stray.slice(0, 200)}`);
		if (found.records.some((record) => (record.isUnreadable ?? false) !== isUnreadable)) {
			return wrong(`${field} mixes readable and unreadable records`);
		}
		const listed = summary.deadLetters.find((entry) => entry.field === field);
		if (listed?.records !== found.records.length || listed.bytes !== Buffer.byteLength(text)) {
			return wrong(`${field} is not as listed`);
		}
		returned.push(...found.records.map((record) => record.text));
	}
	const texts = expected.map(({ text }) => text);
	return texts.sort().join('\n') === returned.sort().join('\n')
		? []
		: wrong(`${returned.length} instead of ${texts.length} of ${summary.failed}`);
});

/** A failure names the document that it is about. */
const ids = perAnswer(({ input: { file }, summary }) =>
	summary.failures
		.filter(({ record, id }) => {
			const expected = file.records[record - 1]?.id;
			return id !== undefined && expected !== undefined && id !== expected;
		})
		.map(({ record, id }) => ['wrong failed records', `record ${record} is not '${id}'`]),
);

/** Once nothing is in the way, what a user does with what is left leads to the end. */
const resumed: Check = ({ world, runs, server }) => {
	const last = runs.at(-1);
	if (last === undefined || world.files === undefined) return [];
	const { truth } = server.service;
	const lost = (detail: string): Found => [['lost by resuming', detail]];
	if (last.canceled) return [];
	if (server.service.isHealed && last.inputs.length > 0 && last !== runs[0]) {
		if (last.result.error !== undefined) return lost(wordsOf(last));
		for (const { summary, input, isEnded } of answersOf(last)) {
			const { file } = input;
			const read = file.records.slice(file.skip, endOf(file));
			const bad = read.filter(({ key }) => !key).length;
			const isRight = summary.failed === bad + (showsCut(file) ? 1 : 0);
			if (isEnded || !isRight) return lost(JSON.stringify(summary));
		}
	}
	// A service that calls a document unknown may be believed.
	const calledUnknown = server.played.some((fault) => 'status' in fault && fault.status === 404);
	if (world.node === 'delete' && calledUnknown) return [];
	const missing = world.files
		.flatMap(wantedOf)
		.find(({ key = '' }) =>
			world.node === 'delete' ? truth.index.has(key) : !last.effects.has(key),
		);
	if (missing) return lost(`${missing.text} is missing`);
	// Failed records that are pushed later may replace newer versions.
	const inOrder = world.onError === 'stopWorkflow' || runs.length === 1;
	return world.node === 'push' && inOrder ? versions(world.files, truth.index) : [];
};

/** The index has the last version of each document. */
function versions(files: FilePlan[], index: ReadonlyMap<string, string>): Found {
	const expected = new Map(files.flatMap(wantedOf).map(({ id = '', key = '' }) => [id, key]));
	return [...expected]
		.filter(([id, version]) => index.get(id) !== version)
		.map(([id, version]) => [
			'lost by resuming',
			`${id} is ${index.get(id)} instead of ${version}`,
		]);
}

export const REST: Check[] = [failedRecords, ids, resumed];
