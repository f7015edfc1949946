/** Checks that no snapshot is so long that nobody reads it. */
import { readFileSync } from 'node:fs';
import path from 'node:path';

import { ROOT } from '../../support/manifest';

const MAX_LINES = 50;

/** Long snapshots. Those of the panels are read. Remove `pairs` together with its snapshot. */
const LONG = ['test/package/panels', 'test/engine/pairs'];

const INLINE = /toMatchInlineSnapshot\(\s*`((?:[^`\\]|\\.)*)`/g;

const linesIn = (text: string): number => text.split('\n').length - 1;

/** Returns a line for each snapshot file and each inline snapshot with more than 50 lines. */
export function longSnapshots(files: readonly string[]): string[] {
	return files
		.filter((file) => file.endsWith('.snap') || file.endsWith('.test.ts'))
		.flatMap((file) => {
			const name = file.replace('/__snapshots__', '').replace(/\.test\.ts(\.snap)?$/, '');
			const text = LONG.includes(name) ? '' : readFileSync(path.join(ROOT, file), 'utf8');
			const snapshots = file.endsWith('.snap')
				? [text]
				: [...text.matchAll(INLINE)].map(([, snapshot = '']) => snapshot);
			return snapshots
				.map(linesIn)
				.filter((lines) => lines > MAX_LINES)
				.map((lines) => `${file}: a snapshot of ${lines} lines, but at most ${MAX_LINES}`);
		});
}
