import type { Page } from 'playwright-core';

import { credentialClasses } from '../../support/manifest';
import type { Suite } from './suite';

const NOWHERE = 'http://127.0.0.1:9';

/** A demo credential, and the name and label of its URL field. */
const CREDENTIALS: Array<[stored: string, field: string, label: string]> = [
	['Demo AI Service', 'aiUrl', 'AI Service URL'],
	['Demo Push Endpoint', 'pushUrl', 'Push Service URL'],
	['Demo Blob Service', 'baseUrl', 'Blob Service URL'],
];

/**
 * Creates each credential through its form, first with valid values, then with a URL where nothing is listening.
 * test/engine/credentials.test.ts checks the messages that other mistakes cause. It does not use a browser.
 */
export async function credentials({ page, demo, checks }: Suite): Promise<void> {
	const dialog = new CredentialDialog(page, demo.n8n.url);
	await dialog.search('lucidworks');
	await checks.eventually(
		"'lucidworks' finds all credentials",
		async () => (await dialog.types()).join(', '),
		(found) => found.split(', ').length === credentialClasses.size,
	);
	const displayNames = await demo.n8n.api.credentialNames();
	for (const [stored, field, label] of CREDENTIALS) {
		const { type, data } = demo.credentials[stored];
		const displayName = displayNames[type];
		const texts = typed(data);
		const good = await dialog.create(displayName, texts);
		checks.add(`${displayName}: good values pass`, good === '', good);
		const bad = await dialog.create(displayName, { ...texts, [field]: NOWHERE });
		checks.add(
			`${displayName}: a dead host is explained, with the name of the field`,
			bad.includes('could not be reached') && bad.includes(`'${label}'`),
			bad,
		);
	}
}

/** Returns the values to type. Dropdowns keep their defaults. */
function typed(data: Record<string, unknown>): Record<string, string> {
	const lists = ['scope', 'authentication'];
	return Object.fromEntries(
		Object.entries(data)
			.filter(([name]) => !lists.includes(name))
			.map(([name, value]) => [name, String(value)]),
	);
}

const DIALOG = '[data-test-id="editCredential-modal"]';
const TYPES = '[data-test-id="new-credential-type-select"]';
const TYPE = '[data-test-id="new-credential-type-select-option"]:visible';

class CredentialDialog {
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
	 * Creates a credential with these values. n8n tests a credential when it is saved.
	 * @returns the error message if the test fails, otherwise an empty string
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
