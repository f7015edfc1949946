/**
 * Every fault against every request: what should happen is written down first, then it is played
 * and looked at. The results make docs/reliability.md.
 */
import './logs';

import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { createServer as createTlsServer } from 'node:https';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';

import type { IDataObject, OnError } from 'n8n-workflow';

import { selfSigned } from '../../support/certificate';
import { CredentialStore } from '../../support/credential-store';
import { runNode, type RunResult } from '../../support/engine';
import {
	claimOf,
	credentialsFor,
	denialsIn,
	NODES,
	parametersOf,
	type NodeKey,
	type Settings,
} from './adapter';
import type { Fault } from './faults';
import { startChaosServer } from './server';
import { textOf, type Route } from './service';
import { jobOf, worldOf } from './world';

/** A request of the service, as the matrix has it. */
interface Target {
	/** Which node sends it here. */
	node: NodeKey;
	/** In the head of the matrix. */
	title: string;
	/** The field of the credential with its URL. */
	url: 'authUrl' | 'aiUrl' | 'pushUrl' | 'baseUrl';
}

/** Every request of the service. */
export const TARGETS: Record<Route, Target> = {
	push: { node: 'push', title: 'Push', url: 'pushUrl' },
	delete: { node: 'delete', title: 'Delete', url: 'pushUrl' },
	migrate: { node: 'migrate', title: 'Migrate', url: 'baseUrl' },
	submit: { node: 'chunk', title: 'Submit a text', url: 'aiUrl' },
	results: { node: 'chunk', title: 'Poll for chunks', url: 'aiUrl' },
	token: { node: 'chunk', title: 'Get a token', url: 'authUrl' },
};

export type Request = Route;
/** One column each. */
export const REQUESTS = Object.keys(TARGETS) as Request[];

export const MODES: OnError[] = ['stopWorkflow', 'continueRegularOutput', 'continueErrorOutput'];

/** What goes wrong below HTTP, which takes a server of its own. */
type Connection = 'refused' | 'brokenTls' | 'untrusted';

interface Row {
	/** For the page: what happens, in a user's words. */
	title: string;
	fault: Fault | Connection;
}

const status = (code: number, effect = false, body: 'json' | 'html' = 'json'): Fault => ({
	kind: 'status',
	status: code,
	body,
	effect,
});

const tooMany = (retryAfter: 'seconds' | 'date'): Fault => ({
	kind: 'status',
	status: 429,
	retryAfter,
	body: 'json',
	effect: false,
});

export const ROWS = {
	400: { title: 'Status 400', fault: status(400) },
	401: { title: 'Status 401', fault: status(401) },
	403: { title: 'Status 403', fault: status(403) },
	408: { title: 'Status 408', fault: status(408, true) },
	413: { title: 'Status 413', fault: status(413) },
	'429 seconds': { title: 'Status 429, `Retry-After` in seconds', fault: tooMany('seconds') },
	'429 date': { title: 'Status 429, `Retry-After` as a date', fault: tooMany('date') },
	500: { title: 'Status 500', fault: status(500, true) },
	501: { title: 'Status 501', fault: status(501) },
	503: { title: 'Status 503', fault: status(503, true, 'html') },
	redirect: { title: 'A redirect', fault: { kind: 'redirect', status: 302 } },
	refused: { title: 'Connection refused', fault: 'refused' },
	'reset before': {
		title: 'Connection closed before the service did anything',
		fault: { kind: 'reset', when: 'before' },
	},
	'reset after': {
		title: 'Connection closed after the service did its work',
		fault: { kind: 'reset', when: 'after' },
	},
	truncated: { title: 'A response that breaks off', fault: { kind: 'truncated' } },
	trickle: { title: 'A response that arrives a byte at a time', fault: { kind: 'trickle' } },
	hang: { title: 'No response', fault: { kind: 'hang', effect: true } },
	'broken TLS': { title: 'TLS that cannot be established', fault: 'brokenTls' },
	untrusted: { title: 'A certificate that is not trusted', fault: 'untrusted' },
	html: { title: 'An HTML page with status 200', fault: { kind: 'html' } },
	empty: { title: 'An empty response with status 200', fault: { kind: 'empty' } },
	204: { title: 'Status 204', fault: { kind: 'noContent' } },
	charset: { title: 'A response in another charset', fault: { kind: 'charset' } },
	gzip: { title: 'A compressed response that is damaged', fault: { kind: 'gzip' } },
	shape: {
		title: 'JSON of an unexpected shape',
		fault: { kind: 'shape', shape: 'membersOfWrongType' },
	},
} satisfies Record<string, Row>;

export type RowKey = keyof typeof ROWS;
export const ROW_KEYS = [
	'400',
	'401',
	'403',
	'408',
	'413',
	'429 seconds',
	'429 date',
	'500',
	'501',
	'503',
	'redirect',
	'refused',
	'reset before',
	'reset after',
	'truncated',
	'trickle',
	'hang',
	'broken TLS',
	'untrusted',
	'html',
	'empty',
	'204',
	'charset',
	'gzip',
	'shape',
] as unknown as RowKey[];

/** What becomes of the items if the fault never ends. */
export interface Outcome {
	ends: 'succeeds' | 'fails';
	/** Whether a request is sent again; results are polled until Max Wait. */
	sentAgain: boolean;
	/** Whether the request for the next item is still sent. Only where each item has its own. */
	next: 'sent' | 'not sent' | 'none';
	/** What the message says about the effect: that it is unknown, or nothing of the kind. */
	claim: 'unknown' | 'certain' | 'none';
}

const succeeds: Outcome = { ends: 'succeeds', sentAgain: false, next: 'sent', claim: 'none' };
const refuses: Outcome = { ends: 'fails', sentAgain: false, next: 'sent', claim: 'certain' };
const gaveUp: Outcome = { ...refuses, sentAgain: true };
const ambiguous: Outcome = { ...gaveUp, claim: 'unknown' };
const once: Outcome = { ...refuses, claim: 'unknown' };
const endsAll: Outcome = { ...refuses, next: 'not sent' };

/** Push and delete: doing it twice does no harm, so all that may pass is sent again. */
const REPEATABLE: Record<RowKey, Outcome> = {
	400: refuses,
	401: endsAll,
	403: endsAll,
	408: ambiguous,
	413: refuses,
	'429 seconds': gaveUp,
	'429 date': gaveUp,
	500: ambiguous,
	// Permanent, but who knows where the gateway gave up.
	501: once,
	503: ambiguous,
	redirect: endsAll,
	refused: gaveUp,
	'reset before': ambiguous,
	'reset after': ambiguous,
	truncated: ambiguous,
	trickle: ambiguous,
	hang: ambiguous,
	'broken TLS': gaveUp,
	untrusted: endsAll,
	// A page of a proxy, not of the service.
	html: once,
	empty: succeeds,
	204: succeeds,
	charset: succeeds,
	// The status counts; the interface describes no body.
	gzip: succeeds,
	shape: succeeds,
};

/** Submissions and migrations: only what certainly had no effect is sent again. */
const NOT_REPEATABLE: Record<RowKey, Outcome> = {
	...REPEATABLE,
	408: once,
	500: once,
	503: once,
	'reset before': once,
	'reset after': once,
	truncated: once,
	trickle: once,
	hang: once,
};

/** One migration for all items, so there is no next one. */
const alone = (table: Record<RowKey, Outcome>): Record<RowKey, Outcome> =>
	Object.fromEntries(
		Object.entries(table).map(([row, outcome]) => [row, { ...outcome, next: 'none' }]),
	) as Record<RowKey, Outcome>;

/** A job is polled until Max Wait; what it means for the text is never in doubt. */
const waits: Outcome = { ends: 'fails', sentAgain: true, next: 'none', claim: 'none' };
const noJob: Outcome = { ...waits, sentAgain: false };
/** Without a token nothing is sent at all. */
const noToken: Outcome = { ends: 'fails', sentAgain: false, next: 'none', claim: 'certain' };
const triedToken: Outcome = { ...noToken, sentAgain: true };

export const EXPECTED: Record<Request, Record<RowKey, Outcome>> = {
	push: REPEATABLE,
	delete: REPEATABLE,
	migrate: alone({ ...NOT_REPEATABLE }),
	submit: {
		...NOT_REPEATABLE,
		// A new token is tried once.
		401: { ...endsAll, sentAgain: true },
		// Without a chunking ID nobody knows.
		html: once,
		empty: once,
		204: once,
		gzip: once,
		shape: once,
	},
	results: {
		...alone(REPEATABLE),
		400: noJob,
		401: waits,
		403: noJob,
		408: waits,
		413: noJob,
		'429 seconds': waits,
		'429 date': waits,
		500: waits,
		501: noJob,
		503: waits,
		redirect: noJob,
		refused: waits,
		'reset before': waits,
		'reset after': waits,
		truncated: waits,
		trickle: waits,
		hang: waits,
		'broken TLS': waits,
		untrusted: noJob,
		html: waits,
		empty: waits,
		204: waits,
		charset: { ...succeeds, next: 'none' },
		gzip: waits,
		shape: waits,
	},
	token: {
		400: noToken,
		401: noToken,
		403: noToken,
		408: triedToken,
		413: noToken,
		'429 seconds': triedToken,
		'429 date': triedToken,
		500: triedToken,
		501: noToken,
		503: triedToken,
		redirect: noToken,
		refused: triedToken,
		'reset before': triedToken,
		'reset after': triedToken,
		truncated: triedToken,
		// The request is shared with other executions and goes on; this run waits no longer.
		trickle: noToken,
		hang: noToken,
		'broken TLS': triedToken,
		untrusted: noToken,
		html: noToken,
		empty: noToken,
		204: noToken,
		charset: { ...succeeds, next: 'none' },
		gzip: noToken,
		shape: noToken,
	},
};

/** Longer than that nothing may take: attempts, their timeouts, and a busy machine. */
export const LIMIT_MS = 15_000;

/** What was seen in a cell. */
export interface Seen extends Outcome {
	/** One of the messages, as a user reads it. */
	message: string;
	tookMs: number;
	/** Each item came out once, where the mode wants it. */
	returned: 'stopped' | 'main output' | 'error output' | 'both' | 'wrong';
	/** A message denied what took effect, or a result claims what did not. */
	untrue: string[];
}

interface Broken {
	url: string;
	connections: () => number;
	close: () => Promise<void>;
}

/** A server that never gets as far as HTTP. */
async function startBroken(kind: Connection): Promise<Broken> {
	let connections = 0;
	const server: Server =
		kind === 'untrusted'
			? (createTlsServer(selfSigned()) as unknown as Server)
			: createServer((socket) => {
					socket.on('error', () => {});
					socket.once('data', () => socket.end('This is no TLS.\r\n'));
				});
	if (kind !== 'refused') server.on('connection', () => void (connections += 1));
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	const { port } = server.address() as AddressInfo;
	const close = async () => await new Promise<void>((resolve) => server.close(() => resolve()));
	/** Attempts at a port where nobody listens any more can only be seen from this side. */
	const onSocket = (message: unknown): void => {
		const { socket } = message as { socket: Socket };
		socket.on('connectionAttempt', (_ip, to) => void (connections += to === port ? 1 : 0));
	};
	if (kind === 'refused') {
		await close();
		subscribe('net.client.socket', onSocket);
	}
	return {
		url: `${kind === 'refused' ? 'http' : 'https'}://127.0.0.1:${port}`,
		connections: () => connections,
		close:
			kind === 'refused'
				? async () => void unsubscribe('net.client.socket', onSocket)
				: close,
	};
}

const TEXTS = [0, 1].map((item) => textOf({ key: `i${item}t0`, parts: 2 }));
const COUNT = TEXTS.length;

function itemsFor(request: Request, jobs: string[]): IDataObject[] {
	const names = ['Returns', 'Refunds'];
	return names.map((name, at) => ({
		id: `${name.toLowerCase()}.md`,
		name,
		version: `v${at}`,
		...((request === 'submit' || request === 'token') && { text: TEXTS[at] }),
		...(request === 'results' && { chunkingId: jobs[at], textPosition: 0 }),
	}));
}

const MAX_ATTEMPTS = 2;

/** Polls that hang take a Request Timeout each, so there has to be time for another. */
const MAX_WAIT_SECONDS: Partial<Record<RowKey, number>> = { hang: 3, trickle: 3, '429 seconds': 3 };

function settingsFor(request: Request, row: RowKey): Settings {
	const patience: Settings = { timeout: 1, maxRefused: 3 };
	const common: Settings = { ...patience, maxAttempts: MAX_ATTEMPTS, concurrency: 1 };
	const polling: Settings = {
		firstInterval: 0.1,
		longestInterval: 0.2,
		maxWait: MAX_WAIT_SECONDS[row] ?? 2,
	};
	switch (request) {
		case 'push':
			return { ...common, documentsPerRequest: 1 };
		case 'delete':
			return common;
		case 'migrate':
			return { ...patience, confirm: true };
		case 'results':
			return {
				...common,
				...polling,
				operation: 'getResults',
				wait: true,
				modelId: undefined,
			};
		default:
			return {
				...common,
				...polling,
				operation: 'submitAndWait',
				modelId: 'gte-small',
				textsPerRequest: 1,
			};
	}
}

let cells = 0;

/** Plays one fault against one request, for as long as the node sends it. */
export async function playCell(request: Request, row: RowKey, mode: OnError): Promise<Seen> {
	cells += 1;
	const { fault } = ROWS[row];
	const { node, url } = TARGETS[request];
	const isConnection = typeof fault === 'string';
	const broken = isConnection ? await startBroken(fault) : undefined;
	const plan = worldOf({
		service: { jobs: [jobOf({ polls: 0 })], indexed: ['returns.md', 'refunds.md'] },
	}).service;
	const clientId = `matrix-${cells}`;
	const server = await startChaosServer(
		plan,
		isConnection ? [] : [{ route: request, skip: 0, times: Infinity, fault }],
		clientId,
	);
	try {
		const jobs = TEXTS.map((text, at) => server.service.createJob([text], [`i${at}t0`]).id);
		const startedAt = performance.now();
		const result = await runNode({
			node: NODES[node],
			items: itemsFor(request, jobs),
			parameters: parametersOf(node, settingsFor(request, row)),
			onError: mode,
			store: new CredentialStore(
				credentialsFor(server.url, clientId, broken ? { [url]: broken.url } : {}),
			),
		});
		const tookMs = performance.now() - startedAt;
		const subjects = broken
			? Array<string>(broken.connections()).fill('')
			: server.requests
					.filter(({ route }) => route === request)
					.map(({ subject }) => subject);
		return seenIn(request, row, mode, result, subjects, tookMs, server.service.truth);
	} finally {
		await server.close();
		await broken?.close();
	}
}

type Truth = Awaited<ReturnType<typeof startChaosServer>>['service']['truth'];

function effectOn(request: Request, truth: Truth, at: number): boolean {
	switch (request) {
		case 'push':
			return truth.document(`v${at}`).accepted > 0;
		case 'delete':
			return truth.deletedIds.has(['returns.md', 'refunds.md'][at]);
		case 'migrate':
			return truth.migrations.effects > 0;
		default:
			// The job that was made for Get Results is one too.
			return (truth.texts.get(`i${at}t0`)?.jobs.length ?? 0) > 1;
	}
}

function wordsOf({ error }: RunResult): string {
	const { message = '' } = (error ?? {}) as { message?: string };
	return message;
}

function seenIn(
	request: Request,
	row: RowKey,
	mode: OnError,
	result: RunResult,
	subjects: string[],
	tookMs: number,
	truth: Truth,
): Seen {
	const main = result.output.map(({ json }) => claimOf(json));
	const errors = result.errorOutput.map(({ json }) => claimOf(json));
	const failures = [...main, ...errors].filter(({ error }) => error !== undefined);
	const stopped = result.error !== undefined;
	const message = stopped ? wordsOf(result) : (failures[0]?.error ?? '');
	const ends = stopped || failures.length > 0 ? 'fails' : 'succeeds';
	const untrue = [...main, ...errors].flatMap(({ error, pushed, deleted, migrated }, at) => {
		const done = effectOn(request, truth, at);
		const claims = pushed === true || deleted === true || migrated === true;
		if (claims && !done) return ['claims what did not happen'];
		const [denial] = denialsIn(error ?? '');
		return denial !== undefined && done ? [denial] : [];
	});
	if (stopped && denialsIn(message).length > 0 && effectOn(request, truth, 0)) {
		untrue.push(message);
	}
	return {
		ends,
		...requestsSeen(request, row, subjects, stopped),
		claim: claimIn(request, ends, message),
		message,
		tookMs,
		returned: placeOf(mode, result, failures.length),
		untrue,
	};
}

function claimIn(request: Request, ends: Outcome['ends'], message: string): Outcome['claim'] {
	if (ends === 'succeeds' || request === 'results') return 'none';
	return /\b(?:unknown|not known)\b/i.test(message) ? 'unknown' : 'certain';
}

/** What the requests say about attempts and about the request for the next item. */
function requestsSeen(
	request: Request,
	row: RowKey,
	subjects: string[],
	stopped: boolean,
): Pick<Outcome, 'sentAgain' | 'next'> {
	const hasNext = Object.values(EXPECTED[request]).some(({ next }) => next !== 'none');
	if (typeof ROWS[row].fault !== 'string') {
		const distinct = new Set(subjects);
		return {
			sentAgain: [...distinct].some(
				(subject) => subjects.filter((other) => other === subject).length > 1,
			),
			next: !hasNext ? 'none' : distinct.size > 1 ? 'sent' : 'not sent',
		};
	}
	// Below HTTP only connections can be counted, of both items together.
	const own = request === 'results' ? COUNT : 1;
	if (!hasNext || stopped) return { sentAgain: subjects.length > own, next: 'none' };
	const { sentAgain } = EXPECTED[request][row];
	const attempts = sentAgain ? MAX_ATTEMPTS : 1;
	return {
		sentAgain: subjects.length >= COUNT * attempts ? sentAgain : subjects.length > 1,
		next: subjects.length >= COUNT * attempts ? 'sent' : 'not sent',
	};
}

function placeOf(mode: OnError, result: RunResult, failures: number): Seen['returned'] {
	const { output, errorOutput, error } = result;
	if (error !== undefined) return output.length + errorOutput.length === 0 ? 'stopped' : 'wrong';
	if (mode === 'continueErrorOutput' && failures > 0) {
		return errorOutput.length === failures ? 'error output' : 'wrong';
	}
	return errorOutput.length === 0 ? 'main output' : 'wrong';
}

/** Where the items of a cell belong. */
export function placeExpected(mode: OnError, { ends }: Outcome): Seen['returned'] {
	if (ends === 'succeeds') return 'main output';
	if (mode === 'stopWorkflow') return 'stopped';
	return mode === 'continueErrorOutput' ? 'error output' : 'main output';
}

export interface Cell {
	request: Request;
	row: RowKey;
	mode: OnError;
	seen: Seen;
}

/** So many cells at once: most of the time they wait. */
const CELLS_AT_ONCE = 40;

/** Plays the whole matrix. The waits before retries have to be short. */
export async function playMatrix(): Promise<Cell[]> {
	const todo = REQUESTS.flatMap((request) =>
		ROW_KEYS.flatMap((row) => MODES.map((mode) => ({ request, row, mode }))),
	);
	const cells: Cell[] = [];
	let next = 0;
	async function playOn(): Promise<void> {
		while (next < todo.length) {
			const at = next++;
			const { request, row, mode } = todo[at];
			cells[at] = { request, row, mode, seen: await playCell(request, row, mode) };
		}
	}
	await Promise.all(Array.from({ length: CELLS_AT_ONCE }, playOn));
	// What comes as a surprise gets a second chance, alone: a busy machine may be to blame.
	for (const cell of cells.filter((played) => differencesOf(played).length > 0)) {
		cell.seen = await playCell(cell.request, cell.row, cell.mode);
	}
	return cells;
}

/** How a cell differs from what was expected of it; empty if it does not. */
export function differencesOf({ request, row, mode, seen }: Cell): string[] {
	const expected = EXPECTED[request][row];
	const stops = mode === 'stopWorkflow';
	const compared = (['ends', 'sentAgain', 'next', 'claim'] as const).filter(
		// A run that stops does not tell what it would have sent for the next item, nor how often it
		// would have polled: the first job that fails ends it.
		(part) => !stops || (part !== 'next' && !(part === 'sentAgain' && request === 'results')),
	);
	return [
		...compared
			.filter((part) => seen[part] !== expected[part])
			.map((part) => `${part}: ${String(seen[part])}, not ${String(expected[part])}`),
		...(seen.returned === placeExpected(mode, expected) ? [] : [`items: ${seen.returned}`]),
		...(seen.tookMs > LIMIT_MS ? [`took ${Math.round(seen.tookMs)} ms`] : []),
		...seen.untrue.map((words) => `not true: ${words}`),
	];
}
