import type { Locator, Page } from 'playwright-core';

import { choose } from './select';

const DIALOG = '[data-test-id="editCredential-modal"]';
const TYPES = '[data-test-id="new-credential-type-select"]';
const TYPE = '[data-test-id="new-credential-type-select-option"]:visible';
const TESTED_WITHIN_MS = 60_000;

/** The list filters what is typed after a moment. */
const SETTLES_MS = 500;

const RETRY = 'Retry credential test';

/** What the test of a credential says. */
export interface Verdict {
	passed: boolean;
	message: string;
}

/** The dialogs that create and edit credentials. */
export class CredentialDialog {
	constructor(
		private readonly page: Page,
		private readonly url: string,
	) {}

	/** Searches the types of credentials. */
	async searchTypes(words: string): Promise<string[]> {
		await this.page.goto(`${this.url}/home/credentials/create`);
		await this.page.locator(TYPES).first().waitFor();
		await this.page.locator(`${TYPES} input`).first().fill(words);
		await this.page.waitForTimeout(SETTLES_MS);
		return await this.page.locator(TYPE).allInnerTexts();
	}

	/** Opens the dialog for a new credential. */
	async create(displayName: string): Promise<void> {
		await this.searchTypes(displayName);
		await this.page.locator(TYPE).getByText(displayName, { exact: true }).click();
		await this.page.locator('[data-test-id="new-credential-type-button"]').click();
		await this.page.locator(DIALOG).waitFor();
	}

	/** Opens the dialog of a stored credential. */
	async edit(id: string): Promise<void> {
		await this.page.goto(`${this.url}/home/credentials/${id}`);
		await this.page.locator(DIALOG).waitFor();
		await this.page.waitForTimeout(SETTLES_MS);
	}

	/** Fills text fields and chooses options. */
	async fill(values: Record<string, string>): Promise<void> {
		for (const [name, value] of Object.entries(values)) {
			const input = this.field(name).locator('input, textarea').first();
			if ((await input.getAttribute('role')) === 'combobox')
				await choose(this.field(name), value);
			else await input.fill(value);
		}
	}

	/** Saves, which also tests; returns what the test says. */
	async save(): Promise<Verdict> {
		const dialog = this.page.locator(DIALOG);
		const tested = this.page.waitForResponse(
			(response) => response.url().endsWith('/rest/credentials/test'),
			{ timeout: TESTED_WITHIN_MS },
		);
		const save = dialog.locator('[data-test-id="credential-save-button"] button');
		// What is saved already can only be tested again.
		const canSave = (await save.count()) > 0 && (await save.isEnabled());
		const retry = dialog.getByTitle(RETRY).filter({ visible: true }).first();
		await (canSave ? save : retry).click();
		await tested;
		await this.page.waitForTimeout(SETTLES_MS);
		const passed = dialog.locator('[data-test-id="credentials-config-container-test-success"]');
		const failed = dialog.getByText('Couldn’t connect with these settings');
		await passed.or(failed).filter({ visible: true }).first().waitFor({
			timeout: TESTED_WITHIN_MS,
		});
		if (await passed.isVisible()) return { passed: true, message: await passed.innerText() };
		// Once opened, the details stay open.
		const more = dialog.getByText('More details').filter({ visible: true });
		if ((await more.count()) > 0) await more.first().click();
		const details = dialog.locator('[class*="_details_"]').filter({ visible: true });
		return { passed: false, message: (await details.first().innerText()).trim() };
	}

	/** The names of the visible fields. */
	async fields(): Promise<string[]> {
		return await this.page
			.locator(`${DIALOG} [data-test-id^="parameter-input-"]:visible`)
			.evaluateAll((inputs) =>
				inputs
					.map((input) => (input as HTMLElement).dataset.testId ?? '')
					.map((id) => id.replace('parameter-input-', ''))
					.filter((name) => name !== 'field'),
			);
	}

	/** True if the field hides what is typed. */
	async hides(name: string): Promise<boolean> {
		return (
			(await this.field(name).locator('input').first().getAttribute('type')) === 'password'
		);
	}

	private field(name: string): Locator {
		return this.page.locator(`${DIALOG} [data-test-id="parameter-input-${name}"]`);
	}
}
