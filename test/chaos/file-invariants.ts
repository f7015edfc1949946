/** What must be true of every file that was read, and of what is left of it. */
import type { INodeExecutionData } from 'n8n-workflow';

import { claimOf, denialsIn, recordIn, summaryOf, type Summary } from './adapter';
import { endOf, failedIn, showsCut, wantedOf, type FilePlan, type FileRecord } from './file-plan';
import { isClear } from './faults';
import { failedFilesOf, type FileInput } from './file-runs';
import type { Check } from './invariants';
import { itemsOf, pairedWith, wordsOf, type Aftermath, type Played } from './run-world';
import type { World } from './world';

type Found = ReturnType<Check>;

/** The item of a file, and what it was given. */
interface Answer {
	run: Played;
	input: FileInput;
	item: INodeExecutionData;
	summary: Summary;
	/** The run ended before the file did. */
	isEnded: boolean;
}

/** The items that sum up the files of a run. */
function answersOf(run: Played): Answer[] {
	const items = [...run.result.output, ...run.result.errorOutput];
	return run.inputs.flatMap((input, at) =>
		items
			.filter((item) => pairedWith(item).includes(at))
			.flatMap((item) => {
				const summary = summaryOf(item.json);
				const isEnded = claimOf(item.json).error !== undefined;
				return summary === undefined ? [] : [{ run, input, item, summary, isEnded }];
			}),
	);
}

const perAnswer =
	(check: (answer: Answer, after: Aftermath) => Found): Check =>
	(after) =>
		after.runs.flatMap((run) => answersOf(run).flatMap((answer) => check(answer, after)));

/** A file that was read is summed up once; one that was not has an error. */
const summedUp: Check = ({ runs }) =>
	runs.flatMap((run) => {
		if (run.canceled || run.result.error !== undefined) return [];
		const answers = answersOf(run);
		const failed = [...run.result.output, ...run.result.errorOutput].filter(
			(item) => claimOf(item.json).error !== undefined,
		);
		return run.inputs.flatMap((input, at): Found => {
			const mine = answers.filter((answer) => answer.input === input).length;
			const isFailed = failed.some((item) => pairedWith(item).includes(at));
			return (mine === 1 && !input.file.refused) || (mine === 0 && isFailed)
				? []
				: [['every record once', `${mine} summaries of ${input.file.name}`]];
		});
	});

/** Records that were read and are to be sent, but for those that failed. */
function answered({ input: { file }, summary }: Answer): FileRecord[] {
	const failed = new Set(summary.failures.map(({ record }) => record - 1));
	return file.records
		.slice(0, summary.records)
		.filter((_, at) => at >= file.skip && !failed.has(at));
}

const accounted = perAnswer(({ input: { file }, summary, isEnded }) => {
	const { records, done, failed, skipped, notFound, failures, failureCounts } = summary;
	const wrong = (detail: string): Found => [
		['every record once', `${file.name}: ${detail}, ${JSON.stringify(summary)}`],
	];
	if (done + failed + skipped + notFound !== records) return wrong('they do not add up');
	const count = (numbers: number[]) => numbers.reduce((sum, number) => sum + number, 0);
	const inAll = [failures.length, count(failureCounts.map((entry) => entry.records))];
	if (inAll.some((number) => number !== failed)) return wrong('failures are missing');
	if (new Set(failures.map(({ record }) => record)).size !== failed) return wrong('one twice');
	const all = Math.min(file.records.length + (file.isCut ? 1 : 0), endOf(file));
	if (isEnded) return records > all ? wrong('more than there are') : [];
	if (records !== all) return wrong(`of ${all} records`);
	if (showsCut(file) !== (summary.readError !== undefined)) return wrong('where the file ends');
	return skipped === Math.min(file.skip, file.records.length) ? [] : wrong('skipped too many');
});

/** What it counts as done has taken effect. */
const records = perAnswer((answer, { world, server }) => {
	const { run, summary, input } = answer;
	const { index } = server.service.truth;
	const isGone = (key: string) => world.node === 'delete' && !index.has(key);
	const without = answered(answer).filter(
		({ key }) => key === undefined || !(run.effects.has(key) || isGone(key)),
	);
	const { skip, records: all } = input.file;
	const unsent = summary.skipped - Math.min(skip, all.length, summary.records);
	return without.length > unsent + summary.notFound
		? [['claims too much', `${input.file.name}: ${without[0]?.text} is not among the failed`]]
		: [];
});

/** Ranges without a gap cover each record once. */
const onceInRanges: Check = ({ world, runs, server }) => {
	const { files = [] } = world;
	const isPlain = runs.length === 1 && server.played.length === 0 && !runs[0]?.canceled;
	if (!isPlain || files.every(({ max }) => max === undefined)) return [];
	// The last delete may be repeated to commit.
	if (world.settings.commit === 'lastDeleteOnly') return [];
	const { truth } = server.service;
	const timesOf = (key: string): number => {
		if (world.node === 'push') return truth.document(key).accepted;
		if (world.node === 'chunk') return truth.texts.get(key)?.jobs.length ?? 0;
		return truth.requestedDeletes.filter((id) => id === key).length;
	};
	const keys = files.flatMap(wantedOf).map(({ key = '' }) => key);
	return [...new Set(keys)]
		.filter((key) => timesOf(key) > keys.filter((other) => other === key).length)
		.map((key) => ['every record once', `${key} was read ${timesOf(key)} times`]);
};

/** A response that repeats the documents says clearly what became of each. */
const clearAnswers = perAnswer(({ run, input: { file }, summary }, { world, server }) => {
	if (!isClear(world.service, server.played)) return [];
	return summary.failures
		.filter(({ record }) => run.effects.has(file.records[record - 1]?.key ?? ''))
		.map(({ record, error }) => ['denies what happened', `record ${record}: ${error}`]);
});

/** A second delete of the same document finds nothing, and may say so. */
const mayBeMissing = ({ files = [] }: World, { key }: FileRecord): boolean =>
	files.flatMap((file) => file.records).filter((record) => record.key === key).length > 1;

function denies(world: World, run: Played, file: FilePlan, number: number, words: string): Found {
	const record = file.records[number - 1];
	const [denial] = denialsIn(words);
	if (denial === undefined || record?.key === undefined) return [];
	const isKnown = run.effects.has(record.key) && !mayBeMissing(world, record);
	return isKnown ? [['denies what happened', `${file.name}, record ${number}: ${denial}`]] : [];
}

const denials = perAnswer(({ run, input: { file }, summary }, { world }) =>
	summary.failures.flatMap(({ record, error }) => denies(world, run, file, record, error)),
);

const stopDenials: Check = ({ runs, world }) =>
	runs.flatMap((run) => {
		const words = wordsOf(run);
		const input = run.inputs.find(({ file }) => words.includes(`'${file.name}'`));
		return input === undefined ? [] : denies(world, run, input.file, recordIn(words), words);
	});

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

/** The number of chunks is that of what was returned. */
const chunkCount: Check = ({ runs, world }) =>
	runs.flatMap((run) => {
		const isCounted = ['chunks', 'documents'].includes(String(run.settings.chunkOutput));
		const answers = answersOf(run);
		if (world.node !== 'chunk' || !isCounted || answers.length === 0) return [];
		if (answers.some(({ summary }) => summary.chunks === undefined)) return [];
		const claimed = answers.reduce((sum, { summary }) => sum + (summary.chunks ?? 0), 0);
		const returned = itemsOf(run).filter(
			({ json }) => typeof json.text === 'string' && json.chunkCount !== 0,
		).length;
		return claimed === returned
			? []
			: [['every record once', `${claimed} chunks, but ${returned} were returned`]];
	});

/** A chunk of a document has the text of that document. */
const ownChunks: Check = ({ runs, world }) =>
	world.node !== 'chunk'
		? []
		: runs.flatMap(itemsOf).flatMap(({ json }): Found => {
				const [, key, part] = /^(i\d+t\d+)#(\d+)$/.exec(String(json.id)) ?? [];
				const isOwn = String(json.text).startsWith(`<<${key}p${part}>>`);
				return key === undefined || isOwn
					? []
					: [['mixed up texts', `${String(json.id)}: ${String(json.text)}`]];
			});

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

export const FILE_CHECKS: Check[] = [
	summedUp,
	accounted,
	onceInRanges,
	records,
	clearAnswers,
	denials,
	stopDenials,
	failedRecords,
	ids,
	chunkCount,
	ownChunks,
	resumed,
];
