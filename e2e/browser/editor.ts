import { existsSync } from 'node:fs';

import type { Browser, Page } from 'playwright-core';
import { chromium } from 'playwright-core';

import type { N8n } from '../n8n/process';
import type { Command } from '../shared/command';

/** The program that Debian's `chromium` package installs. */
const BROWSER = process.env.CHROMIUM ?? '/usr/bin/chromium';

const BROWSER_ARGS = [
	'--headless',
	'--no-sandbox',
	'--disable-gpu',
	'--disable-quic',
	'--no-first-run',
	'--disable-background-networking',
	'--disable-component-update',
	'--disable-sync',
];

/** Maximum time for something to appear. A slow machine under load needs this much time. */
const WITHIN_MS = 180_000;

export const WINDOW_SIZE = { width: 1440, height: 900 };

/**
 * Starts Chromium, which is closed when the command ends.
 * @throws Error if Chromium is not installed
 */
export async function startBrowser(command: Command): Promise<Browser> {
	if (!existsSync(BROWSER)) {
		throw new Error(
			`${BROWSER} is missing. On Debian: apt-get install chromium. Another one: CHROMIUM=<path>`,
		);
	}
	const browser = await chromium.launch({
		executablePath: BROWSER,
		args: BROWSER_ARGS,
		timeout: WITHIN_MS,
	});
	command.onStop(async () => await browser.close());
	return browser;
}

export async function openEditor(
	browser: Browser,
	n8n: N8n,
	theme: 'light' | 'dark' = 'light',
): Promise<Page> {
	const context = await browser.newContext({ viewport: WINDOW_SIZE, colorScheme: theme });
	context.setDefaultTimeout(WITHIN_MS);
	await context.addInitScript((name) => localStorage.setItem('N8N_THEME', name), theme);
	const page = await context.newPage();
	await page.goto(`${n8n.url}/signin`);
	await page.locator('input[name="emailOrLdapLoginId"]').fill(n8n.login.email);
	await page.locator('input[name="password"]').fill(n8n.login.password);
	await page.locator('[data-test-id="form-submit-button"]').click();
	await page.waitForURL((url) => !url.pathname.startsWith('/signin'));
	return page;
}
