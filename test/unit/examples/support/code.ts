import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

import plannedChanges from '../../../../examples/src/code/planned-changes';
import documents from '../../../../examples/src/code/documents';
import known from '../../../../examples/src/code/known';
import batchRow from '../../../../examples/src/code/batch-row';
import plan from '../../../../examples/src/code/plan';
import result from '../../../../examples/src/code/result';
import versions from '../../../../examples/src/code/versions';
import { ROOT } from '../../../../support/manifest';

/** The Code nodes of the syncs. */
export const CODE = {
	known,
	versions,
	plan,
	documents,
	'planned-changes': plannedChanges,
	'batch-row': batchRow,
	result,
};

export type Code = typeof CODE;

/**
 * Returns the Code nodes with one rule broken.
 *
 * @throws Error if the file does not contain the text exactly once
 */
export function broken(file: keyof Code, from: string, to: string): Code {
	const whole = path.join(ROOT, `examples/src/code/${file}.js`);
	const source = readFileSync(whole, 'utf8');
	if (source.split(from).length !== 2) throw new Error(`${file}.js: '${from}' is not there once`);
	const module: { exports: unknown } = { exports: undefined };
	new Function(
		'module',
		'require',
		source.replace(from, () => to),
	)(module, createRequire(whole));
	return { ...CODE, [file]: module.exports };
}
