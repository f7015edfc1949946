/** The checks of n8n's publish gate, and our own rules for the shipped sources. */
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';

import { run } from '../../support/exec';
import { ROOT } from '../../support/manifest';
import { packPackage } from '../../support/packed-package';

interface ScanResult {
	passed: boolean;
	message?: string;
	details?: string;
}

/** Runs the gate's linter, an ES module, in a process of its own. */
async function scan(folder: string, files: 'source' | 'built'): Promise<ScanResult> {
	const args = ['scripts/scan.mjs', folder, files];
	const { stdout, stderr } = await run(process.execPath, args, ROOT);
	if (!stdout) throw new Error(stderr);
	return JSON.parse(stdout) as ScanResult;
}

/** The shipped TypeScript sources with their text. */
async function sources(): Promise<Array<{ file: string; text: string }>> {
	const found: string[] = [];
	for (const folder of ['nodes', 'credentials']) {
		const entries = await readdir(path.join(ROOT, folder), { recursive: true });
		found.push(...entries.map((entry) => path.join(folder, entry)));
	}
	return await Promise.all(
		found
			.filter((file) => file.endsWith('.ts'))
			.map(async (file) => ({ file, text: await readFile(path.join(ROOT, file), 'utf8') })),
	);
}

describe("n8n's publish gate", () => {
	it('passes the sources', async () => {
		expect(await scan(ROOT, 'source')).toEqual({ passed: true });
	});

	it('passes the tarball', async () => {
		const packed = await packPackage();
		try {
			expect(await scan(packed.folder, 'built')).toEqual({ passed: true });
		} finally {
			await packed.remove();
		}
	});
});

describe('shipped sources', () => {
	it('switch off no rule', async () => {
		const pattern = /eslint-disable|@ts-ignore|@ts-expect-error|@ts-nocheck/;
		const hits = (await sources()).flatMap(({ file, text }) =>
			text
				.split('\n')
				.map((line, index) => ({ where: `${file}:${index + 1}`, line: line.trim() }))
				.filter(({ line }) => !/^(\*|\/\/|\/\*)/.test(line) && pattern.test(line)),
		);
		expect(hits).toEqual([]);
	});
});
