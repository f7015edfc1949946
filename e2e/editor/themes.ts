import { Canvas } from '../browser/canvas';
import { openEditor, THEMES } from '../browser/editor';
import type { Subject } from './suite';
import { ownNode, saveChain } from './suite';

/** Every node has an icon of its own in both themes. */
export const themes: Subject = {
	title: 'Icons in both themes',
	async run(suite) {
		const { browser, checks, demo, nodes } = suite;
		const chain = [...nodes.keys()].map((name) => ownNode(suite, name));
		const { id } = await saveChain(suite, 'icons', [{}], chain);
		for (const theme of THEMES) {
			const page = await openEditor(browser, demo.n8n, theme);
			const canvas = new Canvas(page, demo.n8n.url);
			await canvas.open(id);
			for (const { displayName, iconUrl } of nodes.values()) {
				const image = canvas.node(displayName).locator('img').first();
				const icon = await image.evaluate((element) => {
					const { naturalWidth, src } = element as HTMLImageElement;
					return { naturalWidth, src };
				});
				const expected = typeof iconUrl === 'object' ? iconUrl[theme] : undefined;
				checks.add(
					`${displayName} has its icon in the ${theme} theme`,
					icon.naturalWidth > 0 && expected !== undefined && icon.src.endsWith(expected),
					icon.src.split('/').at(-1),
				);
			}
			await page.context().close();
		}
	},
};
