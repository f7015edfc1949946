const base = require('../jest.config.js');

/**
 * `npm run test:old-n8n`: the built package on the engine of n8n 1.123, which is installed first.
 *
 * @type {import('jest').Config}
 */
module.exports = {
	...base,
	rootDir: '..',
	testEnvironment: 'node',
	testMatch: ['<rootDir>/test/engine/old-n8n.spec.ts'],
	// Here modules of e2e/old-core are what is tested.
	modulePathIgnorePatterns: ['<rootDir>/.cache/'],
	globalSetup: '<rootDir>/support/old-engine-install.ts',
	maxWorkers: 1,
};
