import type { Page } from 'playwright-core';

/** All text that a window shows, with what its fields contain, in one line. */
async function shownBy(page: Page): Promise<string> {
	const fields = await page
		.locator('input, textarea')
		.evaluateAll((all) => all.map((each) => (each as HTMLInputElement).value));
	const text = await page.locator('body').innerText();
	return [text, ...fields].join(' ').replace(/\s+/g, ' ');
}

/**
 * Checks that a window shows what the alt text of its picture promises.
 * @param expected texts that a person would find in the picture
 * @throws Error naming the picture and the texts that are missing
 */
export async function expectShown(
	page: Page,
	picture: string,
	expected: readonly string[],
): Promise<void> {
	const shown = await shownBy(page);
	const missing = expected.filter((text) => !shown.includes(text));
	if (missing.length === 0) return;
	const seen = `${shown.slice(0, 300)}…`;
	throw new Error(
		`The picture ${picture} does not show: ${missing.join(', ')}. It shows: ${seen}`,
	);
}
