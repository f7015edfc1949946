/**
 * Mutation tests for the pure layers. To run all tests, use `npx stryker run`. To run some of them, use `npx stryker
 * run --mutate 'nodes/shared/sending/*.ts'`. Earlier results are stored in .cache so that only changed code is tested
 * again.
 *
 * @type {import('@stryker-mutator/api/core').PartialStrykerOptions}
 */
export default {
	testRunner: 'jest',
	jest: { configFile: 'support/mutation.jest.config.cjs', enableFindRelatedTests: true },
	mutate: ['nodes/shared/{sending,service,formats}/**/*.ts'],
	coverageAnalysis: 'perTest',
	concurrency: 2,
	// The tests run in virtual time. If a test takes this long in real time, the mutant has caused the test to hang.
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
