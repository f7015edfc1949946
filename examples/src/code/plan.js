/** @import { Approval, Batch, Item, Known, ListedDocument, PlanCounts, RunLock, RunPlan, Settings, Summary, Work } from '../parts/types' */

const { spelledAsKnown } = require('./shared/address');
const { idProblem, isNeverPushed } = require('./shared/document-id');
const { fieldProblem } = require('./shared/fields');
const { listedPlaces } = require('./shared/original');
const { mostDeletesOf } = require('./shared/most-deletes');
const { runPlan } = require('./shared/run-plan');
const { textProblem } = require('./shared/text-problem');

/**
 * @param {{
 *   list: unknown,
 *   versions: string[],
 *   known: Known,
 *   settings: Settings,
 *   approval: Approval,
 *   lock: RunLock | null,
 *   batchSize: number,
 *   isAsked: boolean,
 *   asksForMissing: boolean,
 *   areAddresses: boolean,
 *   isChunked?: boolean,
 * }} inputs
 * @returns {Item<{ batch: number, summary?: Summary, plan?: RunPlan, listed?: string } & Partial<Batch>>[]}
 */
module.exports = ({
	list,
	versions,
	known,
	settings,
	approval,
	lock,
	batchSize,
	isAsked,
	asksForMissing,
	areAddresses,
	isChunked,
}) => {
	// Returns one item per batch. The first item also says what is unchanged or withheld. Without a lock, it returns only
	// what a run would do.
	/** @type {Summary} */
	const summary = {
		...{ status: 200, problem: '', known: known.entries.length, unchanged: 0, missing: 0 },
		...{ withheld: 0, mostDeletes: 0, unreadable: 0, problems: [], planned: 0, compactUpTo: 0 },
	};

	// 1. May this run work, and is the list complete?
	/** @type {Map<string, { document: ListedDocument, version: string }>} */
	const listed = new Map();
	/** @type {Map<string, number>} */
	const skipped = new Map();
	/** @type {string[]} */
	const skippedIds = [];
	/** @type {string[]} */
	const excluded = [];
	const [status, problem] = check();
	if (problem) return refused(status, problem);

	// 2. What is new or changed? Documents that could not be read are read again if their version changes.
	const before = new Map(known.entries.map((entry) => [entry[0], entry]));
	/** @type {(ids: string[]) => string[]} */
	const inTable = (ids) => (areAddresses ? spelledAsKnown(ids, [...before.keys()]) : ids);
	const ids = inTable([...listed.keys()]);
	const inList = new Set(ids);
	const pushAgain = new Set(inTable([settings.pushAgain ?? []].flat().map(String)));
	/** @type {Work[]} */
	const changed = [];
	/** @type {string[]} */
	const laterIds = [];
	/** @type {string[]} */
	const unreadableIds = [];
	for (const [at, { document, version }] of [...listed.values()].entries()) {
		const id = ids[at];
		const [, oldVersion, chunks = 0, text, oldProblem] = before.get(id) ?? [];
		const isConfirmed = pushAgain.has(id);
		if (isAsked && document.later && !isConfirmed) {
			summary.later = (summary.later ?? 0) + 1;
			laterIds.push(id);
		} else if (oldVersion !== version || isConfirmed) {
			changed.push({ id, version, chunks, text, isConfirmed, document });
		} else if (oldProblem) {
			summary.unreadable += 1;
			unreadableIds.push(id);
			summary.problems.push(`'${id}' ${oldProblem}`);
		} else {
			summary.unchanged += 1;
		}
	}

	// 3. What is missing? If it is too much, nothing is deleted, but everything else is done. If it is not too much, and
	// Fetch can ask whether a document still exists, what the source refuses or cannot say stays.
	const isExcluded = new Set(inTable(excluded));
	/** @type {Work[]} */
	const missing = known.entries
		.filter(([id]) => !inList.has(id))
		.map(([id, , most = 0, text]) => ({
			...{ id, version: null, chunks: isNeverPushed(id) ? 0 : most, text },
			...(isExcluded.has(id) && { isExcluded: true }),
		}));
	const indexed = missing.filter(({ chunks }) => chunks > 0).length;
	if (approval.isInvalid) {
		const number = approval.remembered || indexed;
		const advice = number > 0 ? `send "confirmDeletes": ${number}` : 'leave it out';
		const invalid = `"confirmDeletes" is the number of deletes that you allow: ${advice}`;
		return refused(400, invalid);
	}
	const isEmpty = listed.size === 0;
	const most = mostDeletesOf({ known: summary.known, isEmpty, settings, approval });
	const isWithheld = indexed > most;
	summary.mostDeletes = most;
	summary.missing = missing.length;
	if (isWithheld) summary.withheld = indexed;

	// 4. If a run may fetch only so many documents, the others wait. Missing ones get at most half of the run, because
	// they may be unreadable in each run, unless a person has approved their deletes. New ones come before changed ones.
	const limit = isAsked ? (settings.mostPerRun ?? Infinity) : Infinity;
	const deleted = missing.filter(({ chunks }) => !isWithheld || chunks === 0);
	const share = approval.isApproved ? limit : Math.ceil(limit / 2);
	const asked = deleted.slice(0, share);
	const rest = limit - asked.length;
	if (changed.length > rest) {
		changed.sort((one, other) => rank(one) - rank(other));
	}
	const fetched = changed.slice(0, rest);
	const waiting = changed.length - fetched.length + deleted.length - asked.length;
	if (waiting > 0) summary.later = (summary.later ?? 0) + waiting;
	if (!lock) return [{ json: { batch: 0, summary, plan: runPlan(summary, counts()) } }];

	// 5. Batches. Deletes are dealt out to all batches, so that a batch of deletes usually has a push too: if the service
	// answers every request with 404, its URL may be wrong.
	const work = [...asked, ...fetched];
	summary.planned = work.length;
	if (work.length === 0) return [{ json: { batch: 0, summary } }];
	summary.compactUpTo = known.compactUpTo;
	// Documents that have failed before come last, because a service that rejects them may end the run.
	const first = fetched.filter((one) => rank(one) < 2);
	const last = first.length > 0 ? fetched.filter((one) => rank(one) === 2) : [];
	const others = last.length > 0 ? [...asked, ...first] : work;
	const parts = [...dealt(others), ...dealt(last)];
	const batches = parts.length;
	return parts.map((part, at) => {
		/** @type {Batch} */
		const batch = {
			...{ batch: at + 1, batches, ...lock, mayDelete: mayDelete(part) },
			missing: part.filter(({ version }) => version === null).length,
			...{ isApproved: approval.isApproved, work: part },
			...(isAsked && { settings }),
			snapshot: at === 0 && known.compactUpTo ? known.entries : [],
		};
		if (at > 0) return { json: batch };
		// Add the List gives it to each batch.
		const all = areAddresses && { listed: listedPlaces([...listed.keys()]) };
		return { json: { ...batch, summary, ...all } };
	});

	/**
	 * New documents come first, and those that have failed come last.
	 * @param {Work} work
	 */
	function rank({ id }) {
		const [, version] = before.get(id) ?? [];
		return version === '' ? 2 : Number(before.has(id));
	}

	/** @param {Work[]} all */
	function dealt(all) {
		const count = Math.ceil(all.length / batchSize);
		/** @type {Work[][]} */
		const hands = Array.from({ length: count }, () => []);
		for (const [at, one] of all.entries()) hands[at % count].push(one);
		return hands;
	}

	/**
	 * @param {number} code
	 * @param {string} reason
	 */
	function refused(code, reason) {
		const end = { ...summary, status: code, problem: reason };
		return [{ json: { batch: 0, summary: end, ...(!lock && { plan: runPlan(end, {}) }) } }];
	}

	/**
	 * Returns what a run would count. What Fetch decides is not known.
	 * @returns {PlanCounts}
	 */
	function counts() {
		const withProblems = fetched.map((work) => ({ ...work, problem: problemOf(work) }));
		const unread = withProblems.filter((work) => work.problem !== '');
		const pushed = withProblems.filter((work) => work.problem === '');
		const added = pushed.filter(({ id }) => !before.has(id));
		const renewed = pushed.filter(({ id }) => before.has(id));
		const gone = [...asked, ...(isWithheld ? missing.filter(({ chunks }) => chunks > 0) : [])];
		/** @type {(all: { id: string }[]) => string[]} */
		const idsOf = (all) => all.map(({ id }) => id);
		const waitingIds = idsOf([...changed.slice(rest), ...deleted.slice(share)]);
		const texts = pushed.flatMap(({ document }) => document?.text ?? []);
		const readable = fetched.filter(({ document }) => !document?.problem);
		const askedFor = asksForMissing ? asked.filter(({ isExcluded }) => !isExcluded) : [];
		const requested = readable.length + askedFor.length;
		return {
			...{ new: added.length, changed: renewed.length, missing: gone.length, approval },
			unreadable: summary.unreadable + unread.length,
			...(isAsked && { willBeAsked: pushed.length + asked.length, requests: requested }),
			...(isAsked && { secondsBetweenRequests: settings.secondsBetweenRequests }),
			...(!isAsked && isChunked && { charactersToChunk: texts.map(String).join('').length }),
			...{ newIds: idsOf(added), changedIds: idsOf(renewed), missingIds: idsOf(gone) },
			unreadableIds: [...unreadableIds, ...idsOf(unread)],
			...{ laterIds: [...laterIds, ...waitingIds], skippedIds },
			problems: [
				...summary.problems,
				...unread.map((work) => `'${work.id}' ${work.problem}`),
			],
		};
	}

	/**
	 * Returns why a document cannot be pushed, as far as the list says.
	 * @param {Work} work
	 */
	function problemOf({ id, document }) {
		const wrongId = idProblem(id);
		if (wrongId || !isChunked) return wrongId;
		if (document?.problem) return String(document.problem);
		const { name = id, url, text, fields } = Object(document);
		return isAsked
			? ''
			: textProblem({ text, name, url, description: Object(fields).description });
	}

	/**
	 * Checks the list and sorts it by ID.
	 * @returns {[status: number, problem: string]}
	 */
	function check() {
		if (known.problem) return [500, known.problem];
		if (!known.isOwner) {
			return [
				409,
				`another run has not ended, or was killed. Its lock expires at ${known.lockedUntil}; to run earlier, make sure that no run is active and delete the row from the data table`,
			];
		}
		if (!Array.isArray(list)) {
			return [
				400,
				'there is no list. Expected: { "documents": [{ "id": "…", "name": "…", "text": "…" }] }',
			];
		}
		// A node with Always Output Data turns an empty list into one empty item.
		const isNothing = list.length < 2 && Object.keys(Object(list[0])).length === 0;
		if (isNothing && known.entries.length === 0) return [400, 'the list is empty'];
		for (const [at, document] of (isNothing ? [] : list).entries()) {
			const id = document?.id;
			if (isAsked && document?.skipped) {
				const kind = `${document.skipped}`;
				skipped.set(kind, (skipped.get(kind) ?? 0) + 1);
				skippedIds.push(String(id));
				if (kind === 'excluded') excluded.push(String(id));
				continue;
			}
			const isId = typeof id === 'string' ? id.trim() !== '' : Number.isSafeInteger(id);
			const where = `document ${at + 1} of ${list.length} in the list`;
			if (!isId) {
				const only = id
					? `, only ${JSON.stringify(id)}: an ID is a text or a whole number`
					: '';
				return [400, `${where} has no ID${only}`];
			}
			if (String(id).includes('\ufffd')) {
				return [
					400,
					`the ID '${id}' contains the character U+FFFD, so the source is probably not encoded in UTF-8`,
				];
			}
			// An expression such as 'shop/' + $json.key returns this if a field is missing, or if the list is empty. With
			// Fetch, it may be the end of a page's address, and Fetch finds out.
			if (
				!isAsked &&
				/(^|[^A-Za-z0-9])(undefined|null|NaN|\[object Object\])$/.test(String(id))
			) {
				return [400, `the ID '${id}' of ${where} was made of a field that does not exist`];
			}
			const unusable = isChunked ? fieldProblem(document.fields) : '';
			if (unusable) return [400, `the document '${id}' ${unusable}`];
			const version = versions[at];
			const other = listed.get(String(id));
			if (other && other.version !== version) {
				return [400, `the list has two different documents with the ID '${id}'`];
			}
			listed.set(String(id), { document, version });
		}
		if (skipped.size > 0) summary.skipped = Object.fromEntries(skipped);
		if (skipped.size > 0 && listed.size === 0 && known.entries.length === 0) {
			const kinds = JSON.stringify(summary.skipped);
			return [400, `the list has no document to index, only others: ${kinds}`];
		}
		return [200, ''];
	}

	/**
	 * A listed document is a doubtful delete if its text is empty now, or its page is gone. All batches together carry out
	 * at most as many of them as the missing documents leave.
	 * @param {Work[]} part
	 */
	function mayDelete(part) {
		if (isWithheld) return 0;
		return Math.floor(((most - indexed) * part.length) / work.length);
	}
};
