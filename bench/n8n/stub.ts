import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/** What the stub has received. */
export interface StubStats {
	requests: number;
	documents: number;
	/** Different IDs among the documents. */
	distinct: number;
	bytes: number;
}

export type StubCommand = 'stats' | 'reset';

/**
 * A push and blob service that is as little work as possible, so that it does not hold up the clients:
 * it takes everything and counts documents and IDs. It also serves the files of a folder.
 */
export interface Stub {
	/** Where a push credential points to. */
	pushUrl: string;
	/** URL of the folder's files, without a slash at the end. */
	files: string;
	/** Base URL of the blob service. */
	blobUrl: string;
	stats(): Promise<StubStats>;
	reset(): Promise<void>;
	close(): void;
}

/** Starts the stub in a process of its own. */
export async function startStub(folder: string): Promise<Stub> {
	const child = fork(join(__dirname, 'stub-process.ts'), [folder], {
		execArgv: [...process.execArgv, '--max-old-space-size=4096'],
	});
	const [{ url }] = (await once(child, 'message')) as [{ url: string }];
	const ask = async (command: StubCommand): Promise<StubStats> => {
		child.send(command);
		const [stats] = (await once(child, 'message')) as [StubStats];
		return stats;
	};
	return {
		pushUrl: `${url}/site-search`,
		files: `${url}/files`,
		blobUrl: `${url}/api`,
		stats: async () => await ask('stats'),
		reset: async () => void (await ask('reset')),
		close: () => child.disconnect(),
	};
}
