import type { AddressInfo } from 'node:net';

import type { Context } from './context';
import { FAULT_RULE_SCHEMA, FaultRules, type FaultRule } from './fault-rules';
import { IndexStore } from './index-store';
import { Jobs } from './jobs';
import { Recorder } from './recorder';
import { buildServer } from './server';
import { check } from './schema';
import type { SandboxSettings } from './settings';
import { applySettings, defaultSettings, SETTINGS_SCHEMA } from './settings';
import { Tokens } from './tokens';
import type { JobSummary, RecordedRequest, SandboxOptions, SandboxStats, SearchHit } from './types';

export type { FaultRule } from './fault-rules';
export type { RouteName } from './route-names';
export { defaultSettings, type SandboxSettings } from './settings';
export { SCOPES } from './tokens';
export * from './types';

export interface Sandbox {
	url: string;
	urls: { authUrl: string; aiUrl: string; pushUrl: string; baseUrl: string };
	/** Settings that can be changed at any time. A change takes effect with the next request. */
	settings: SandboxSettings;
	faults: { add(rule: FaultRule): void; clear(): void };
	/** All requests in order of arrival, except requests to control routes. */
	requests: RecordedRequest[];
	tokensIssued(scope?: string): number;
	documents(endpoint: string): Array<Record<string, unknown>>;
	pendingDeletes(endpoint: string): string[];
	search(endpoint: string, query: string): SearchHit[];
	commit(): void;
	jobs(): JobSummary[];
	stats(): SandboxStats;
	/** Clears requests, statistics, faults, jobs, tokens, the index and blobs. Settings stay unchanged. */
	reset(): void;
	close(): Promise<void>;
}

/** Public demo values, which are the defaults of `startSandbox`. */
export const DEMO = {
	authServerId: 'default',
	clientId: 'demo-client',
	clientSecret: 'demo-secret',
	endpoint: 'docs',
	pushKey: 'demo-push-key',
} as const;

/**
 * Starts a local service that implements the whole interface.
 * @param options settings of the sandbox and its server. By default, the service uses a free port on 127.0.0.1 and
 * keeps all data in memory
 * @returns the running sandbox, once it accepts requests
 * @throws an error if a setting is wrong or the port is in use
 */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
	const settings = defaultSettings();
	if (options.settings) {
		check(SETTINGS_SCHEMA, options.settings, 'settings');
		applySettings(settings, options.settings);
	}
	const context = createContext(options, settings);
	const { faults, index, jobs, recorder, tokens } = context;
	const app = buildServer(context, options.log ?? false);
	const host = options.host ?? '127.0.0.1';
	await app.listen({ host, port: options.port ?? 0 });
	const stopTimers = startCommits(context);
	const { port } = app.server.address() as AddressInfo;
	const url = `http://${['0.0.0.0', '::'].includes(host) ? '127.0.0.1' : host}:${port}`;
	let closing: Promise<void> | undefined;
	const close = async () => {
		stopTimers();
		jobs.clear();
		await app.close();
	};

	return {
		url,
		urls: {
			authUrl: url,
			aiUrl: url,
			pushUrl: `${url}/site-search`,
			baseUrl: `${url}/api`,
		},
		settings,
		faults,
		requests: recorder.requests,
		tokensIssued: (scope) => tokens.count(scope),
		documents: (endpoint) => index.documents(endpoint),
		pendingDeletes: (endpoint) => index.pending(endpoint),
		search: (endpoint, query) => index.search(endpoint, query).hits,
		commit: () => index.commit(),
		jobs: () => jobs.list(),
		stats: () => context.stats(),
		reset: () => context.reset(),
		close: async () => await (closing ??= close()),
	};
}

function createContext(options: SandboxOptions, settings: SandboxSettings): Context {
	const context: Context = {
		settings,
		authServerId: options.authServerId ?? DEMO.authServerId,
		clients: options.clients ?? [{ id: DEMO.clientId, secret: DEMO.clientSecret }],
		dataSources: options.dataSources ?? [{ endpoint: DEMO.endpoint, keys: [DEMO.pushKey] }],
		blobAuth: options.blobAuth,
		tokens: new Tokens(settings),
		jobs: new Jobs(settings),
		index: new IndexStore(options.dataFile),
		faults: new FaultRules(
			(rule) => check(FAULT_RULE_SCHEMA, rule, 'fault rule'),
			(chunkingId) => context.jobs.get(chunkingId)?.request.texts ?? [],
		),
		recorder: new Recorder(),
		converted: false,
		stored: new Map(),
		stats: () => statsOf(context),
		reset: () => {
			for (const part of [context.recorder, context.faults, context.jobs, context.tokens]) {
				part.clear();
			}
			context.index.clear();
			context.converted = false;
			context.stored.clear();
		},
	};
	return context;
}

function statsOf({ recorder, tokens, index, jobs }: Context): SandboxStats {
	const requests: Record<string, Record<string, number>> = {};
	let unauthorized = 0;
	for (const { route, status } of recorder.requests) {
		const byStatus = (requests[route] ??= {});
		byStatus[status] = (byStatus[status] ?? 0) + 1;
		if (status === 401) unauthorized += 1;
	}
	return {
		requests,
		tokensIssued: { ...tokens.issued },
		unauthorized,
		documents: index.counts(),
		pendingDeletes: index.pendingCounts(),
		chunks: jobs.chunksMade,
		maxInFlight: { ...recorder.maxInFlight },
	};
}

/**
 * Commits pending deletes at intervals.
 * @returns a function that stops the commits
 */
function startCommits({ index, settings }: Context): () => void {
	let lastCommit = Date.now();
	const timer = setInterval(() => {
		const now = Date.now();
		if (now - lastCommit >= settings.deleteCommitIntervalMs) {
			lastCommit = now;
			index.commit();
		}
	}, 25);
	timer.unref();
	return () => clearInterval(timer);
}
