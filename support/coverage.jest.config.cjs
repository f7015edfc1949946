const base = require('../jest.config.js');

/**
 * `npm run coverage`: which branches of what is shipped the tests take. The report is in
 * .cache/coverage.
 *
 * @type {import('jest').Config}
 */
module.exports = {
	...base,
	rootDir: '..',
	// Package tests run the built files; measuring slows down what measures the event loop.
	testPathIgnorePatterns: [
		'/node_modules/',
		'<rootDir>/test/package/',
		'<rootDir>/test/(chaos|engine)/event-loop',
	],
	collectCoverage: true,
	collectCoverageFrom: ['{nodes,credentials}/**/*.ts'],
	coverageDirectory: '.cache/coverage',
	coverageReporters: ['text-summary', 'html', 'json-summary', 'json'],
	coverageThreshold: { global: { branches: 95 } },
};
