import path from 'node:path';

import type { Page } from 'playwright-core';

import { credentialClasses } from '../../support/manifest';
import type { N8n } from '../n8n/process';
import type { StoredWorkflow, WorkflowNode } from '../n8n/workflow';
import { say } from '../shared/progress';
import type { Theme } from './editor';
import { WINDOW_SIZE } from './editor';
import { IMAGES } from '../shared/paths';

/** A dialog takes only part of the window's height, so the window grows by more than is hidden. */
const GROWTH = 1.4;

const MAX_HEIGHT = 3000;
const MAX_ROUNDS = 4;

/** What a picture must show completely. */
const PANELS = '[data-test-id="node-parameters"]';

const DIALOG_HEIGHT = 1400;
const DIALOG = '[data-test-id="editCredential-modal"]';
const UNROLLED = `${DIALOG}, ${DIALOG} * { max-height: none !important; overflow: visible !important; }`;

const RUN_WITHIN_MS = 120_000;
const SETTLE_MS = 800;
/** Examples that are not run: they need a message, other executions that call them, or a confirmation. */
const NOT_RUN = new Set([
	'agent-with-search-ingest-tools',
	'fan-out-one-range',
	'fan-out-over-workers',
	'migrate-blobs',
]);
const OWN_TYPE = /^n8n-nodes-search-ingest\./;

/** A file name from words. */
function slug(words: string): string {
	return words
		.toLowerCase()
		.replace(/[^a-z0-9]+/g, '-')
		.replace(/^-|-$/g, '');
}

/** True for our nodes, and for the one that uses our credential. */
function isShown({ type, credentials }: WorkflowNode): boolean {
	const names = Object.keys(credentials ?? {});
	return OWN_TYPE.test(type) || names.some((name) => credentialClasses.has(name));
}

/** What a panel shows; others of the same kind would look the same. */
function kindOf({ type, parameters }: WorkflowNode): string {
	if (type.endsWith('Tool')) return 'tool';
	const isFile = [parameters.documentSource, parameters.textSource].includes('file');
	return [type, parameters.operation ?? '', isFile].join();
}

/** Takes pictures in one editor window. */
export class Photographer {
	/** Kinds of panels taken so far. */
	private readonly kinds = new Set<string>();

	constructor(
		private readonly page: Page,
		private readonly n8n: N8n,
		private readonly theme: Theme,
	) {}

	/** The canvas, after a run if it can be run by hand, then the panels of our nodes that no workflow has shown before. */
	async workflow(name: string, workflow: StoredWorkflow): Promise<void> {
		const { page } = this;
		await page.goto(`${this.n8n.url}/workflow/${workflow.id}`);
		await page.locator('[data-test-id="canvas-node"]').first().waitFor();
		await this.settle();
		await this.closeChecklist();
		if (!NOT_RUN.has(name)) await this.run();
		await page.locator('[data-test-id="zoom-to-fit"]').click();
		await this.settle();
		await this.shoot(`workflow-${name}`);
		for (const node of workflow.nodes.filter(isShown)) {
			if (this.kinds.has(kindOf(node))) continue;
			this.kinds.add(kindOf(node));
			await this.node(name, node.name);
		}
	}

	private async run(): Promise<void> {
		const { page } = this;
		await page.locator('[data-test-id="execute-workflow-button"]').click();
		await page.locator('.el-notification').first().waitFor({ timeout: RUN_WITHIN_MS });
		for (const close of await page.locator('.el-notification__closeBtn').all())
			await close.click();
	}

	/** A credential's dialog. */
	async credential(name: string, id: string): Promise<void> {
		await this.page.goto(`${this.n8n.url}/home/credentials/${id}`);
		const dialog = this.page.locator(DIALOG);
		await dialog.waitFor();
		// The dialog scrolls within itself, however high the window is.
		await this.page.addStyleTag({ content: UNROLLED });
		await this.page.setViewportSize({ ...WINDOW_SIZE, height: DIALOG_HEIGHT });
		await this.settle();
		await dialog.screenshot({ path: this.file(`credential-${slug(name)}`) });
		await this.page.setViewportSize(WINDOW_SIZE);
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

	/** Waits for animations and late requests. */
	private async settle(): Promise<void> {
		await this.page.waitForTimeout(SETTLE_MS);
	}

	/** Takes a picture as high as the panel or dialog needs it, whatever is beside it. */
	private async shootAll(name: string): Promise<void> {
		let { height } = WINDOW_SIZE;
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
			await this.page.setViewportSize({ ...WINDOW_SIZE, height });
			await this.settle();
		}
		await this.shoot(name);
		await this.page.setViewportSize(WINDOW_SIZE);
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
