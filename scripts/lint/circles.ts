/**
 * Checks for circular imports, including type imports. ESLint's import-x/no-cycle does not follow type imports, and it
 * would take half of the total lint time.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';

import ts from 'typescript';

import { ROOT } from '../../support/manifest';

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

/** Finds files that import themselves through other files. Returns each file with its shortest chain of imports. */
export function circles(): string[] {
	const imports = readImports();
	const circleOf = (start: string): string[] => {
		const ways = [[start]];
		const seen = new Set<string>();
		for (const way of ways) {
			for (const imported of imports.get(way.at(-1) ?? '') ?? []) {
				if (imported === start)
					return [`Imports in a circle: ${way.join(' -> ')} -> ${start}`];
				if (seen.has(imported)) continue;
				seen.add(imported);
				ways.push([...way, imported]);
			}
		}
		return [];
	};
	return [...imports.keys()].flatMap(circleOf);
}
