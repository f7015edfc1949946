/**
 * Checks the package in n8n's editor in Chromium. The command is `npm run test:editor`. To check only some subjects,
 * add their names after `--`. If a subject's code throws an error, its check fails, and a screenshot of its window is
 * saved in .cache/e2e.
 */
import { mkdir } from 'node:fs/promises';
import path from 'node:path';

import { Canvas } from './browser/canvas';
import { openEditor, startBrowser } from './browser/editor';
import { startDemo } from './demo/demo';
import { credentials } from './editor/credentials';
import { output } from './editor/output';
import { panels, tools } from './editor/panels';
import type { Suite } from './editor/suite';
import { Checks, printChecks } from './shared/checks';
import { runCommand } from './shared/command';
import { CACHE } from './shared/paths';
import { step } from './shared/progress';

const SUBJECTS: Readonly<Record<string, (suite: Suite) => Promise<void>>> = {
	panels,
	tools,
	credentials,
	output,
};

const NODE_PREFIX = 'n8n-nodes-search-ingest.';

const names = process.argv.slice(2).filter((argument) => !argument.startsWith('-'));

runCommand(async (command) => {
	const browser = await startBrowser(command);
	const demo = await startDemo(command, { keepData: false });
	const types = await demo.n8n.api.nodeDescriptions();
	const nodes = new Map(
		types
			.filter(({ name }) => name.startsWith(NODE_PREFIX) && !name.endsWith('Tool'))
			.map((description) => [description.name.replace(NODE_PREFIX, ''), description]),
	);
	const checks = new Checks();
	for (const [name, check] of Object.entries(SUBJECTS)) {
		if (names.length > 0 && !names.includes(name)) continue;
		const page = await openEditor(browser, demo.n8n);
		const suite = { demo, page, checks, nodes, canvas: new Canvas(page, demo.n8n.url) };
		await step(name, async () => await check(suite)).catch(async (error: Error) => {
			const picture = path.join(CACHE, `editor-${name}.png`);
			await mkdir(CACHE, { recursive: true });
			await page.screenshot({ path: picture });
			checks.add(`'${name}' gets to its end`, false, `${error.message} (see ${picture})`);
		});
		await page.context().close();
	}
	return printChecks(checks);
});
