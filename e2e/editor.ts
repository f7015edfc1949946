/**
 * Checks the package in n8n's editor, in Chromium: `npm run test:editor`. Names of subjects
 * (e2e/editor/subjects.ts) after `--` run only these.
 */
import { startBrowser } from './browser/editor';
import { startDemo } from './demo/demo';
import { checkEditor } from './editor/run';
import { runCommand } from './shared/command';
import { printChecks } from './shared/report';

const names = process.argv.slice(2).filter((argument) => !argument.startsWith('-'));

runCommand(async (command) => {
	const browser = await startBrowser(command);
	const demo = await startDemo(command, { keepData: false });
	return printChecks(await checkEditor(browser, demo, names));
});
