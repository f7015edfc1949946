import type { SandboxSettings } from './types';

/** The settings a sandbox starts with; the numbers of the interface where it names any. */
export function defaultSettings(): SandboxSettings {
	return {
		tokenLifetimeSeconds: 3600,
		revokeFormerTokens: false,
		tokenReply: 'normal',
		chunkDelayMs: 0,
		chunkParallelism: 1_000_000,
		resultsOnce: false,
		readyStatus: 'READY',
		resultShape: 'nested',
		chunkTextLimitBytes: 1_000_000,
		vectorSize: 384,
		maxChunks: undefined,
		failModel: 'broken-model',
		deleteCommitIntervalMs: 60_000,
		pushBodyLimitBytes: 5_000_000,
		pushReply: 'empty',
		unknownDeleteStatus: 200,
		keepBodies: true,
		regexTimeLimitMs: 10_000,
	};
}

/** Allowed values of the settings that are a choice; the rest is checked by type. */
const CHOICES: Partial<Record<keyof SandboxSettings, ReadonlyArray<string | number>>> = {
	tokenReply: ['normal', 'wrongType', 'noExpiry', 'foreignScope', 'html', 'pkce'],
	readyStatus: ['READY', 'RETRIEVED'],
	resultShape: ['nested', 'topLevelVector'],
	pushReply: ['empty', 'count', 'perDocument', 'text'],
	unknownDeleteStatus: [200, 404],
};

/** Settings that may be absent, with the type they have when present. */
const OPTIONAL: Partial<Record<string, string>> = { maxChunks: 'number', failModel: 'string' };

/**
 * Applies changes that came from outside (options, control route, configuration file).
 * `null` clears an optional setting.
 * @throws Error naming the first setting that is unknown or of the wrong type; nothing is changed.
 */
export function applySettings(settings: SandboxSettings, patch: Record<string, unknown>): void {
	const defaults = defaultSettings() as unknown as Record<string, unknown>;
	const changes: Record<string, unknown> = {};
	for (const [key, value] of Object.entries(patch)) {
		if (!(key in defaults)) throw new Error(`Unknown setting '${key}'`);
		if ((value === null || value === undefined) && key in OPTIONAL) {
			changes[key] = undefined;
			continue;
		}
		const choices = CHOICES[key as keyof SandboxSettings];
		if (choices && !choices.some((choice) => choice === value)) {
			throw new Error(`Setting '${key}' must be one of ${choices.join(', ')}`);
		}
		const type = OPTIONAL[key] ?? typeof defaults[key];
		if (typeof value !== type) throw new Error(`Setting '${key}' must be a ${type}`);
		if (type === 'number' && !((value as number) >= 0)) {
			throw new Error(`Setting '${key}' must not be negative`);
		}
		changes[key] = value;
	}
	Object.assign(settings, changes);
}
