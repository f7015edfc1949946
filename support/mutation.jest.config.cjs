const base = require('../jest.config.js');

/**
 * Selects the tests for mutation testing with Stryker. Only unit tests and simulations run, because all other tests
 * are too slow.
 *
 * @type {import('jest').Config}
 */
module.exports = {
	...base,
	rootDir: '..',
	// These tests need no build, and Stryker's copy of the sources cannot be built.
	globalSetup: undefined,
	testEnvironment: 'node',
	roots: ['<rootDir>/nodes', '<rootDir>/test/unit', '<rootDir>/test/worlds/sending'],
	testMatch: ['<rootDir>/test/{unit,worlds/sending}/**/*.test.ts'],
	testRunner: require.resolve('./mutation/jest-circus-until-found.cjs'),
	testSequencer: require.resolve('./mutation/quickest-first.cjs'),
	setupFilesAfterEnv: ['<rootDir>/support/mutation/setup.cjs'],
	testTimeout: 10_000,
};
