import type { Locator, Page } from 'playwright-core';

import { choose } from './select';

const PARAMETERS = '[data-test-id="node-parameters"]';
const LABEL = '[data-test-id="input-label"]';
const INPUT = '[data-test-id="ndv-input-panel"]';
const OUTPUT = '[data-test-id="output-panel"]';

/** How the panes show data. */
export type View = 'schema' | 'table' | 'json';

const CONTENT: Record<View, string> = {
	schema: '[data-test-id="run-data-schema-item"]',
	table: 'table tbody tr',
	json: '.json-data',
};

const RUN_WITHIN_MS = 60_000;

/** The editor renders a panel after a moment. */
const SETTLES_MS = 500;

/** The open panel of a node: input, parameters, output. */
export class NodePanel {
	constructor(private readonly page: Page) {}

	/** Waits until the parameters are shown. */
	async waitFor(): Promise<void> {
		await this.page.locator(PARAMETERS).first().waitFor();
		await this.page.waitForTimeout(SETTLES_MS);
	}

	/** Closes the panel. */
	async close(): Promise<void> {
		await this.page.keyboard.press('Escape');
		await this.page.locator(PARAMETERS).first().waitFor({ state: 'hidden' });
	}

	/** The labels of all visible parameters, from top to bottom. */
	async labels(): Promise<string[]> {
		return await this.labelsWith('*');
	}

	/** The labels of the parameters that the model of an agent fills in, by n8n's marker. */
	async labelsFilledByModel(): Promise<string[]> {
		return await this.labelsWith('[data-test-id="fromAI-override-field"]');
	}

	/** The labels of parameters whose control has this; not those that n8n shows within a control. */
	private async labelsWith(part: string): Promise<string[]> {
		return await this.page.locator(`${PARAMETERS} ${LABEL}`).evaluateAll(
			(labels, [label, wanted]) =>
				labels
					.filter((each) => (each as HTMLElement).offsetParent !== null)
					.filter((each) => !each.parentElement?.closest(label))
					.filter((each) => each.querySelector(wanted) !== null)
					.map((each) => each.querySelector('.n8n-text')?.textContent?.trim() ?? ''),
			[LABEL, part] as const,
		);
	}

	/** The mode in which a resource is chosen, such as By ID. */
	async mode(name: string): Promise<string> {
		return await this.modeSelector(name).locator('input').inputValue();
	}

	/** All modes of a resource. */
	async modes(name: string): Promise<string[]> {
		return await this.listed(this.modeSelector(name), '');
	}

	async chooseMode(name: string, mode: string): Promise<void> {
		await choose(this.modeSelector(name), mode);
	}

	/** Opens the list of a resource. */
	async openList(
		name: string,
	): Promise<{ placeholder: string; entries: string[]; hasSearch: boolean }> {
		const input = this.parameter(name).locator('[data-test-id="rlc-input"]');
		const placeholder = await input.evaluate(
			(box) =>
				(box instanceof HTMLInputElement ? box : box.querySelector('input'))?.placeholder ??
				'',
		);
		await input.click();
		const entries = this.page.locator('[data-test-id="rlc-item"]:visible');
		await entries.first().waitFor();
		const hasSearch = await this.page.locator('[data-test-id="rlc-search"]').isVisible();
		return { placeholder, entries: await entries.allInnerTexts(), hasSearch };
	}

	private modeSelector(name: string): Locator {
		return this.parameter(name).locator('[data-test-id="rlc-mode-selector"]');
	}

	/** The control of a parameter. */
	parameter(name: string): Locator {
		return this.page.locator(`${PARAMETERS} [data-test-id="parameter-input-${name}"]`).first();
	}

	/** The value of a drop-down list, as it is shown. */
	async selected(name: string): Promise<string> {
		return await this.parameter(name).locator('input').first().inputValue();
	}

	/** The options of a drop-down list, as they are shown. */
	async options(name: string): Promise<string[]> {
		return await this.listed(this.parameter(name), ' .option-headline');
	}

	/** What a drop-down list shows when it is open; `part` selects a part of each entry. */
	private async listed(control: Locator, part: string): Promise<string[]> {
		await control.click();
		const entries = this.page.locator(`.el-select-dropdown__item:visible${part}`);
		await entries.first().waitFor();
		const names = await entries.allInnerTexts();
		await this.page.keyboard.press('Escape');
		return names.map((name) => name.trim());
	}

	/** Chooses an option of a drop-down list. */
	async choose(name: string, option: string): Promise<void> {
		await choose(this.parameter(name), option);
	}

	/** The text of an expression or text field. */
	async text(name: string): Promise<string> {
		return (await this.parameter(name).innerText()).trim();
	}

	/** Runs this node, and those before it that have no data. */
	async execute(): Promise<void> {
		await this.page.locator('[data-test-id="node-execute-button"]').click();
		await this.page
			.locator(`${OUTPUT} [data-test-id="ndv-items-count"], ${OUTPUT} .node-error-view`)
			.first()
			.waitFor({ timeout: RUN_WITHIN_MS });
		await this.page.waitForTimeout(SETTLES_MS);
	}

	/** Shows the output as a table, a schema or JSON, and waits until it is there. */
	async showOutput(view: View): Promise<void> {
		await this.page.locator(`${OUTPUT} [data-test-id="radio-button-${view}"]`).click();
		await this.page.locator(`${OUTPUT} ${CONTENT[view]}`).first().waitFor();
	}

	/** The columns of the output table. */
	async columns(): Promise<string[]> {
		await this.showOutput('table');
		const heads = await this.page.locator(`${OUTPUT} table thead th`).allInnerTexts();
		return heads.map((head) => head.trim()).filter((head) => head !== '');
	}

	/** The height of the first row of the output table, in pixels. */
	async rowHeight(): Promise<number> {
		await this.showOutput('table');
		const box = await this.page.locator(`${OUTPUT} table tbody tr`).first().boundingBox();
		return box?.height ?? 0;
	}

	/** Everything the output pane says. */
	async outputText(): Promise<string> {
		return await this.page.locator(OUTPUT).innerText();
	}

	/** Shows another output of the node. */
	async showBranch(title: string): Promise<void> {
		await this.page
			.locator(`${OUTPUT} [data-test-id="branches"]`)
			.getByText(title, { exact: false })
			.click();
		await this.page.waitForTimeout(SETTLES_MS);
	}

	/** The fields that the input pane offers, of data or of a preview. */
	async inputFields(): Promise<string[]> {
		const fields = this.page.locator(`${INPUT} [data-test-id="run-data-schema-item"]`);
		await fields.first().waitFor();
		const texts = await fields.allInnerTexts();
		return texts.map((text) => text.trim().split('\n')[0] ?? '');
	}

	/** Everything the input pane says. */
	async inputText(): Promise<string> {
		return await this.page.locator(INPUT).innerText();
	}

	/** Drags a field of the input onto a parameter. */
	async drag(field: string, parameter: string): Promise<void> {
		const pill = this.page.locator(`${INPUT} [data-name="${field}"]`).first();
		const from = await pill.boundingBox();
		const to = await this.parameter(parameter).boundingBox();
		if (!from || !to) throw new Error(`'${field}' or '${parameter}' is not visible`);
		await this.page.mouse.move(from.x + from.width / 2, from.y + from.height / 2);
		await this.page.mouse.down();
		const x = to.x + to.width / 2;
		const y = to.y + to.height / 2;
		await this.page.mouse.move(x, y - 5, { steps: 10 });
		await this.page.mouse.move(x, y, { steps: 5 });
		await this.page.mouse.up();
		await this.page.waitForTimeout(SETTLES_MS);
	}
}
