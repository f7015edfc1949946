/**
 * The shapes that cross the sandbox's public edge: options, settings, fault rules and what it
 * reports back. What "(facts ...)" refers to: CONTRIBUTING.md, Layers.
 */

/** The routes that faults, records and figures are kept for. */
export type RouteName =
	| 'token'
	| 'submit'
	| 'results'
	| 'push'
	| 'delete'
	| 'convert'
	| 'blobs'
	| 'rules'
	| 'search';

/** Behaviour that may be changed while the sandbox runs. */
export interface SandboxSettings {
	/** Seconds a token lives (interface: 3600). */
	tokenLifetimeSeconds: number;
	/** True: a new token of a client and scope kills the former one of the two (facts 2). */
	revokeFormerTokens: boolean;
	/** What the token endpoint answers to a correct request; all but 'normal' are misbehaviours. */
	tokenReply: 'normal' | 'wrongType' | 'noExpiry' | 'foreignScope' | 'html' | 'pkce';
	/** Milliseconds a job takes at least from the moment it is worked on until it is READY. */
	chunkDelayMs: number;
	/** Jobs worked on at once; further ones wait their turn. */
	chunkParallelism: number;
	/** True: after the first reply with data, a GET returns the status RETRIEVED alone. */
	resultsOnce: boolean;
	/** Status string of a reply with data; the vendor's example shows READY (facts 1.5). */
	readyStatus: 'READY' | 'RETRIEVED';
	/** The newer shape (vectors nested per text) or the older one (facts 1.5). */
	resultShape: 'nested' | 'topLevelVector';
	/** Bytes of text in one chunking request above which the answer is 413. */
	chunkTextLimitBytes: number;
	/** Dimension of a model; its name decides (small, base, large) while this is the default 384. */
	vectorSize: number;
	/** Chunks per request after which the rest is silently cut (facts 1.7); undefined: no limit. */
	maxChunks?: number;
	/** Model whose jobs end with status ERROR. */
	failModel?: string;
	/** Milliseconds between two commits of grouped deletes (interface: once a minute). */
	deleteCommitIntervalMs: number;
	/** Bytes of a push request above which the answer is 413. */
	pushBodyLimitBytes: number;
	/** Body of a successful push; the interface leaves it open. */
	pushReply: 'empty' | 'count' | 'perDocument' | 'text';
	/** Status for the delete of an id that is not indexed; the interface leaves it open. */
	unknownDeleteStatus: 200 | 404;
	/** Keep parsed bodies (under 1 MB) of submit and push requests in `requests`. */
	keepBodies: boolean;
	/** Milliseconds one request's regular expression may run before its job ends in ERROR. */
	regexTimeLimitMs: number;
}

/** A client of the token endpoint; without `scopes` it may ask for all four. */
export interface SandboxClient {
	id: string;
	secret: string;
	scopes?: string[];
}

/** A push-endpoint data source and its keys. */
export interface SandboxDataSource {
	endpoint: string;
	keys: string[];
}

/** What `startSandbox` takes; everything has a default (see README.md). */
export interface SandboxOptions {
	host?: string;
	port?: number;
	dataFile?: string;
	authServerId?: string;
	clients?: SandboxClient[];
	dataSources?: SandboxDataSource[];
	blobAuth?: { user: string; password: string };
	settings?: Partial<SandboxSettings>;
	log?: boolean;
}

/** One switchable fault. All given conditions must hold; see README.md, "Faults". */
export interface FaultRule {
	route: RouteName;
	/** How often it strikes; without it, every time. */
	times?: number;
	/** Matching requests let through first. */
	skip?: number;
	/** Chance of striking, 0..1, from a seeded generator: the same sequence on every run. */
	probability?: number;
	/** Strike only when the raw request body contains this text. */
	whenBodyContains?: string;
	/** Answer with this status. */
	status?: number;
	/** Value of the Retry-After header, sent verbatim; without a status it goes with 429. */
	retryAfter?: string;
	body?: string;
	contentType?: string;
	/** Milliseconds to wait before anything else. */
	latencyMs?: number;
	/** Destroy the connection: before any work, in the middle of the reply, or after the work. */
	reset?: 'beforeReply' | 'midBody' | 'afterWork';
	/** Do the work, then send the first half of the body with a content-length that fits it. */
	truncate?: boolean;
	/** Answer with an HTML page, with `status` or 200. */
	html?: boolean;
	/** Answer with a redirect (`status` or 302) to this address. */
	redirectTo?: string;
}

/** One request as the sandbox saw it; secrets are replaced by `***`. */
export interface RecordedRequest {
	route: RouteName | 'other';
	method: string;
	/** Raw path as received, percent-encoding intact, without the query. */
	path: string;
	query: Record<string, string>;
	headers: Record<string, string>;
	bodyBytes: number;
	body?: unknown;
	/** 0 while no reply was sent, and for ever when the connection was reset. */
	status: number;
	/** Milliseconds since the epoch. */
	startedAt: number;
	endedAt: number;
	/** Requests of this route under way when this one arrived, itself included. */
	inFlight: number;
}

/** One hit of the full-text search. */
export interface SearchHit {
	id: string;
	name: string;
	/** Relevance, higher is better (negated bm25). */
	score: number;
	snippet: string;
}

/** A chunking job as `Sandbox.jobs()` lists it. */
export interface JobSummary {
	chunkingId: string;
	status: JobStatus;
	texts: number;
}

/** The four statuses of the interface, section "States and transitions". */
export type JobStatus = 'SUBMITTED' | 'ERROR' | 'READY' | 'RETRIEVED';

/** Figures since the start or the last reset. */
export interface SandboxStats {
	/** Requests per route and status; status 0 counts requests that got no full reply. */
	requests: Record<string, Record<string, number>>;
	/** Tokens issued per scope. */
	tokensIssued: Record<string, number>;
	/** Replies with status 401, of all routes. */
	unauthorized: number;
	/** Committed documents per data source. */
	documents: Record<string, number>;
	/** Deletes received and not yet committed, per data source. */
	pendingDeletes: Record<string, number>;
	/** Chunks made by all jobs. */
	chunks: number;
	/** Most requests under way at once, per route. */
	maxInFlight: Record<string, number>;
}

/** A running sandbox. */
export interface Sandbox {
	url: string;
	addresses: { authUrl: string; aiUrl: string; pushUrl: string; baseUrl: string };
	/** Live: a change takes effect with the next request. */
	settings: SandboxSettings;
	faults: { add(rule: FaultRule): void; clear(): void };
	/** Every request in arrival order, control routes left out. */
	requests: RecordedRequest[];
	/** Tokens issued, of one scope or of all. */
	tokensIssued(scope?: string): number;
	/** Committed documents of a data source. */
	documents(endpoint: string): Array<Record<string, unknown>>;
	/** Ids whose delete waits for the next commit. */
	pendingDeletes(endpoint: string): string[];
	search(endpoint: string, query: string): SearchHit[];
	/** Commits the pending deletes of all data sources. */
	commit(): void;
	jobs(): JobSummary[];
	stats(): SandboxStats;
	/** Clears requests, figures, faults, jobs, tokens, index and blobs; settings stay. */
	reset(): void;
	/** Starts Python ahead of the first regex-splitter job, for tests that measure time. */
	warmUp(): Promise<void>;
	close(): Promise<void>;
}
