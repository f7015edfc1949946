import type { Static } from './schema';

/*
 * All settings with their meanings, defaults and allowed values. Types, checks and defaults are derived from this
 * list. A setting without a default is optional, and `null` clears it.
 */
const SETTINGS = {
	revokePreviousTokens: {
		description: 'A new token of a client and scope revokes the previous one',
		type: 'boolean',
		default: true,
	},
	tokenResponse: {
		description: 'Response to a correct token request; all but `normal` are misbehavior',
		enum: ['normal', 'wrongType', 'html', 'pkce'],
		default: 'normal',
	},
	chunkDelayMs: {
		description: 'Shortest time from SUBMITTED to READY, counted from when a job is started',
		type: 'number',
		minimum: 0,
		default: 0,
	},
	resultsOnce: {
		description: 'After the first response with data, a GET returns the status RETRIEVED alone',
		type: 'boolean',
		default: false,
	},
	vectorSize: {
		description: 'Dimension of all models',
		type: 'number',
		minimum: 0,
		default: 384,
	},
	vectorsFromWords: {
		description:
			'Vectors are made from the words of a text, so the cosine follows common words',
		type: 'boolean',
		default: false,
	},
	maxChunks: {
		description: 'Chunks per request after which the rest is cut off silently',
		type: 'number',
		minimum: 0,
	},
	models: {
		description: 'IDs of the models there are; without it any ID is accepted',
		type: 'array',
		items: { type: 'string' },
	},
	deleteCommitIntervalMs: {
		description: 'Time between two commits of grouped deletes',
		type: 'number',
		minimum: 0,
		default: 60_000,
	},
	pushBodyLimitBytes: {
		description: 'Bytes of a push request above which the status is 413',
		type: 'number',
		minimum: 0,
		default: 5_000_000,
	},
	pushResponse: {
		description: 'Body of the response to a successful push; the interface leaves it open',
		enum: ['empty', 'count', 'perDocument', 'text'],
		default: 'empty',
	},
	unknownDeleteStatus: {
		description:
			'Status for the delete of an ID that is not indexed; the interface leaves it open',
		enum: [200, 404],
		default: 200,
	},
	keepBodies: {
		description: 'Keep parsed bodies under 1 MB of submit and push requests; off in benchmarks',
		type: 'boolean',
		default: true,
	},
} as const;

type Settings = typeof SETTINGS;

export type SandboxSettings = {
	-readonly [Name in keyof Settings]: Settings[Name] extends { default: unknown }
		? Static<Settings[Name]>
		: Static<Settings[Name]> | undefined;
};

export const SETTINGS_SCHEMA = {
	type: 'object',
	additionalProperties: false,
	properties: Object.fromEntries(
		Object.entries<object>(SETTINGS).map(([name, schema]) => [
			name,
			'default' in schema ? schema : { ...schema, nullable: true },
		]),
	),
};

/** Returns the default settings. If docs/service-interface.md gives a number, the default is that number. */
export function defaultSettings(): SandboxSettings {
	const defaults = Object.entries<object>(SETTINGS).map(
		([name, schema]) => [name, 'default' in schema ? schema.default : undefined] as const,
	);
	return Object.fromEntries(defaults) as SandboxSettings;
}

/** Applies validated changes. `null` clears an optional setting. */
export function applySettings(settings: SandboxSettings, changes: Record<string, unknown>): void {
	for (const [name, value] of Object.entries(changes)) {
		Object.assign(settings, { [name]: value ?? undefined });
	}
}
