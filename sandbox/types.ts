/** The shapes of the sandbox's public interface: its options and what it reports. */

import type { RouteName } from './route-names';
import type { SandboxSettings } from './settings';

/** A client of the token endpoint; without `scopes` it may request all four. */
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
	/** 0 until a response was sent, and forever if the connection was reset. */
	status: number;
	/** Milliseconds since the epoch. */
	startedAt: number;
	endedAt: number;
	/** Concurrent requests of this route when this one arrived, itself included. */
	inFlight: number;
}

/** A document that a search found. */
export interface SearchHit extends Record<string, unknown> {
	id: string;
	name: string;
}

/** A chunking job as `Sandbox.jobs()` lists it. */
export interface JobSummary {
	chunkingId: string;
	status: JobStatus;
	texts: number;
}

/** The four statuses of a chunking job (docs/service-interface.md, Chunking results). */
export type JobStatus = 'SUBMITTED' | 'ERROR' | 'READY' | 'RETRIEVED';

/** Figures since the start or the last reset. */
export interface SandboxStats {
	/** Requests per route and status; status 0 counts requests without a complete response. */
	requests: Record<string, Record<string, number>>;
	/** Tokens issued per scope. */
	tokensIssued: Record<string, number>;
	/** Responses with status 401, of all routes. */
	unauthorized: number;
	/** Committed documents per data source. */
	documents: Record<string, number>;
	/** Deletes received and not yet committed, per data source. */
	pendingDeletes: Record<string, number>;
	/** Chunks made by all jobs. */
	chunks: number;
	/** Maximum of concurrent requests, per route. */
	maxInFlight: Record<string, number>;
}
