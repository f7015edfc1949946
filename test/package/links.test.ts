/** Links of this repository's documents lead somewhere: to a file, and to a heading in it. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import {
	docsLinksOf,
	documentLinkFaults,
	linkFaults,
	linkingFiles,
} from '../../scripts/release/links';
import { ROOT } from '../../support/manifest';

const { documents, sources } = linkingFiles(ROOT);

it.each(documents)('links of %s lead to files and headings', (file) => {
	expect(documentLinkFaults(ROOT, file)).toEqual([]);
});

it('Docs links of nodes and credentials lead to headings', () => {
	expect(sources.flatMap((file) => docsLinksOf(ROOT, file)).length).toBeGreaterThan(6);
	expect(linkFaults(ROOT)).toEqual([]);
});

it('finds links that lead nowhere', () => {
	const folder = mkdtempSync(path.join(tmpdir(), 'links-'));
	try {
		writeFileSync(path.join(folder, 'a.md'), '# A\n[x](b.md) [y](#z) [a](#a) [w](https://w)\n');
		expect(documentLinkFaults(folder, 'a.md')).toEqual([
			'a.md: b.md: no such file',
			'a.md: #z: no such heading',
		]);
	} finally {
		rmSync(folder, { recursive: true });
	}
});
