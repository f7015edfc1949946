/**
 * Mutation testing of the pure layers, on demand: `npm run test:mutation`, or for one file
 * `npm run test:mutation -- --mutate nodes/shared/flow/limiter.ts`. Only unit tests run.
 *
 * @type {import('@stryker-mutator/api/core').PartialStrykerOptions}
 */
export default {
	testRunner: 'jest',
	jest: { configFile: 'stryker.jest.config.cjs', enableFindRelatedTests: true },
	mutate: ['nodes/shared/{flow,service,records}/**/*.ts'],
	coverageAnalysis: 'perTest',
	concurrency: 2,
	timeoutMS: 20_000,
	reporters: ['clear-text', 'progress'],
	clearTextReporter: { allowColor: false, logTests: false, reportTests: false },
	tempDirName: '.cache/stryker',
	cleanTempDir: 'always',
	ignorePatterns: ['dist', 'e2e', 'docs', 'examples', 'bench', '.cache', '.data'],
	thresholds: { high: 90, low: 85, break: 85 },
};
