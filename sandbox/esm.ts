import { constants, Script } from 'node:vm';

import type * as Jose from 'jose' with { 'resolution-mode': 'import' };

/**
 * Loads jose, which is an ES module, into CommonJS code. A plain `import()` does under node and
 * tsx; jest on Node 20 replaces it by a loader that refuses ES modules, and there a script that is
 * told to use Node's own loader works.
 */
export async function loadJose(): Promise<typeof Jose> {
	try {
		return await import('jose');
	} catch {
		const script = new Script("import('jose')", {
			filename: __filename,
			importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
		});
		return (await script.runInThisContext()) as typeof Jose;
	}
}
