/** What a node says is what happened, for items and for records. */
import { claimOf, denialsIn, isReplaced, skippedIn, summaryOf } from '../adapter';
import { endsRun, isClear } from '../faults';
import type { FileRecord } from '../files';
import { itemsOf, pairedWith, wordsOf } from '../played';
import { short, stopped, type Check, type Found, type Invariant } from './invariant';
import { outcomesOf, perAnswer, type Answer } from './outcomes';

const claims: Check = ({ world, runs, server }) => {
	const { truth } = server.service;
	/** A service that calls a document unknown may be believed. */
	const isCalledUnknown = (id: string) =>
		server.requests.some(
			({ route, fault, subject }) =>
				route === 'delete' &&
				fault?.kind === 'status' &&
				fault.status === 404 &&
				decodeURIComponent(subject) === id,
		);
	const found: Array<[Invariant, string]> = [];
	const tooMuch = (detail: string) => found.push(['claims too much', detail]);
	for (const run of runs) {
		for (const item of itemsOf(run)) {
			const claim = claimOf(item.json);
			const inputs = pairedWith(item).map((at) => world.items[at]);
			if (claim.pushed === true) {
				const versions = inputs.map((input) => String(input?.version));
				const accepted = versions.some((version) => truth.document(version).accepted > 0);
				if (!accepted) tooMuch(`pushed, but never accepted: ${short(item.json)}`);
			}
			const isThere = claim.id !== undefined && truth.index.has(claim.id);
			if (claim.deleted === true && isThere && !isCalledUnknown(claim.id ?? '')) {
				tooMuch(`deleted, but still there: ${short(item.json)}`);
			}
			if (claim.migrated === true && truth.migrations.effects === 0) {
				tooMuch(`migrated, but nothing was: ${short(item.json)}`);
			}
			if (claim.pushedCount !== undefined) {
				const accepted = [...truth.documents.values()].filter((doc) => doc.accepted > 0);
				if (claim.pushedCount > accepted.length) {
					tooMuch(`${claim.pushedCount} pushed, but ${accepted.length} were accepted`);
				}
			}
		}
		for (const [, count] of wordsOf(run).matchAll(/(\d+) of \d+ documents/g)) {
			const done =
				world.node === 'push'
					? [...truth.documents.values()].filter((doc) => doc.accepted > 0).length
					: truth.deletedIds.size;
			if (Number(count) > done) tooMuch(`'${count} of', but ${done} took effect`);
		}
	}
	return found;
};

/** The hint counts the documents that were skipped for a later one: those that say so. */
const skippedOnes: Check = ({ world, runs }) =>
	world.node !== 'push' || world.retries
		? []
		: runs
				.filter((run) => !run.canceled && !stopped(run))
				.filter(
					({ settings, inputs }) =>
						settings.pushOutput !== 'summary' && inputs.length === 0,
				)
				.flatMap((run): Found => {
					const hinted = skippedIn(
						run.result.hints.map(({ message }) => message).join('\n'),
					);
					const skipped = itemsOf(run).filter(({ json }) => isReplaced(json)).length;
					const detail = `${hinted} skipped for a later one, but ${skipped} say so`;
					return hinted === skipped ? [] : [['claims too much', detail]];
				});

/** Records that were read and are to be sent, but for those that failed. */
function answered({ input: { file }, summary }: Answer): FileRecord[] {
	const failed = new Set(summary.failures.map(({ record }) => record - 1));
	return file.records
		.slice(0, summary.records)
		.filter((_, at) => at >= file.skip && !failed.has(at));
}

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

const denials: Check = (after) =>
	after.runs
		.flatMap((run) => outcomesOf(run, after))
		.filter(({ isDone }) => isDone)
		.flatMap(({ name, error = '', isDenied }): Found => {
			const denial = denialsIn(error)[0] ?? (isDenied ? '' : undefined);
			return denial === undefined ? [] : [['denies what happened', `${name}: ${denial}`]];
		});

/** A response that repeats the documents says clearly what became of each. */
const clearAnswers: Check = (after) => {
	const { runs, server, world } = after;
	if (world.node !== 'push' || !isClear(world.service, server.played)) return [];
	// A later try may meet a fault with a document that an earlier one has pushed.
	if (world.retries) return [];
	// n8n passes on the input of a run that was canceled, whose documents may have members of any name.
	return runs
		.filter(({ canceled }) => !canceled)
		.flatMap((run) => outcomesOf(run, after))
		.filter(({ error, isAccepted }) => error !== undefined && isAccepted)
		.map(({ name, error }) => ['denies what happened', `${name}: ${error}`]);
};

const twice: Check = ({ server, world }) => {
	const { resubmitted, migrations } = server.service.truth;
	const allowed = world.settings.oncePerItem === true ? world.items.length : 1;
	const found: Array<[Invariant, string]> = resubmitted
		.filter(({ isExcused }) => !(world.retries && isExcused))
		.map(({ key }) => ['submitted twice', key]);
	if (migrations.effects > allowed) {
		found.push(['migrated twice', `${migrations.effects} migrations took effect`]);
	}
	return found;
};

/** A service that is busy for less than Max Wait for Rate Limit fails nothing. */
const patient: Check = ({ world, runs, server }) => {
	const { busy } = world.service;
	const isFault = server.played.some(
		(fault) => 'status' in fault && fault.status === busy?.status,
	);
	// What ends a run ends the pauses of its requests too, which keep the reason that they have.
	if (busy === undefined || isFault || server.played.some(endsRun)) return [];
	return runs.flatMap((run) => {
		const refused = [...run.result.output, ...run.result.errorOutput]
			.flatMap(({ json }) => [json, ...(summaryOf(json)?.failures ?? [])])
			.filter(({ httpStatus }) => httpStatus === busy.status);
		const words = wordsOf(run);
		if (words.includes(`status ${busy.status}`)) return [['gave up too soon', words]];
		return refused.map((json): [Invariant, string] => ['gave up too soon', short(json)]);
	});
};

const REMOVED_ID = /^d(\d+)#(?:(\d+)\.)?(\d+)$/;

const removed: Check = ({ runs, server }) =>
	runs.flatMap((run) =>
		itemsOf(run).flatMap(({ json }) => {
			const claim = claimOf(json);
			if (claim.removed !== true) return [];
			const [, item, at = '0', part] = REMOVED_ID.exec(claim.id ?? '') ?? [];
			const text = server.service.truth.texts.get(`i${item}t${at}`);
			const certain = text !== undefined && text.complete && Number(part) >= text.parts;
			return certain
				? []
				: [['removed what exists', `${claim.id}, ${short(text)}`] as [Invariant, string]];
		}),
	);

const exactDeletes: Check = ({ server, world }) => {
	const records = (world.files ?? []).flatMap((file) => file.records);
	const wanted = new Set([
		...world.items.map(({ id }) => (Number.isSafeInteger(id) ? String(id) : id)),
		...records.map(({ key }) => key),
	]);
	return server.service.truth.requestedDeletes
		.filter((id) => !wanted.has(id))
		.map((id) => ['wrong document deleted', id]);
};

export const TRUTH: Check[] = [
	claims,
	skippedOnes,
	records,
	denials,
	clearAnswers,
	twice,
	patient,
	removed,
	exactDeletes,
];
