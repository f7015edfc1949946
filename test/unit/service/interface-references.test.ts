import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(__dirname, '../../..');
const PAGE = 'docs/service-interface.md';

const headings = new Set(
	[...readFileSync(join(ROOT, PAGE), 'utf8').matchAll(/^#{2,3} (.+)$/gm)].map(
		([, title]) => title,
	),
);

/** Sections that the comments of a file refer to, as far as the first word that is in no title. */
function references(file: string): string[] {
	const text = readFileSync(join(ROOT, file), 'utf8').replace(/\n\s*(?:\*|\/\/) ?/g, ' ');
	return [...text.matchAll(/docs\/service-interface\.md, ([A-Z][a-zA-Z ]+)/g)].map(
		([, title = '']) => title.trim(),
	);
}

const files = ['nodes', 'credentials', 'sandbox', 'bench', 'test']
	.flatMap((folder) =>
		readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((file) =>
			join(folder, file),
		),
	)
	.filter((file) => file.endsWith('.ts') && !file.includes('node_modules'));

test('the sections that comments refer to exist', () => {
	const all = files.flatMap((file) => references(file).map((title) => ({ file, title })));
	expect(all.length).toBeGreaterThan(20);
	expect(all.filter(({ title }) => !headings.has(title))).toEqual([]);
});
