/** The minimum version of n8n is the one that is tested, and every page says the same. */
import { readFileSync } from 'node:fs';
import path from 'node:path';

import { ROOT } from '../../support/manifest';

const read = (file: string) => readFileSync(path.join(ROOT, file), 'utf8');
const dependencies = (folder: string) =>
	(JSON.parse(read(`${folder}/package.json`)) as { dependencies: Record<string, string> })
		.dependencies;

/** The oldest n8n that tests run, such as 1.123. */
const minimum = dependencies('e2e/n8n-1.123').n8n.split('.').slice(0, 2).join('.');

it.each(['README.md', 'CHANGELOG.md'])('%s names the oldest n8n that is tested', (file) => {
	const named = [...read(file).matchAll(/n8n (\d+\.\d+)(?:\.\d+)? or newer/g)];
	expect(new Set(named.map(([, version]) => version))).toEqual(new Set([minimum]));
});

it('the engine of that n8n, and the whole of it, are tested before a release', () => {
	const core = dependencies('e2e/old-core')['n8n-core'];
	const readme = read('README.md');
	expect(readme).toContain(`| n8n-core ${core} (n8n ${minimum}) |`);
	expect(readme).toContain(`| n8n ${dependencies('e2e/n8n-1.123').n8n} on Node.js`);
	expect(read('test/engine/old-n8n.spec.ts')).toContain(`core: '${core}'`);
	expect(read('.ci/run')).toMatch(/^check npm run test:old-n8n$/m);
});

it('the newest n8n that README names is the one that the demo runs', () => {
	expect(read('README.md')).toContain(`| n8n ${dependencies('e2e').n8n} on Node.js`);
});
