import { apiCases } from './api';
import { calledCases } from './called';
import { databaseCases } from './database';
import { driveCases } from './drive';
import { folderCases } from './folder';
import { kills, throttled, twoAtOnce, twoFirstRuns } from './kills';
import type { Cases } from './runs';
import { statementCases } from './statements';
import { websiteCases } from './website';

/**
 * The cases of each source, in the order in which they run. Later cases of a source may use the workflow that the first
 * one has published. All cases together may take at most eight minutes.
 */
export const CASES: Record<string, Cases> = {
	documents: {
		'killed at random moments': async (stage) => await kills(stage, 'documents', 5),
		'two runs at once': async (stage) => await twoAtOnce(stage, 'documents'),
		'status 429 for longer than the lock': throttled,
		'three first runs at once': twoFirstRuns,
	},
	chunks: {
		'killed at random moments': async (stage) => await kills(stage, 'chunks', 5),
		'two runs at once': async (stage) => await twoAtOnce(stage, 'chunks'),
	},
	fetched: {
		'killed at random moments': async (stage) => await kills(stage, 'fetched', 4),
		'two runs at once': async (stage) => await twoAtOnce(stage, 'fetched'),
	},
	'by-source': calledCases('sync-by-source'),
	'chunks-by-source': calledCases('sync-chunks-by-source'),
	statements: statementCases(),
	database: databaseCases('sync-of-a-database'),
	'database-chunks': databaseCases('sync-chunks-of-a-database'),
	api: apiCases(),
	folder: folderCases(),
	drive: driveCases(),
	website: websiteCases(),
};
