/**
 * Takes the pictures of docs/images: every example workflow on the canvas, the panel of each node
 * type and operation, and every credential's dialog, in the light and the dark theme, from a real n8n.
 * Names of examples after `--` take only theirs.
 */
import { mkdir } from 'node:fs/promises';

import { credentialClasses } from '../support/manifest';
import { openEditor, startBrowser, THEMES } from './browser/editor';
import { Photographer } from './browser/photographer';
import { startDemo } from './demo/demo';
import { runScenario } from './demo/scenarios';
import { Stage } from './demo/stage';
import { runCommand } from './shared/command';
import { IMAGES } from './shared/paths';

const names = process.argv.slice(2).filter((argument) => !argument.startsWith('-'));

runCommand(async (command) => {
	const browser = await startBrowser(command);
	const demo = await startDemo(command, { keepData: false });
	await runScenario('ingest-documents', new Stage(demo));
	await mkdir(IMAGES, { recursive: true });
	for (const theme of THEMES) {
		const page = await openEditor(browser, demo.n8n, theme);
		const photographer = new Photographer(page, demo.n8n, theme);
		for (const [name, workflow] of Object.entries(demo.workflows)) {
			if (names.length === 0 || names.includes(name))
				await photographer.workflow(name, workflow);
		}
		if (names.length > 0) continue;
		for (const { name, id, type } of Object.values(demo.credentials)) {
			if (credentialClasses.has(type)) await photographer.credential(name, id);
		}
	}
	return true;
});
