import type { FastifyContextConfig, FastifyInstance } from 'fastify';

import type { FaultRules } from './fault-rules';
import type { IndexStore } from './index-store';
import type { Jobs } from './jobs';
import type { Recorder } from './recorder';
import type { Tokens } from './tokens';
import type { SandboxSettings } from './settings';
import type { SandboxClient, SandboxDataSource, SandboxStats } from './types';

export interface Context {
	settings: SandboxSettings;
	authServerId: string;
	clients: SandboxClient[];
	dataSources: SandboxDataSource[];
	blobAuth?: { user: string; password: string };
	tokens: Tokens;
	jobs: Jobs;
	index: IndexStore;
	faults: FaultRules;
	recorder: Recorder;
	/** True once the blob manifests have been migrated. */
	converted: boolean;
	stored: Map<string, Buffer>;
	reset(): void;
	stats(): SandboxStats;
}

/**
 * Adds one route to the server.
 * @param config Fastify's `config` for the route. Records and faults use it to identify the route
 */
export type Route = (app: FastifyInstance, context: Context, config: FastifyContextConfig) => void;
