/**
 * Takes the pictures of docs/images: every example workflow on the canvas, the panel of each node
 * type and operation, and every credential's dialog, in the light and the dark theme, from a real n8n.
 */
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';

import type { Browser, Page } from 'playwright-core';
import { chromium } from 'playwright-core';

import { Checks } from './lib/checks';
import type { StoredWorkflow } from './lib/demo';
import type { N8n } from './lib/n8n';
import type { WorkflowNode } from './lib/n8n-api';
import { ROOT } from './lib/paths';
import { say, step } from './lib/progress';
import { ingest } from './lib/scenarios';
import { Stack } from './lib/stack';

const IMAGES = path.join(ROOT, 'docs', 'images');

/** Debian's package `chromium`. */
const BROWSER = process.env.CHROMIUM ?? '/usr/bin/chromium';

const BROWSER_ARGS = [
	'--headless',
	'--no-sandbox',
	'--disable-gpu',
	'--disable-quic',
	'--no-first-run',
	'--disable-background-networking',
	'--disable-component-update',
	'--disable-sync',
];

const THEMES = ['light', 'dark'] as const;
const SIZE = { width: 1440, height: 900 };

/** A dialog takes only part of the window's height, so the window grows by more than is hidden. */
const GROWTH = 1.4;

const MAX_HEIGHT = 3000;
const MAX_ROUNDS = 4;

/** What a picture must show whole. */
const PANELS = '[data-test-id="node-parameters"]';

const DIALOG_HEIGHT = 1400;
const DIALOG = '[data-test-id="editCredential-modal"]';
const UNROLLED = `${DIALOG}, ${DIALOG} * { max-height: none !important; overflow: visible !important; }`;

const RUN_WITHIN_MS = 30_000;
const SETTLE_MS = 800;
const SHOWN_TYPES = /^n8n-nodes-search-ingest\.|\.httpRequest$/;

type Theme = (typeof THEMES)[number];

/** A file name from words. */
function slug(words: string): string {
	return words
		.toLowerCase()
		.replace(/[^a-z0-9]+/g, '-')
		.replace(/^-|-$/g, '');
}

/** True for our nodes, and the one that uses our credential. */
function isShown({ type }: WorkflowNode): boolean {
	return SHOWN_TYPES.test(type);
}

/** What a panel shows; others of the same kind would look the same. */
function kindOf({ type, parameters }: WorkflowNode): string {
	return [type, parameters.operation ?? ''].join();
}

/** One browser window, signed in. */
class Photographer {
	/** Panels taken so far. */
	private readonly kinds = new Set<string>();

	private constructor(
		private readonly page: Page,
		private readonly n8n: N8n,
		private readonly theme: Theme,
	) {}

	static async open(browser: Browser, n8n: N8n, theme: Theme): Promise<Photographer> {
		const context = await browser.newContext({ viewport: SIZE, colorScheme: theme });
		await context.addInitScript((name) => localStorage.setItem('N8N_THEME', name), theme);
		const page = await context.newPage();
		await page.goto(`${n8n.url}/signin`);
		await page.locator('input[name="emailOrLdapLoginId"]').fill(n8n.signIn.email);
		await page.locator('input[name="password"]').fill(n8n.signIn.password);
		await page.locator('[data-test-id="form-submit-button"]').click();
		await page.waitForURL((url) => !url.pathname.startsWith('/signin'));
		return new Photographer(page, n8n, theme);
	}

	/** The canvas after a run, then the panels of our nodes that no workflow has shown before. */
	async workflow(name: string, workflow: StoredWorkflow): Promise<void> {
		const { page } = this;
		await page.goto(`${this.n8n.url}/workflow/${workflow.id}`);
		await page.locator('[data-test-id="canvas-node"]').first().waitFor();
		await this.settle();
		await this.closeChecklist();
		await page.locator('[data-test-id="execute-workflow-button"]').click();
		await page.locator('.el-notification').first().waitFor({ timeout: RUN_WITHIN_MS });
		for (const close of await page.locator('.el-notification__closeBtn').all())
			await close.click();
		await page.locator('[data-test-id="zoom-to-fit"]').click();
		await this.settle();
		await this.shoot(`workflow-${name}`);
		for (const node of workflow.nodes.filter(isShown)) {
			if (this.kinds.has(kindOf(node))) continue;
			this.kinds.add(kindOf(node));
			await this.node(name, node.name);
		}
	}

	/** A credential's dialog. */
	async credential(name: string, id: string): Promise<void> {
		await this.page.goto(`${this.n8n.url}/home/credentials/${id}`);
		const dialog = this.page.locator(DIALOG);
		await dialog.waitFor();
		// The dialog scrolls within itself, however high the window is.
		await this.page.addStyleTag({ content: UNROLLED });
		await this.page.setViewportSize({ ...SIZE, height: DIALOG_HEIGHT });
		await this.settle();
		await dialog.screenshot({ path: this.file(`credential-${slug(name)}`) });
		await this.page.setViewportSize(SIZE);
	}

	/** n8n's hints for published workflows would cover ours. */
	private async closeChecklist(): Promise<void> {
		const close = this.page.locator('[data-test-id="suggested-actions-close"]');
		if (await close.isVisible()) await close.click();
	}

	private async node(workflow: string, name: string): Promise<void> {
		await this.page
			.locator(`[data-test-id="canvas-node"][data-node-name="${name}"]`)
			.dblclick();
		const panel = this.page.locator('[data-test-id="node-parameters"]').first();
		await panel.waitFor();
		await this.settle();
		await this.shootAll(`node-${workflow}-${slug(name)}`);
		await this.page.keyboard.press('Escape');
		await panel.waitFor({ state: 'hidden' });
	}

	/** Gives animations and late requests their time. */
	private async settle(): Promise<void> {
		await this.page.waitForTimeout(SETTLE_MS);
	}

	/** A picture as high as the panel or dialog needs it, whatever its neighbours hold. */
	private async shootAll(name: string): Promise<void> {
		let { height } = SIZE;
		for (let round = 0; round < MAX_ROUNDS; round++) {
			const hidden = await this.page.evaluate((selector) => {
				const panel = document.querySelector(selector);
				const boxes = Array.from(document.querySelectorAll('*')).filter(
					(box) => panel !== null && (box.contains(panel) || panel.contains(box)),
				);
				const beyond = boxes
					.filter((box) => /auto|scroll/.test(getComputedStyle(box).overflowY))
					.map((box) => box.scrollHeight - box.clientHeight);
				return Math.max(0, ...beyond);
			}, PANELS);
			if (hidden === 0 || height >= MAX_HEIGHT) break;
			height = Math.min(height + Math.ceil(hidden * GROWTH), MAX_HEIGHT);
			await this.page.setViewportSize({ ...SIZE, height });
			await this.settle();
		}
		await this.shoot(name);
		await this.page.setViewportSize(SIZE);
	}

	private async shoot(name: string): Promise<void> {
		await this.page.screenshot({ path: this.file(name) });
	}

	private file(name: string): string {
		const file = `${name}.${this.theme}.png`;
		say(`    ${file}`);
		return path.join(IMAGES, file);
	}
}

async function main(stack: Stack): Promise<void> {
	if (!existsSync(BROWSER)) {
		throw new Error(`${BROWSER} is missing. On Debian: apt-get install chromium`);
	}
	const { sandbox, n8n, demo } = await stack.start();
	await step('Ingesting the Markdown files', async () => {
		await ingest({ api: n8n.api, sandbox, demo, checks: new Checks() });
	});
	await mkdir(IMAGES, { recursive: true });
	const browser = await chromium.launch({ executablePath: BROWSER, args: BROWSER_ARGS });
	try {
		for (const theme of THEMES) {
			const photographer = await Photographer.open(browser, n8n, theme);
			for (const [name, workflow] of Object.entries(demo.workflows)) {
				await photographer.workflow(name, workflow);
			}
			for (const { name, id } of Object.values(demo.credentials)) {
				await photographer.credential(name, id);
			}
		}
	} finally {
		await browser.close();
	}
}

const stack = new Stack(false);

/** Ends the process once everything is stopped. */
async function end(code: number): Promise<void> {
	await stack.stop();
	process.exit(code);
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
	process.on(signal, () => void end(1));
}

main(stack).then(
	async () => await end(0),
	async (error: unknown) => {
		say(error instanceof Error ? error.message : String(error));
		await end(1);
	},
);
