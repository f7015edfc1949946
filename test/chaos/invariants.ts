/** What must be true after every world, whatever went wrong in it. */
import { inspect } from 'node:util';

import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { unpackVector } from '../../nodes/shared/service/chunking/vector';
import { claimOf, denialsIn, summaryOf, type Claim } from './adapter';
import { SecretScanner, textsIn } from './canaries';
import { itemsOf, pairedWith, wordsOf, type Aftermath, type Played } from './run-world';
import { isClear, type Fault } from './faults';
import { responsesIn } from './file-runs';
import { FILE_CHECKS } from './file-invariants';
import type { ChaosServer } from './server';
import { chunkText, MARKER, vectorOf } from './service';
import type { World } from './world';

export const INVARIANTS = [
	'every item once',
	'every record once',
	'wrong failed records',
	'lost by resuming',
	'continues',
	'claims too much',
	'denies what happened',
	'lost what was delivered',
	'forgot a chunking ID',
	'mixed up texts',
	'submitted twice',
	'gave up too soon',
	'migrated twice',
	'removed what exists',
	'secret shown',
	'secret sent elsewhere',
	'wrong document deleted',
	'too late',
	'handles left',
	'limit broken',
	'unhandled rejection',
] as const;

export type Invariant = (typeof INVARIANTS)[number];

export interface Violation {
	invariant: Invariant;
	node: string;
	detail: string;
}

export type Check = (after: Aftermath) => Array<[Invariant, string]>;

const short = (value: unknown): string =>
	inspect(value, { depth: 3, breakLength: Infinity, maxStringLength: 160 }).slice(0, 400);

const stopped = (run: Played): boolean => run.result.error !== undefined;

const everyItemOnce: Check = ({ world, runs }) =>
	runs.flatMap((run) => {
		if (run.canceled) return [];
		const items = itemsOf(run);
		if (stopped(run)) {
			return items.length > 0 ? [['every item once', 'a stopped run returned items']] : [];
		}
		const found: Array<[Invariant, string]> = [];
		const byInput = new Map<number, INodeExecutionData[]>();
		for (const item of items) {
			const pairs = pairedWith(item);
			if (pairs.length === 0)
				found.push(['every item once', `unpaired: ${short(item.json)}`]);
			for (const at of pairs) byInput.set(at, [...(byInput.get(at) ?? []), item]);
		}
		run.owners.forEach((_, at) => {
			const mine = byInput.get(at) ?? [];
			const failures = mine.filter(({ json }) => claimOf(json).error !== undefined);
			if (mine.length === 0 && !mayBeSilent(run)) {
				found.push(['every item once', `nothing for item ${at}`]);
			}
			if (failures.length > 1)
				found.push(['every item once', `${failures.length} errors for item ${at}`]);
			const single = world.node === 'delete' || world.node === 'push';
			if (single && run.settings.pushOutput !== 'summary' && mine.length > 1) {
				found.push(['every item once', `${mine.length} results for item ${at}`]);
			}
		});
		return [...found, ...chunksTwice(run, items)];
	});

/** Items may end without an output item of their own: as a document without chunks, or migrated with the others. */
const mayBeSilent = ({ settings }: Played): boolean => settings.chunkOutput === 'documents';

function chunksTwice(run: Played, items: INodeExecutionData[]): Array<[Invariant, string]> {
	const { chunkOutput } = run.settings;
	if (chunkOutput !== 'chunks' && chunkOutput !== 'documents') return [];
	const seen = new Set<string>();
	const twice: Array<[Invariant, string]> = [];
	for (const item of items) {
		const { json } = item;
		if (claimOf(json).error !== undefined || typeof json.text !== 'string') continue;
		const [marker] = json.text.match(MARKER) ?? [];
		if (marker === undefined || json.text.includes('\n')) continue;
		// A file that is continued may have a record that failed, and is in a file of its own.
		const chunk = `${marker} of item ${pairedWith(item).join()}`;
		if (seen.has(chunk)) twice.push(['every item once', `chunk ${chunk} twice`]);
		seen.add(chunk);
	}
	return twice;
}

const continues: Check = ({ world, runs }) =>
	world.onError === 'stopWorkflow'
		? []
		: runs
				.filter((run) => stopped(run) && !run.canceled)
				.map((run) => ['continues', `the run stopped: ${wordsOf(run)}`]);

const claims: Check = ({ world, runs, server }) => {
	const { truth } = server.service;
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
			if (claim.deleted === true && claim.id !== undefined && truth.index.has(claim.id)) {
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

/** How many migrations there can be if all that deny theirs are right. */
function mayHaveMigrated({ settings }: World, runs: Played[]): number {
	if (settings.oncePerItem !== true) return 0;
	return runs
		.flatMap(itemsOf)
		.filter(({ json }) => denialsIn(claimOf(json).error ?? '').length === 0).length;
}

/** Whether what an input item asks for took effect. */
function tookEffect({ world, server, runs }: Aftermath, owner: number): boolean {
	const { truth } = server.service;
	switch (world.node) {
		case 'push':
			return truth.document(String(world.items[owner]?.version)).accepted > 0;
		case 'delete':
			return truth.deletedIds.has(String(world.items[owner]?.id));
		case 'migrate':
			return truth.migrations.effects > mayHaveMigrated(world, runs);
		case 'chunk':
			// An item says something about one of its texts, so all of them have to be submitted.
			return world.texts[owner]?.every(
				(_, at) => (truth.texts.get(`i${owner}t${at}`)?.jobs.length ?? 0) > 0,
			);
	}
}

const denials: Check = (after) =>
	after.runs.flatMap((run) => {
		const found: Array<[Invariant, string]> = [];
		const judgeWords = (words: string, owner: number) => {
			const [denial] = denialsIn(words);
			if (denial !== undefined && tookEffect(after, owner)) {
				found.push(['denies what happened', `item ${owner}: ${denial}`]);
			}
		};
		for (const item of itemsOf(run)) {
			const { error } = claimOf(item.json);
			const [at] = pairedWith(item);
			const owner = run.owners[at];
			if (error !== undefined) judgeWords(error, owner);
			const says = claimOf(item.json);
			const denies =
				says.pushed === false || says.deleted === false || says.migrated === false;
			const missing = 'notFound' in item.json;
			if (denies && !missing && tookEffect(after, owner)) {
				found.push(['denies what happened', short(item.json)]);
			}
		}
		const context = run.result.error as { context?: { itemIndex?: number } } | undefined;
		const at = context?.context?.itemIndex;
		if (at !== undefined) judgeWords(wordsOf(run), run.owners[at]);
		return found;
	});

const lost: Check = ({ runs: all, server, world }) => {
	// What failed of a file is chunked again at last, which is no excuse.
	const runs = all.filter(({ inputs }, at) => at === 0 || inputs.length === 0);
	const delivered = runs.at(-1)?.delivered;
	if (world.node !== 'chunk' || runs.some((run) => run.canceled || stopped(run))) return [];
	const returned = new Set<string>();
	for (const run of runs) {
		for (const { json } of [...itemsOf(run), ...responsesIn(run.files)]) {
			// The source text holds its chunks too, but was not delivered.
			for (const text of textsIn(json)) {
				if (text.includes('\n')) continue;
				for (const [marker] of text.matchAll(MARKER)) returned.add(marker);
			}
		}
	}
	return [...server.service.truth.texts.values()].flatMap(({ key, parts }) =>
		Array.from({ length: parts }, (_, part) => chunkText(key, part))
			.filter((chunk) => delivered?.has(chunk) && parts > 1)
			.filter((chunk) => !returned.has(chunk.match(MARKER)?.[0] ?? ''))
			.map((chunk): [Invariant, string] => ['lost what was delivered', chunk]),
	);
};

const MAX_IDS_IN_MESSAGE = 100;

const forgotten: Check = ({ runs }) =>
	runs
		.filter((run) => stopped(run) && !run.canceled)
		.flatMap((run) => {
			const words = wordsOf(run);
			if (run.jobs.length > MAX_IDS_IN_MESSAGE) return [];
			return run.jobs
				.filter((id) => !words.includes(id))
				.map((id): [Invariant, string] => [
					'forgot a chunking ID',
					`${id}: ${short(words)}`,
				]);
		});

/** Get Results without a place in the request stands for all of its texts. */
const mixed: Check = ({ runs, world }) => {
	if (world.node !== 'chunk') return [];
	return runs.flatMap((run) => {
		if (run.settings.chunkOutput === 'raw') return [];
		return itemsOf(run).flatMap((item) => {
			const owners = pairedWith(item).map((at) => run.owners[at]);
			const claim = claimOf(item.json);
			if (claim.error !== undefined) return [];
			const strangers = [...textsIn(item.json)]
				.flatMap((text) => [...text.matchAll(MARKER)])
				.filter(([, , owner]) => !owners.includes(Number(owner)));
			const [stranger] = strangers;
			return stranger === undefined
				? []
				: [
						['mixed up texts', `${stranger[0]} with item ${owners.join()}`] as [
							Invariant,
							string,
						],
					];
		});
	});
};

/** What is known of a chunk that was returned. */
interface ReturnedChunk {
	/** Names it, with its text. */
	marker: string;
	/** Names its text. */
	key: string;
	vector: unknown;
}

/** Chunks as the node returned them, by item or within the item of their text. */
function chunksIn({ json }: INodeExecutionData): ReturnedChunk[] {
	const { error, pending } = claimOf(json);
	if (error !== undefined || pending) return [];
	const chunks = (Array.isArray(json.chunks) ? json.chunks : [json]) as IDataObject[];
	return chunks.flatMap(({ text, vector }) => {
		const [found] = typeof text === 'string' ? text.matchAll(MARKER) : [];
		return found === undefined ? [] : [{ marker: found[0], key: found[1], vector }];
	});
}

/** A chunk has its own vector, and each of a text has one or none has. */
const vectors: Check = ({ runs, world }) =>
	world.node !== 'chunk'
		? []
		: runs.flatMap((run): Array<[Invariant, string]> => {
				if (run.settings.chunkOutput === 'raw') return [];
				const found: Array<[Invariant, string]> = [];
				const counts = new Map<string, { all: number; with: number }>();
				for (const { marker, key, vector } of itemsOf(run).flatMap(chunksIn)) {
					const count = counts.get(key) ?? { all: 0, with: 0 };
					counts.set(key, count);
					count.all += 1;
					if (vector === undefined) continue;
					count.with += 1;
					const is = String(unpackVector(vector) ?? vector);
					if (is !== String(vectorOf(marker))) {
						found.push(['mixed up texts', `${marker} has the vector ${is}`]);
					}
				}
				for (const [key, count] of counts) {
					if (count.with === 0 || count.with === count.all) continue;
					const detail = `${count.with} vectors for ${count.all} chunks of ${key}`;
					found.push(['claims too much', detail]);
				}
				return found;
			});

/** Which text of an item a chunk is of. */
const textIndexes: Check = ({ runs, world }) =>
	world.settings.textSource !== 'list'
		? []
		: runs.flatMap((run) =>
				itemsOf(run).flatMap((item): Array<[Invariant, string]> => {
					const { textIndex } = item.json;
					if (typeof textIndex !== 'number') return [];
					return chunksIn(item)
						.filter(({ key }) => !key.endsWith(`t${textIndex}`))
						.map(({ marker }) => ['mixed up texts', `${marker} as text ${textIndex}`]);
				}),
			);

/** A response that repeats the documents says clearly what became of each. */
const clearAnswers: Check = ({ runs, server, world }) => {
	if (world.node !== 'push' || !isClear(world.service, server.played)) return [];
	const { truth } = server.service;
	return runs.flatMap((run) =>
		[...run.result.output, ...run.result.errorOutput].flatMap((item) => {
			const accepted = pairedWith(item).find(
				(at) => truth.document(String(world.items[at]?.version)).accepted > 0,
			);
			return claimOf(item.json).error === undefined || accepted === undefined
				? []
				: [['denies what happened', short(item.json)] as [Invariant, string]];
		}),
	);
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
	if (busy === undefined || isFault) return [];
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

const secrets: Check = ({ runs, server, logs }) => {
	const scanner = new SecretScanner();
	for (const name of ['clientSecret', 'apiKey', 'password'] as const) {
		scanner.add(name, server.service.secrets[name]);
	}
	const { tokens } = server.service.truth;
	for (const token of tokens) scanner.add('token', token);
	const places: Array<[string, unknown]> = runs.flatMap(({ result }) => [
		[
			'an output',
			[result.output, result.errorOutput].map((items) =>
				items.map(({ json, error }) => ({ json, error })),
			),
		],
		['the error', result.error],
		['the JSON of the error', JSON.stringify(result.error ?? '')],
		['the stack', [result.error?.stack, (result.error?.cause as Error | undefined)?.stack]],
		['the cause', result.error?.cause],
		['a hint', result.hints],
		['what n8n records', JSON.stringify(result.run.data.resultData)],
	]);
	places.push(
		['a log', logs],
		['a file', runs.map(({ files }) => files.map(({ text }) => text))],
	);
	return places.flatMap(([place, value]) => {
		const names = new Set([...textsIn(value)].flatMap((text) => scanner.find(text)));
		return [...names].map((name): [Invariant, string] => [
			'secret shown',
			`${name} in ${place}`,
		]);
	});
};

const elsewhere: Check = ({ server }) =>
	server.service.truth.strayRequests.map((request) => ['secret sent elsewhere', request]);

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

const BASE_MS = 4500;
const SLOW_FAULT_MS = 1300;
const RETRY_AFTER_MS = 3200;
const PENDING_JOB_MS = 6500;
const BUSY_MS = 8000;
/** A cancel takes effect within a second; the rest is for a busy machine. */
const CANCEL_MS = 1600;

const isSlow = (fault?: Fault): boolean => fault?.kind === 'hang' || fault?.kind === 'trickle';

/** All requests of a run wait for the same token, each as long as it may. */
function waitsForTokens({ texts, files = [], settings }: World, { requests }: ChaosServer): number {
	if (!requests.some(({ route, fault }) => route === 'token' && isSlow(fault))) return 0;
	const all = texts.flat().length + files.flatMap(({ records }) => records).length;
	const { textsPerRequest = 1, maxAttempts = 1 } = settings;
	return Math.ceil(all / Number(textsPerRequest)) * Number(maxAttempts);
}

const inTime: Check = ({ runs, server, world }) => {
	const slow = server.played.filter(isSlow).length + waitsForTokens(world, server);
	const slowPolls = server.requests.some(
		({ route, fault }) => route === 'results' && isSlow(fault),
	);
	const pauses = server.played.filter(
		(fault) => 'retryAfter' in fault && fault.retryAfter,
	).length;
	const pending = world.service.jobs.some(({ end }) => end === 'never');
	const limit =
		BASE_MS * (world.retries ? 2 : 1) +
		(world.service.busy ? BUSY_MS : 0) +
		slow * SLOW_FAULT_MS +
		pauses * RETRY_AFTER_MS +
		(pending || slowPolls ? PENDING_JOB_MS : 0);
	return runs.flatMap((run): Array<[Invariant, string]> => {
		const most = run.canceled ? CANCEL_MS : limit;
		const after = run.canceled ? ' after Stop' : '';
		return run.tookMs > most
			? [['too late', `${Math.round(run.tookMs)} ms${after}, at most ${most}`]]
			: [];
	});
};

const limits: Check = ({ server, world }) => {
	const { bytesPerRequest } = world.settings;
	return server.requests
		.filter(({ route }) => route === 'push' && typeof bytesPerRequest === 'number')
		.filter(({ bytes }) => bytes > Number(bytesPerRequest))
		.map(({ bytes }) => ['limit broken', `${bytes} bytes in a push`]);
};

/** A token request is shared by executions: it may outlast the one that waits no longer. */
const handlesLeft: Check = ({ handles, server }) =>
	server.requests.some(({ route, fault }) => route === 'token' && isSlow(fault))
		? []
		: handles.map((handle) => ['handles left', handle]);

const CHECKS: Check[] = [
	...FILE_CHECKS,
	everyItemOnce,
	continues,
	claims,
	denials,
	lost,
	forgotten,
	mixed,
	vectors,
	textIndexes,
	clearAnswers,
	twice,
	patient,
	removed,
	secrets,
	elsewhere,
	exactDeletes,
	inTime,
	limits,
	handlesLeft,
	({ stray }) => stray.map((error) => ['unhandled rejection', error]),
];

/** All that broke, each invariant once. */
export function checkAll(after: Aftermath): Violation[] {
	const seen = new Set<string>();
	return CHECKS.flatMap((check) => check(after))
		.filter(([invariant]) => !seen.has(invariant) && seen.add(invariant))
		.map(([invariant, detail]) => ({ invariant, node: after.world.node, detail }));
}

export type { Claim };
