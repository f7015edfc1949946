/** @param {import('@swc/core').ParserConfig} parser */
const swc = (parser) => ({
	swcrc: false,
	jsc: { target: 'es2022', parser },
	module: { type: 'commonjs' },
	sourceMaps: 'inline',
});

/**
 * One configuration for all kinds of tests; the folder says the kind (unit, sandbox, engine,
 * package) and `npm run test:<kind>` selects it.
 *
 * @type {import('jest').Config}
 */
module.exports = {
	testEnvironment: '<rootDir>/support/one-context.cjs',
	runtime: '<rootDir>/support/packages-once.cjs',
	testMatch: ['<rootDir>/test/**/*.test.ts'],
	// n8n in e2e/ and .cache/ has more files than Jest should look at.
	roots: ['<rootDir>/test'],
	// dist and e2e carry package.json files of their own, which are no modules to look up.
	modulePathIgnorePatterns: ['<rootDir>/dist/', '<rootDir>/e2e/', '<rootDir>/.cache/'],
	transform: {
		'^.+\\.ts$': ['@swc/jest', swc({ syntax: 'typescript', decorators: true })],
		'node_modules/(stream-json|stream-chain)/.+\\.js$': [
			'@swc/jest',
			swc({ syntax: 'ecmascript' }),
		],
	},
	// Jest runs CommonJS, and these packages are none.
	transformIgnorePatterns: ['/node_modules/(?!(stream-json|stream-chain)/)'],
	setupFiles: ['<rootDir>/support/setup.ts'],
	// Tests wait for much of their time, so two processors have work for four.
	maxWorkers: 4,
	// Free what earlier files left behind.
	workerIdleMemoryLimit: '1GB',
	// Only what hangs takes so long. The few tests that take longer name their own limit.
	testTimeout: 20_000,
	reporters: ['default', '<rootDir>/support/totals-reporter.js'],
};
