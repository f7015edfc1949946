import { mkdir } from 'node:fs/promises';
import path from 'node:path';

import type { Browser } from 'playwright-core';

import { Canvas } from '../browser/canvas';
import { openEditor } from '../browser/editor';
import type { Demo } from '../demo/demo';
import { Checks } from '../shared/checks';
import { CACHE } from '../shared/paths';
import { step } from '../shared/progress';
import { SUBJECTS } from './subjects';

const NODE_PREFIX = 'n8n-nodes-search-ingest.';

/**
 * Checks the editor, each subject in a window of its own. One that breaks off counts as a failed
 * check, with a picture of the window in .cache/e2e.
 * @param names which subjects; all without any
 */
export async function checkEditor(browser: Browser, demo: Demo, names: string[]): Promise<Checks> {
	const checks = new Checks();
	const types = await demo.n8n.api.nodeDescriptions();
	const nodes = new Map(
		types
			.filter(({ name }) => name.startsWith(NODE_PREFIX) && !name.endsWith('Tool'))
			.map((description) => [description.name.replace(NODE_PREFIX, ''), description]),
	);
	for (const [name, { title, run }] of Object.entries(SUBJECTS)) {
		if (names.length > 0 && !names.includes(name)) continue;
		const page = await openEditor(browser, demo.n8n, 'light');
		const canvas = new Canvas(page, demo.n8n.url);
		await step(
			title,
			async () => await run({ demo, browser, page, canvas, checks, nodes }),
		).catch(async (error: unknown) => {
			const picture = path.join(CACHE, `editor-${name}.png`);
			await mkdir(CACHE, { recursive: true });
			await page.screenshot({ path: picture });
			const { message } = error as Error;
			checks.add(`'${title}' gets to its end`, false, `${message} (see ${picture})`);
		});
		await page.context().close();
	}
	return checks;
}
