/** Tests that the error about a setting names the default that the example has. */
import { checkedSettings } from '../../../examples/src/code/shared/settings';
import { parametersOf } from './support/expressions';

const SYNCS = [
	...['sync-by-source.json', 'sync-chunks-by-source.json', 'sync-from-an-api.json'],
	...['sync-from-google-drive.json', 'sync-of-a-folder.json', 'sync-of-a-website.json'],
	...['sync-of-a-database.json', 'sync-chunks-of-a-database.json'],
];

/** Each user enters another value, so the error names an example of it. */
const EXAMPLES_OF_VALUES = ['sitemap', 'folder', 'url', 'site'];

test.each(SYNCS)('%s: the error about a missing setting names its default', (file) => {
	const { assignments } = parametersOf(file, 'Settings').assignments as unknown as {
		assignments: Array<{ name: string; value: unknown }>;
	};
	const checked = assignments.filter(({ name }) => !EXAMPLES_OF_VALUES.includes(name));
	expect(checked.length).toBeGreaterThan(4);
	for (const { name, value } of checked) {
		// In calls of a webhook, this is an expression. In other syncs, n8n stores the list as a text.
		const shown = name === 'pushAgain' ? [] : value;
		expect(() => checkedSettings({}, [name])).toThrow(
			`'${name}' in 'Settings' is missing. It must be`,
		);
		expect(() => checkedSettings({}, [name])).toThrow(
			// The syncs have different defaults for this setting.
			name === 'ignoredFields'
				? 'a text. It may be empty.'
				: `Its default is ${JSON.stringify(shown)}.`,
		);
	}
});
