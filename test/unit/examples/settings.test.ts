/** Tests that the error about a setting names the default that the example has. */
import { checkedSettings } from '../../../examples/src/code/shared/settings';
import { parametersOf } from './support/expressions';

const SYNCS = [
	...['sync-by-source.json', 'sync-chunks-by-source.json', 'sync-from-an-api.json'],
	...['sync-from-google-drive.json', 'sync-of-a-folder.json', 'sync-of-a-website.json'],
	...['sync-of-a-database.json', 'sync-chunks-of-a-database.json'],
];

/** Each user enters another value, so the error names an example of it. */
const EXAMPLES_OF_VALUES = ['sitemap', 'folder', 'url', 'site', 'ignoredFields'];

test.each(SYNCS)('%s: the error about a missing setting names its default', (file) => {
	const { assignments } = parametersOf(file, 'Settings').assignments as unknown as {
		assignments: Array<{ name: string; value: unknown }>;
	};
	// The counters of Sync by Source are examples of fields, too. All other syncs ignore none.
	const isExample = ({ name }: { name: string }) =>
		EXAMPLES_OF_VALUES.includes(name) ||
		(name === 'ignoredFields' && file === 'sync-by-source.json');
	const checked = assignments.filter((one) => !isExample(one));
	expect(checked.length).toBeGreaterThan(4);
	for (const { name, value } of checked) {
		// In calls of a webhook, this is an expression. In other syncs, n8n stores the list as a text.
		const shown = name === 'pushAgain' ? [] : value;
		expect(() => checkedSettings({}, [name])).toThrow(
			`'${name}' in 'Settings' is missing. It must be`,
		);
		expect(() => checkedSettings({}, [name])).toThrow(
			`Its default is ${JSON.stringify(shown)}.`,
		);
	}
});
