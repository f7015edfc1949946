/** Links of this repository's documents lead somewhere: to a file, and to a heading in it. */
import { execFileSync } from 'node:child_process';
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

describe('in a folder', () => {
	let folder: string;
	const write = (name: string, text: string) => writeFileSync(path.join(folder, name), text);
	beforeEach(() => {
		folder = mkdtempSync(path.join(tmpdir(), 'links-'));
	});
	afterEach(() => rmSync(folder, { recursive: true }));

	it('finds links that lead nowhere', () => {
		write('a.md', '# A\n[x](b.md) [y](#z) [a](#a) [w](https://w)\n');
		expect(documentLinkFaults(folder, 'a.md')).toEqual([
			'a.md: b.md: no such file',
			'a.md: #z: no such heading',
		]);
	});

	it('reads pages that were not committed yet, but none that git ignores', () => {
		execFileSync('git', ['init', '-q'], { cwd: folder });
		write('.gitignore', 'made.md');
		write('made.md', '');
		write('added.md', '');
		execFileSync('git', ['add', 'added.md'], { cwd: folder });
		write('new.md', '');
		expect(linkingFiles(folder).documents.sort()).toEqual(['added.md', 'new.md']);
	});
});
