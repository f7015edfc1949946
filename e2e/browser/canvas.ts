import type { Page } from 'playwright-core';

import { until } from '../shared/wait';

const PLACED_WITHIN_MS = 60_000;

const KEY_MS = 1000;

const NODE = '[data-test-id="canvas-node"]';
const GROUP = '[data-test-id="canvas-node-group"]';
const SEARCH = '[data-test-id="node-creator-search-bar"]';
const FOUND = '[data-test-id="item-iterator-item"] [data-test-id="node-creator-item-name"]';
const NOTIFICATION = '.el-notification';
const PARAMETERS = '[data-test-id="node-parameters"]';
const CHOICE = '.el-select-dropdown__item:visible';
const OPTION = '[data-test-id="collection-parameter-option"]';
const LABEL = '[data-test-id="input-label"]';
const OUTPUT = '[data-test-id="output-panel"]';

/** Controls the editor's canvas and the panel of the open node. */
export class Canvas {
	constructor(
		readonly page: Page,
		private readonly url: string,
	) {}

	async open(workflowId: string): Promise<void> {
		await this.page.goto(`${this.url}/workflow/${workflowId}`);
		await this.page.locator(NODE).first().waitFor();
		// n8n's checklist for published workflows covers the canvas, so the checklist must be closed.
		const close = this.page.locator('[data-test-id="suggested-actions-close"]');
		if (await close.isVisible()) await close.click();
	}

	async run(): Promise<void> {
		await this.page.locator('[data-test-id="execute-workflow-button"]').click();
		await this.page.locator(NOTIFICATION).first().waitFor();
		// Notifications cover buttons, so the notifications must be closed. A notification can close by itself before
		// the click.
		for (const close of await this.page.locator('.el-notification__closeBtn').all())
			await close.click({ timeout: KEY_MS }).catch(() => undefined);
		await this.page.locator(NOTIFICATION).first().waitFor({ state: 'hidden' });
	}

	/**
	 * Opens the panel of a node.
	 * @param group the group that contains the node. It is opened if it is closed
	 */
	async openNode(name: string, group?: string): Promise<void> {
		const node = this.page.locator(`${NODE}[data-node-name="${name}"]`);
		if (group !== undefined && !(await node.isVisible())) {
			const title = this.page.getByText(group, { exact: true });
			await this.page.locator(GROUP).filter({ has: title }).dblclick();
			await node.waitFor();
			await this.page.locator('[data-test-id="zoom-to-fit"]').click();
		}
		await node.dblclick();
		await this.page.locator(PARAMETERS).first().waitFor();
	}

	async closeNode(): Promise<void> {
		await this.page.keyboard.press('Escape');
		await this.page.locator(PARAMETERS).first().waitFor({ state: 'hidden' });
	}

	/** Attaches a node to an agent as a tool, then waits until the new node's panel is open. */
	async addTool(agent: string, displayName: string): Promise<void> {
		await this.openNode(agent);
		await this.page.locator('[data-test-id="add-subnode-ai_tool-0"]').click();
		const search = this.page.locator(SEARCH);
		await search.waitFor();
		await search.fill(displayName);
		const first = this.page.locator(FOUND).first();
		await until(
			async () => (await first.innerText()).startsWith(displayName),
			PLACED_WITHIN_MS,
		);
		// If a node has several operations, n8n asks which operation to add.
		await until(
			async () => {
				if (!(await search.isVisible())) return true;
				await this.page.keyboard.press('Enter');
				return false;
			},
			PLACED_WITHIN_MS,
			KEY_MS,
		);
		await this.page.locator(PARAMETERS).first().waitFor();
	}

	/** Selects a choice of a dropdown in the open node's panel. */
	async choose(parameter: string, choice: string): Promise<void> {
		await this.page.locator(`[data-test-id="parameter-input-${parameter}"] input`).click();
		await this.page
			.locator(CHOICE)
			.filter({ has: this.page.getByText(choice, { exact: true }) })
			.click();
	}

	/** Reads the labels of the options that can be added to the open node's collection. */
	async options(): Promise<string> {
		return (await this.page.locator(OPTION).allTextContents())
			.map((label) => label.trim())
			.join(', ');
	}

	/**
	 * Reads the labels of the visible parameters, from top to bottom.
	 * @param part a CSS selector. A label is read only if its parameter's control contains a matching element
	 */
	async labels(part = '*'): Promise<string> {
		const labels = await this.page.locator(`${PARAMETERS} ${LABEL}`).evaluateAll(
			(all, [label, wanted]) =>
				all
					.filter((each) => (each as HTMLElement).offsetParent !== null)
					.filter((each) => !each.parentElement?.closest(label))
					.filter((each) => each.querySelector(wanted) !== null)
					.map((each) => each.querySelector('.n8n-text')?.textContent?.trim() ?? ''),
			[LABEL, part] as const,
		);
		return labels.join(', ');
	}

	async output(): Promise<string> {
		return (await this.page.locator(OUTPUT).innerText()).replace(/\s+/g, ' ');
	}

	async showBranch(title: string): Promise<void> {
		await this.page
			.locator(`${OUTPUT} [data-test-id="branches"]`)
			.getByText(title, { exact: false })
			.click();
	}
}
