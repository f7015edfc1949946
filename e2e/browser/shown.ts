import type { Page } from 'playwright-core';

/** Reads all text of a window, including the contents of its fields, as one line. */
async function shownBy(page: Page): Promise<string> {
	const fields = await page
		.locator('input, textarea')
		.evaluateAll((all) => all.map((each) => (each as HTMLInputElement).value));
	const text = await page.locator('body').innerText();
	return [text, ...fields].join(' ').replace(/\s+/g, ' ');
}

/**
 * Checks that a window shows what the alt text of its picture says.
 * @param expected texts that a person would find in the picture
 * @throws Error with the picture and the missing texts
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
