import type { Page } from 'playwright-core';

const DIALOG = '[data-test-id="editCredential-modal"]';
const TYPES = '[data-test-id="new-credential-type-select"]';
const TYPE = '[data-test-id="new-credential-type-select-option"]:visible';

export class CredentialDialog {
	constructor(
		private readonly page: Page,
		private readonly url: string,
	) {}

	async search(words: string): Promise<void> {
		await this.page.goto(`${this.url}/home/credentials/create`);
		await this.page.locator(TYPES).first().waitFor();
		await this.page.locator(`${TYPES} input`).first().fill(words);
	}

	async types(): Promise<string[]> {
		return await this.page.locator(TYPE).allInnerTexts();
	}

	/**
	 * Creates a credential with these texts and the defaults of all other fields. Saving it also tests it.
	 * @returns the message of a failed test, or an empty text if the test passes
	 */
	async create(displayName: string, texts: Record<string, string>): Promise<string> {
		await this.search(displayName);
		await this.page.locator(TYPE).getByText(displayName, { exact: true }).click();
		await this.page.locator('[data-test-id="new-credential-type-button"]').click();
		const dialog = this.page.locator(DIALOG);
		await dialog.waitFor();
		for (const [name, text] of Object.entries(texts)) {
			const field = dialog.locator(`[data-test-id="parameter-input-${name}"]`);
			await field.locator('input, textarea').first().fill(text);
		}
		await dialog.locator('[data-test-id="credential-save-button"] button').click();
		const passed = dialog.locator('[data-test-id="credentials-config-container-test-success"]');
		const failed = dialog.getByText('Couldn’t connect with these settings');
		await passed.or(failed).filter({ visible: true }).first().waitFor();
		if (await passed.isVisible()) return '';
		await dialog.getByText('More details').filter({ visible: true }).first().click();
		const details = dialog.locator('[class*="_details_"]').filter({ visible: true });
		return (await details.first().innerText()).trim();
	}
}
