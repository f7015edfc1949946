/** @param {import('@swc/core').ParserConfig} parser */
const swc = (parser) => ({
	swcrc: false,
	jsc: { target: 'es2022', parser },
	module: { type: 'commonjs' },
	sourceMaps: 'inline',
});

/**
 * One configuration for all kinds of tests. Each kind has its own folder in test/.
 *
 * @type {import('jest').Config}
 */
module.exports = {
	testEnvironment: '<rootDir>/support/one-context.cjs',
	runtime: '<rootDir>/support/packages-once.cjs',
	testMatch: ['<rootDir>/test/**/*.test.ts'],
	// Without this setting, Jest would also read the many n8n files in e2e/ and .cache/.
	roots: ['<rootDir>/test'],
	// The package.json files in dist and e2e would look like modules to Jest.
	modulePathIgnorePatterns: ['<rootDir>/dist/', '<rootDir>/e2e/', '<rootDir>/.cache/'],
	transform: {
		'^.+\\.ts$': ['@swc/jest', swc({ syntax: 'typescript', decorators: true })],
		'node_modules/(stream-json|stream-chain)/.+\\.js$': [
			'@swc/jest',
			swc({ syntax: 'ecmascript' }),
		],
	},
	// stream-json and stream-chain are ES modules, but Jest runs CommonJS.
	transformIgnorePatterns: ['/node_modules/(?!(stream-json|stream-chain)/)'],
	globalSetup: '<rootDir>/support/built.cjs',
	setupFiles: ['<rootDir>/support/setup.ts'],
	// Tests spend most of their time waiting. Therefore, two processors can run four workers.
	maxWorkers: 4,
	// Memory limit for a worker. Jest restarts a worker that exceeds this limit. The restart happens between two test
	// files.
	workerIdleMemoryLimit: '1GB',
	// A test that takes longer than this usually hangs. The few tests that need more time set their own limit.
	testTimeout: 20_000,
	reporters: ['default', '<rootDir>/support/totals-reporter.js'],
};
