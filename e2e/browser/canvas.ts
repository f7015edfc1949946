import type { Locator, Page } from 'playwright-core';

import { NodePanel } from './node-panel';

const RUN_WITHIN_MS = 60_000;

/** The node list filters what is typed after a moment. */
const SEARCH_SETTLES_MS = 600;

const PLUS = '[data-test-id="canvas-plus-button"], [data-test-id="node-creator-plus-button"]';
const SEARCH = '[data-test-id="node-creator-search-bar"]';
const FOUND = '[data-test-id="item-iterator-item"] [data-test-id="node-creator-item-name"]';
const NOTIFICATION = '.el-notification';

/** A workflow in the editor. */
export class Canvas {
	constructor(
		readonly page: Page,
		private readonly url: string,
	) {}

	/** Opens a stored workflow, or a new one. */
	async open(workflowId = 'new'): Promise<void> {
		await this.page.goto(`${this.url}/workflow/${workflowId}`);
		const ready = workflowId === 'new' ? PLUS : '[data-test-id="canvas-node"]';
		await this.page.locator(ready).first().waitFor();
		await this.closeChecklist();
	}

	/** A node on the canvas. */
	node(name: string): Locator {
		return this.page.locator(`[data-test-id="canvas-node"][data-node-name="${name}"]`);
	}

	/** Opens the list of nodes and types into its search. */
	async searchNodes(words: string): Promise<string[]> {
		const search = this.page.locator(SEARCH);
		if (!(await search.isVisible())) {
			await this.page.locator(PLUS).first().click();
			await search.waitFor();
		}
		await search.fill(words);
		await this.page.waitForTimeout(SEARCH_SETTLES_MS);
		return await this.page.locator(FOUND).allInnerTexts();
	}

	/** Attaches a node to an agent as its tool, as the agent's panel offers it, and opens its panel. */
	async addTool(agent: string, words: string): Promise<NodePanel> {
		const panel = await this.openNode(agent);
		await this.page.locator('[data-test-id="add-subnode-ai_tool-0"]').click();
		await this.page.locator(SEARCH).waitFor();
		await this.searchNodes(words);
		await this.page.keyboard.press('Enter');
		await this.page.waitForTimeout(SEARCH_SETTLES_MS);
		// A node with several operations asks which one.
		if (await this.page.locator(SEARCH).isVisible()) await this.page.keyboard.press('Enter');
		await this.page.locator(SEARCH).waitFor({ state: 'hidden' });
		await panel.waitFor();
		return panel;
	}

	/** Opens a node's panel. */
	async openNode(name: string): Promise<NodePanel> {
		await this.node(name).dblclick();
		const panel = new NodePanel(this.page);
		await panel.waitFor();
		return panel;
	}

	/** Runs the workflow; returns what the editor says at the end. */
	async run(): Promise<string> {
		await this.page.locator('[data-test-id="execute-workflow-button"]').click();
		const said = await this.notification();
		await this.closeNotifications();
		return said;
	}

	/** The text of the next notification. */
	async notification(): Promise<string> {
		const first = this.page.locator(NOTIFICATION).first();
		await first.waitFor({ timeout: RUN_WITHIN_MS });
		return await first.innerText();
	}

	/** Closes all notifications, which would cover buttons. */
	async closeNotifications(): Promise<void> {
		for (const close of await this.page.locator('.el-notification__closeBtn').all())
			await close.click().catch(() => undefined);
		await this.page.locator(NOTIFICATION).first().waitFor({ state: 'hidden' });
	}

	/** n8n's checklist for published workflows would cover the canvas. */
	private async closeChecklist(): Promise<void> {
		const close = this.page.locator('[data-test-id="suggested-actions-close"]');
		if (await close.isVisible()) await close.click();
	}
}
