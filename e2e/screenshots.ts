/**
 * Takes the screenshots for docs/images in a real n8n instance, in both the light theme and the dark theme. The
 * screenshots show every example workflow on the canvas, with its groups closed, the panel of each node type and
 * operation, a run that has failed, the dialog of the AI credential, the page of Sync Status, and a search of the index.
 * To take only some of the screenshots, add one or more of these arguments after `--`: the name of an example,
 * `failed-run`, `credential`, `status`, or `search`. Of the panels of a named example, only those that have a screenshot
 * are taken again. The command fails if a window does not show what the alt text of its screenshot describes.
 */
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';

import type { Browser, Page, PageScreenshotOptions } from 'playwright-core';

import { Canvas } from './browser/canvas';
import { openEditor, startBrowser, WINDOW_SIZE } from './browser/editor';
import type { Demo } from './demo/demo';
import { startDemo } from './demo/demo';
import { madeUpRuns } from './demo/made-up-runs';
import { runScenario } from './demo/scenarios';
import { Stage } from './demo/stage';
import type { StoredWorkflow, WorkflowNode } from './n8n/workflow';
import { STATUS_LOGIN } from './service/credentials';
import { runCommand } from './shared/command';
import { IMAGES } from './shared/paths';
import { say } from './shared/progress';
import { pause } from './shared/wait';

/** Examples that are not run because they need a source, a message, a confirmation, or a call from another execution. */
const NOT_RUN = new Set([
	'agent-with-search-ingest-tools',
	'fan-out-one-range',
	'fan-out-over-workers',
	'migrate-blobs',
	'sync-chunks-of-a-database',
	'sync-from-google-drive',
	'sync-status',
	'sync-of-a-database',
	'sync-of-a-folder',
	'sync-of-a-website',
]);

/** This size is large enough for every workflow, so n8n does not shrink the labels of the workflow. */
const CANVAS_SIZE = { width: 2600, height: 2400 };

/** The text below a node can be wider than the node, and is not part of it. */
const ON_CANVAS =
	'.vue-flow__node, .vue-flow__node [class*="_subtitle_"], .vue-flow__node [class*="_label_"]';

const MARGIN = 24;

/** Tall enough to show every panel and dialog without scrolling. */
const HEIGHT = 1400;

/**
 * Words to search for. They occur in the Getting Started example, which runs before the screenshot of the search is
 * taken.
 */
const SEARCHED = 'warehouse noon';
const FOUND = [
	'Found 1 document, 1 chunk',
	'Shipping',
	'before noon leave the warehouse',
	'vector',
];

/** Height of the search window, chosen so that the results fill it. */
const SEARCH_HEIGHT = 400;

/** Time for animations and late requests to finish. */
const SETTLE_MS = 1500;

/** A sync that has no source in the demo, so its run fails in this node. */
const FAILING = 'sync-of-a-website';
const FAILED = 'Get Sitemaps';

/** The table of the runs of all syncs. */
const RUNS = 'Sync Runs';

const STATUS_SIZE = { width: 1060, height: 800 };

/** Words of the page about the three made-up syncs. */
const STATES = ['2 of 3 syncs need a look.', 'Late: ', 'Deletes are withheld.', 'Complete.'];

const THEMES = ['light', 'dark'] as const;

const CREDENTIAL = 'Demo AI Service';
const DIALOG = '[data-test-id="editCredential-modal"]';
const UNROLLED = `${DIALOG}, ${DIALOG} * { max-height: none !important; overflow: visible !important; }`;

type Clip = NonNullable<PageScreenshotOptions['clip']>;

const names = process.argv.slice(2).filter((argument) => !argument.startsWith('-'));

const isWanted = (name: string): boolean => names.length === 0 || names.includes(name);

const slug = (words: string): string => words.toLowerCase().replace(/[^a-z0-9]+/g, '-');

/** Returns a key for a node's panel. Panels with the same key look the same. */
function kindOf({ type, parameters }: WorkflowNode): string {
	const isFile = [parameters.documentSource, parameters.textSource].includes('file');
	return [type, parameters.operation ?? '', isFile].join();
}

/** Returns the name of each node's group. A node without a group is missing. */
const groupsOf = ({ nodes, nodeGroups = [] }: StoredWorkflow): Map<string, string> =>
	new Map(
		nodes.flatMap((node) =>
			nodeGroups
				.filter(({ nodeIds }) => nodeIds.includes(node.id))
				.map((group) => [node.name, group.name] as const),
		),
	);

async function workflowArea(page: Page): Promise<Clip> {
	const all = await page
		.locator(ON_CANVAS)
		.evaluateAll((each) => each.map((one) => one.getBoundingClientRect().toJSON() as DOMRect));
	const boxes = all.filter(({ width }) => width > 0);
	const x = Math.min(...boxes.map(({ left }) => left)) - MARGIN;
	const y = Math.min(...boxes.map(({ top }) => top)) - MARGIN;
	const right = Math.max(...boxes.map((box) => box.right)) + MARGIN;
	const bottom = Math.max(...boxes.map((box) => box.bottom)) + MARGIN;
	return { x, y, width: right - x, height: bottom - y };
}

/** Shows the output as a schema if possible, because a table has too little space for the chunk texts. */
async function showSchema(page: Page): Promise<void> {
	const output = page.locator('[data-test-id="output-panel"]');
	const choice = output.getByText('Schema', { exact: true });
	if (await choice.isVisible()) await choice.click();
}

/**
 * Takes a screenshot of a window, or of an area or element in the window.
 * @param expected strings that the window must show
 */
async function shoot(
	page: Page,
	name: string,
	expected: readonly string[],
	part?: Clip | string,
): Promise<void> {
	await pause(SETTLE_MS);
	await expectShown(page, name, expected);
	const file = path.join(IMAGES, `${name}.png`);
	say(`    ${path.basename(file)}`);
	if (typeof part === 'string') await page.locator(part).screenshot({ path: file });
	else await page.screenshot({ path: file, clip: part });
}

/** Takes the pictures of the page of Sync Status with made-up runs, which are deleted afterwards. */
async function shootStatus(browser: Browser, { n8n, workflows }: Demo): Promise<void> {
	const address = `${n8n.url}/webhook/sync-status`;
	const httpCredentials = { username: STATUS_LOGIN.user, password: STATUS_LOGIN.password };
	for (const theme of THEMES) {
		const options = { viewport: STATUS_SIZE, colorScheme: theme, httpCredentials };
		const context = await browser.newContext(options);
		const page = await context.newPage();
		// The first call creates the table.
		await page.goto(address);
		await n8n.api.dataTables.insert(RUNS, madeUpRuns(new Date(), workflows));
		await page.reload();
		await shoot(page, `sync-status.${theme}`, STATES, 'html');
		await n8n.api.dataTables.deleteWith(RUNS, 'workflow');
		await context.close();
	}
}

runCommand(async (command) => {
	const browser = await startBrowser(command);
	const demo = await startDemo(command, { keepData: false });
	const stage = new Stage(demo);
	await runScenario('updates-by-webhook', stage);
	await mkdir(IMAGES, { recursive: true });
	if (isWanted('status')) await shootStatus(browser, demo);
	for (const theme of THEMES) {
		const page = await openEditor(browser, demo.n8n, theme);
		const canvas = new Canvas(page, demo.n8n.url);
		const kinds = new Set<string>();
		for (const [name, workflow] of Object.entries(demo.workflows)) {
			if (!isWanted(name)) continue;
			const { id, name: title, nodes } = workflow;
			const groups = groupsOf(workflow);
			const shownNodes = nodes.filter(({ type }) => !type.endsWith('.stickyNote'));
			await canvas.open(id);
			if (!NOT_RUN.has(name)) await canvas.run();
			await page.setViewportSize(CANVAS_SIZE);
			await page.locator('[data-test-id="zoom-to-fit"]').click();
			const boxes = new Set(shownNodes.map((node) => groups.get(node.name) ?? node.name));
			await pause(SETTLE_MS);
			const area = await workflowArea(page);
			await shoot(page, `workflow-${name}.${theme}`, [title, ...boxes], area);
			await page.setViewportSize({ ...WINDOW_SIZE, height: HEIGHT });
			for (const node of nodes) {
				const isOwn = node.type.startsWith('n8n-nodes-search-ingest.');
				if (!isOwn || kinds.has(kindOf(node))) continue;
				kinds.add(kindOf(node));
				const picture = `node-${name}-${slug(node.name)}.${theme}`;
				const isKept = existsSync(path.join(IMAGES, `${picture}.png`));
				if (names.length > 0 && !isKept) continue;
				await canvas.openNode(node.name, groups.get(node.name));
				await showSchema(page);
				await shoot(page, picture, [node.name]);
				await canvas.closeNode();
			}
			await page.setViewportSize(WINDOW_SIZE);
		}
		if (isWanted('failed-run')) {
			const { id } = demo.workflows[FAILING];
			await canvas.open(id);
			await canvas.run();
			// Here, n8n opens the group of the failed node.
			await page.goto(`${demo.n8n.url}/workflow/${id}/executions`);
			const problem = page.getByText(FAILED, { exact: true });
			await problem.first().waitFor();
			await shoot(page, `failed-run.${theme}`, [FAILED]);
		}
		if (isWanted('credential')) {
			await page.goto(`${demo.n8n.url}/home/credentials/${demo.credentials[CREDENTIAL].id}`);
			await page.locator(DIALOG).waitFor();
			// The dialog has its own scroll bar, so a taller window does not show more of it.
			await page.addStyleTag({ content: UNROLLED });
			await page.setViewportSize({ ...WINDOW_SIZE, height: HEIGHT });
			const picture = `credential-${slug(CREDENTIAL)}.${theme}`;
			await shoot(page, picture, [CREDENTIAL, 'Client ID'], DIALOG);
		}
		if (isWanted('search')) {
			// Documents were deleted by some of the examples above, so Getting Started is run again.
			await stage.runByHand('getting-started');
			const query = new URLSearchParams({ q: SEARCHED });
			await page.goto(`${demo.sandbox.url}/?${query}`);
			await page.setViewportSize({ ...WINDOW_SIZE, height: SEARCH_HEIGHT });
			await shoot(page, `search-result.${theme}`, FOUND);
		}
	}
	return true;
});

/** Reads all the text in a window as one line. The text includes the contents of the window's fields. */
async function shownBy(page: Page): Promise<string> {
	const fields = await page
		.locator('input, textarea')
		.evaluateAll((all) => all.map((each) => (each as HTMLInputElement).value));
	const text = await page.locator('body').innerText();
	return [text, ...fields].join(' ').replace(/\s+/g, ' ');
}

/**
 * Checks that a window shows what the alt text of its screenshot describes.
 * @param expected strings that a person would see in the picture
 * @throws Error that names the picture and the missing strings
 */
async function expectShown(
	page: Page,
	picture: string,
	expected: readonly string[],
): Promise<void> {
	const shown = await shownBy(page);
	const missing = expected.filter((text) => !shown.includes(text));
	if (missing.length === 0) return;
	const seen = `${shown.slice(0, 300)}…`;
	throw new Error(
		`The picture ${picture} does not show: ${missing.join(', ')}. It shows: ${seen}`,
	);
}
