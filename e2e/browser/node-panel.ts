import type { Locator, Page } from 'playwright-core';

import { choose } from './select';

const PARAMETERS = '[data-test-id="node-parameters"]';
const LABEL = '[data-test-id="input-label"]';
const OUTPUT = '[data-test-id="output-panel"]';

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

	/** The control of a parameter. */
	parameter(name: string): Locator {
		return this.page.locator(`${PARAMETERS} [data-test-id="parameter-input-${name}"]`).first();
	}

	/** The value of a drop-down list, as it is shown. */
	async selected(name: string): Promise<string> {
		return await this.parameter(name).locator('input').first().inputValue();
	}

	/** Chooses an option of a drop-down list. */
	async choose(name: string, option: string): Promise<void> {
		await choose(this.parameter(name), option);
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
}
