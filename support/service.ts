import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

import { PATHS } from '../nodes/shared/service/url';
import {
	DEMO,
	type FaultRule,
	type Sandbox,
	type SandboxSettings,
	type SandboxStats,
} from '../sandbox';
import type { CredentialData } from './credential-store';
import { sandboxCredentials } from './credentials';

/** The sandbox, or a server that accepts request bodies and does nothing with them. */
export type ServiceKind = 'sandbox' | 'sink';

/** A service that runs in its own process so that the service does not share a thread with a client. */
export interface Service {
	credentials: CredentialData;
	urls: Sandbox['urls'];
	pushUrl: string;
	pushKey: string;
	/** Resets the service. Afterward, each request takes `latencyMs` longer. */
	reset: (latencyMs?: number) => Promise<void>;
	fault: (rule: FaultRule) => Promise<void>;
	stats: () => Promise<SandboxStats>;
	close: () => void;
}

export async function startService(
	kind: ServiceKind,
	settings: Partial<SandboxSettings> = {},
): Promise<Service> {
	const child = fork(
		join(__dirname, 'service-process.ts'),
		[kind, JSON.stringify({ keepBodies: false, ...settings })],
		{ execArgv: ['--import', 'tsx', '--max-old-space-size=8192'] },
	);
	const [{ url }] = (await once(child, 'message')) as [{ url: string }];
	const control = async (method: string, path: string, body?: unknown): Promise<unknown> => {
		const response = await fetch(`${url}/_sandbox/${path}`, {
			method,
			...(body !== undefined && {
				body: JSON.stringify(body),
				headers: { 'Content-Type': 'application/json' },
			}),
		});
		const text = await response.text();
		if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
		return text === '' ? undefined : JSON.parse(text);
	};
	const fault = async (rule: FaultRule) => void (await control('POST', 'faults', rule));
	const urls = {
		authUrl: url,
		aiUrl: url,
		pushUrl: `${url}/site-search`,
		baseUrl: `${url}/api`,
	};
	return {
		credentials: sandboxCredentials({ urls } as Sandbox),
		urls,
		pushUrl: `${urls.pushUrl}${PATHS.push}/${DEMO.endpoint}`,
		pushKey: DEMO.pushKey,
		reset: async (latencyMs = 0) => {
			if (kind === 'sink') return;
			await control('POST', 'reset');
			if (latencyMs === 0) return;
			for (const route of ['push', 'delete', 'submit', 'results'] as const) {
				await fault({ route, latencyMs });
			}
		},
		fault,
		stats: async () => (await control('GET', 'stats')) as SandboxStats,
		close: () => child.disconnect(),
	};
}
