/** ARCHITECTURE.md tells the way of a document and of a text in steps that are functions. */
import { readFileSync } from 'node:fs';
import path from 'node:path';

import { ROOT } from '../../support/manifest';

const STEP = /`(\w+)` \(`([\w/-]+\.ts)`\)/g;

const text = readFileSync(path.join(ROOT, 'ARCHITECTURE.md'), 'utf8');
const steps = [...text.matchAll(STEP)].map(([, name = '', file = '']) => [name, file] as const);

test('has fifteen steps for each way', () => {
	expect(text.match(/^\d+\. /gm)).toHaveLength(2 * 15 + 4);
	expect(steps.length).toBeGreaterThan(30);
});

test.each(steps)('%s is a function or class of %s', (name, file) => {
	const folder = /^(?:n8n|flow|http|records|service|sources)\//.test(file)
		? 'nodes/shared'
		: 'nodes';
	const source = readFileSync(path.join(ROOT, folder, file), 'utf8');
	const declared = `(?:(?:function\\*? |const |class )${name}\\b|^\\t(?:private |async |static |\\*)*${name}[(<])`;
	expect(source).toMatch(new RegExp(declared, 'm'));
});
