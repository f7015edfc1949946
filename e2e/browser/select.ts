import type { Locator } from 'playwright-core';

/** The editor shows a choice after a moment. */
const SETTLES_MS = 500;

/** Chooses an option of a drop-down list, by what it shows. */
export async function choose(list: Locator, option: string): Promise<void> {
	const page = list.page();
	await list.click();
	await page
		.locator('.el-select-dropdown__item:visible')
		.filter({ has: page.getByText(option, { exact: true }) })
		.first()
		.click();
	await page.waitForTimeout(SETTLES_MS);
}
