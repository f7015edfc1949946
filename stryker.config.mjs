/**
 * Mutation testing of the pure layers, on demand: `npx stryker run`, or for a part of them
 * `npx stryker run --mutate 'nodes/shared/flow/*.ts'`. Results of earlier runs are kept in
 * .cache, so that only what has changed runs again.
 *
 * @type {import('@stryker-mutator/api/core').PartialStrykerOptions}
 */
export default {
	testRunner: 'jest',
	jest: { configFile: 'support/mutation.jest.config.cjs', enableFindRelatedTests: true },
	mutate: ['nodes/shared/{flow,service,records}/**/*.ts'],
	coverageAnalysis: 'perTest',
	concurrency: 2,
	// Time passes virtually in these tests: what takes so much longer than without the mutant hangs.
	timeoutMS: 3000,
	timeoutFactor: 1.5,
	incremental: true,
	incrementalFile: '.cache/stryker-incremental.json',
	reporters: ['clear-text', 'html', 'json', 'progress'],
	clearTextReporter: { allowColor: false, logTests: false, reportTests: false },
	htmlReporter: { fileName: '.cache/mutation/index.html' },
	jsonReporter: { fileName: '.cache/mutation/mutation.json' },
	tempDirName: '.cache/stryker',
	cleanTempDir: 'always',
	ignorePatterns: ['dist', 'e2e', 'examples', 'bench', '.data', '.cache'],
	thresholds: { high: 90, low: 85, break: 85 },
};
