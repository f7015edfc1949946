import type { RouteName } from './route-names';
import type { SandboxSettings } from './settings';

/** A client of the token endpoint. If `scopes` is missing, the client may request all four scopes. */
export interface SandboxClient {
	id: string;
	secret: string;
	scopes?: string[];
}

export interface SandboxDataSource {
	endpoint: string;
	keys: string[];
}

/** Options for `startSandbox`. Each one has a default (see README.md). */
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

/** One request as the sandbox received it. Secrets are replaced with `***`. */
export interface RecordedRequest {
	route: RouteName | 'other';
	method: string;
	/** The path without the query, still percent-encoded. */
	path: string;
	query: Record<string, string>;
	headers: Record<string, string>;
	bodyBytes: number;
	body?: unknown;
	/** 0 until a response is sent. The status stays 0 if the connection was reset. */
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

/** The four statuses of a chunking job (docs/service-interface.md, Chunking results). */
export type JobStatus = 'SUBMITTED' | 'ERROR' | 'READY' | 'RETRIEVED';

export interface SandboxStats {
	/** Number of requests per route and status. Status 0 counts requests without a complete response. */
	requests: Record<string, Record<string, number>>;
	tokensIssued: Record<string, number>;
	unauthorized: number;
	documents: Record<string, number>;
	pendingDeletes: Record<string, number>;
	chunks: number;
	maxInFlight: Record<string, number>;
}
