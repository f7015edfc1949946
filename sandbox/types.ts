import type { RouteName } from './route-names';
import type { SandboxSettings } from './settings';

/** A client that may request tokens. By default, it may request all four scopes. */
export interface SandboxClient {
	id: string;
	secret: string;
	scopes?: string[];
}

export interface SandboxDataSource {
	endpoint: string;
	keys: string[];
}

/** Options of `startSandbox`, which are all optional (README.md). */
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

/** A request as the sandbox received it. Secrets are replaced with `***`. */
export interface RecordedRequest {
	route: RouteName | 'other';
	method: string;
	/** The raw path in percent-encoding, without the query. */
	path: string;
	query: Record<string, string>;
	headers: Record<string, string>;
	bodyBytes: number;
	body?: unknown;
	/** Status of the response. It is 0 before the response, and after a reset of the connection. */
	status: number;
	/** Milliseconds since the epoch. */
	startedAt: number;
	endedAt: number;
	/** Number of requests in flight on this route when this request arrived, including this request. */
	inFlight: number;
}

export interface SearchHit extends Record<string, unknown> {
	id: string;
	name: string;
}

export interface JobSummary {
	chunkingId: string;
	status: JobStatus;
	texts: number;
}

/** Statuses of a chunking job (docs/service-interface.md, Chunking results). */
export type JobStatus = 'SUBMITTED' | 'ERROR' | 'READY' | 'RETRIEVED';

export interface SandboxStats {
	/** Number of requests by route and status. Status 0 means that there was no complete response. */
	requests: Record<string, Record<string, number>>;
	tokensIssued: Record<string, number>;
	unauthorized: number;
	documents: Record<string, number>;
	pendingDeletes: Record<string, number>;
	chunks: number;
	maxInFlight: Record<string, number>;
}
