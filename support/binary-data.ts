import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Readable } from 'node:stream';

import { BinaryDataConfig, BinaryDataService } from 'n8n-core';
import type { IBinaryData, INodeExecutionData } from 'n8n-workflow';

import { watchFile } from './process-state';

/** The place where n8n keeps files: on disk, or as base64 in the items. */
export type BinaryMode = 'filesystem' | 'default';

interface ContainerApi {
	set(type: unknown, value: unknown): void;
}

/**
 * Returns the dependency injection container that n8n-core uses. A direct import of `@n8n/di` might load another
 * copy.
 */
function container(): ContainerApi {
	const requireOfCore = createRequire(require.resolve('n8n-core'));
	return (requireOfCore('@n8n/di') as { Container: ContainerApi }).Container;
}

/** n8n's own file storage. Each test file gets a separate folder. */
export class TestFiles {
	private service!: BinaryDataService;

	constructor(private readonly folder: string) {}

	async use(mode: BinaryMode): Promise<void> {
		const config = { mode, availableModes: [mode], localStoragePath: this.folder };
		const nothing = () => undefined;
		const logger = { error: nothing, warn: nothing, info: nothing, debug: nothing };
		this.service = new BinaryDataService(
			config as unknown as BinaryDataConfig,
			{ error: nothing } as never,
			logger as never,
		);
		await this.service.init();
		const { getAsStream } = this.service;
		this.service.getAsStream = async (...args) =>
			watchFile(await getAsStream.apply(this.service, args));
		container().set(BinaryDataService, this.service);
		container().set(BinaryDataConfig, config);
	}

	async item(
		content: string | Buffer,
		fileName = 'documents.jsonl',
		mimeType = 'application/octet-stream',
	): Promise<INodeExecutionData> {
		return { json: {}, binary: { data: await this.store(content, fileName, mimeType) } };
	}

	async store(
		content: string | Buffer,
		fileName: string,
		mimeType: string,
	): Promise<IBinaryData> {
		const location = { type: 'execution', workflowId: 'test', executionId: '1' } as const;
		const binary = { fileName, mimeType, data: '' };
		return await this.service.store(location, Buffer.from(content as string), binary);
	}

	/** Makes all later reads return these pieces instead of the stored content. */
	stream(pieces: () => AsyncIterable<Buffer>): void {
		this.service.getAsStream = async () =>
			Object.assign(pieces(), { destroy: () => undefined }) as never;
	}

	opens(stream: Readable): void {
		this.service.getAsStream = async () => await Promise.resolve(watchFile(stream));
	}

	fail(error: Error): void {
		this.service.store = async () => await Promise.reject(error);
	}

	async text(binary: IBinaryData | undefined): Promise<string> {
		if (!binary) throw new Error('There is no such file');
		return (await this.service.getAsBuffer(binary)).toString('utf8');
	}
}

/** Provides file storage for all tests in a test file. Files are stored on disk unless a test sets another mode. */
export function useFiles(): TestFiles {
	const folder = mkdtempSync(path.join(tmpdir(), 'files-'));
	const files = new TestFiles(folder);
	beforeEach(async () => await files.use('filesystem'));
	afterAll(async () => {
		// Other test files share this n8n instance and expect its default mode, which keeps files in the items.
		await files.use('default');
		rmSync(folder, { recursive: true, force: true });
	});
	return files;
}
