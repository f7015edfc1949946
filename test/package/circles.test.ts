/**
 * No file of the repository imports itself through others, types included: ESLint's
 * import-x/no-cycle does not follow imports of types, and takes half of the time of the lint.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';

import ts from 'typescript';

const ROOT = path.join(__dirname, '../..');

/** Each file that `npm run typecheck` reads, with those it imports of them. */
function readImports(): Map<string, string[]> {
	const { config } = ts.readConfigFile(path.join(ROOT, 'tsconfig.dev.json'), ts.sys.readFile) as {
		config: unknown;
	};
	const { fileNames, options } = ts.parseJsonConfigFileContent(config, ts.sys, ROOT);
	const cache = ts.createModuleResolutionCache(ROOT, (name) => name);
	const resolve = (name: string, file: string) =>
		ts.resolveModuleName(name, file, options, ts.sys, cache).resolvedModule?.resolvedFileName;
	const importsOf = (file: string) =>
		ts
			.preProcessFile(readFileSync(file, 'utf8'))
			.importedFiles.filter(({ fileName }) => fileName.startsWith('.'))
			.map(({ fileName }) => path.relative(ROOT, resolve(fileName, file) ?? fileName));
	return new Map(fileNames.map((file) => [path.relative(ROOT, file), importsOf(file)]));
}

const imports = readImports();

/** The shortest way from a file through its imports back to it; undefined if there is none. */
function circleOf(start: string): string[] | undefined {
	const ways = [[start]];
	const seen = new Set<string>();
	for (const way of ways) {
		for (const imported of imports.get(way.at(-1) ?? '') ?? []) {
			if (imported === start) return [...way, start];
			if (seen.has(imported)) continue;
			seen.add(imported);
			ways.push([...way, imported]);
		}
	}
	return undefined;
}

it('reads all files, and finds what they import', () => {
	expect(imports.size).toBeGreaterThan(100);
	expect(imports.get('nodes/PushDocuments/PushDocuments.node.ts')).toContain(
		'nodes/PushDocuments/properties.ts',
	);
});

it('imports, those of types included, form no circle', () => {
	expect([...imports.keys()].flatMap((file) => circleOf(file)?.join(' -> ') ?? [])).toEqual([]);
});
