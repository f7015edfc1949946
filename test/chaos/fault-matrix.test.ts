/**
 * Every fault against every request, in every error mode, and the page that tells users about it.
 *
 * @jest-environment node
 */
import { withLogs } from './logs';

import { readFileSync } from 'node:fs';
import path from 'node:path';

import { ROOT } from '../../support/manifest';
import { differencesOf, playMatrix, REQUESTS, ROW_KEYS, type Cell } from './fault-matrix';
import { isKnownCell, KNOWN_CELLS } from './known-defects';
import { factsOf, pageOf } from './reliability';
import { withShortBackoff } from './run-world';

const MATRIX_TIMEOUT_MS = 150_000;

let cells: Cell[];

beforeAll(async () => {
	({ value: cells } = await withLogs(async () => await withShortBackoff(playMatrix)));
}, MATRIX_TIMEOUT_MS);

const all = REQUESTS.flatMap((request) => ROW_KEYS.map((row) => ({ request, row })));

test.each(all)('$request: $row', ({ request, row }) => {
	const mine = cells.filter((cell) => cell.request === request && cell.row === row);
	expect(mine).toHaveLength(3);
	const surprises = mine
		.filter((cell) => !isKnownCell(cell))
		.flatMap((cell) => differencesOf(cell).map((words) => `${cell.mode}: ${words}`));
	expect(surprises).toEqual([]);
});

test('known defects of the matrix are still there', () => {
	const repaired = [...KNOWN_CELLS].filter((name) =>
		cells
			.filter((cell) => `${cell.request}, ${cell.row}` === name)
			.every((cell) => differencesOf(cell).length === 0),
	);
	expect(repaired).toEqual([]);
});

test('docs/reliability.md says what happens (npm run docs:reliability writes it)', () => {
	const page = readFileSync(path.join(ROOT, 'docs/reliability.md'), 'utf8');
	expect(factsOf(page)).toEqual(factsOf(pageOf(cells)));
});
