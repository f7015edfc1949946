import type { Faults } from './faults';
import type { IndexStore } from './index-store';
import type { Jobs } from './jobs';
import type { Recorder } from './recorder';
import type { Tokens } from './tokens';
import type { SandboxClient, SandboxDataSource, SandboxSettings, SandboxStats } from './types';

/** What the routes work on. */
export interface Context {
	settings: SandboxSettings;
	authServerId: string;
	clients: SandboxClient[];
	dataSources: SandboxDataSource[];
	blobAuth?: { user: string; password: string };
	tokens: Tokens;
	jobs: Jobs;
	index: IndexStore;
	faults: Faults;
	recorder: Recorder;
	/** Blob manifests were migrated. */
	converted: boolean;
	reset(): void;
	stats(): SandboxStats;
}
