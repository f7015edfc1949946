const base = require('../jest.config.js');

/**
 * Selects the tests that Stryker runs against each mutant. Only unit tests and simulations run, because they are
 * fast and need no engine.
 *
 * @type {import('jest').Config}
 */
module.exports = {
	...base,
	rootDir: '..',
	testEnvironment: 'node',
	roots: ['<rootDir>/nodes', '<rootDir>/test/unit', '<rootDir>/test/worlds/flow'],
	testMatch: ['<rootDir>/test/{unit,worlds/flow}/**/*.test.ts'],
	testRunner: require.resolve('./mutation/jest-circus-until-found.cjs'),
	testSequencer: require.resolve('./mutation/quickest-first.cjs'),
	setupFilesAfterEnv: ['<rootDir>/support/mutation/setup.cjs'],
	testTimeout: 10_000,
};
