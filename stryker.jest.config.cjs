/** Mutations are looked for by the unit tests alone: they are fast and need no engine. */
module.exports = {
	...require('./jest.config.js'),
	testMatch: ['<rootDir>/test/unit/**/*.test.ts'],
	reporters: ['default'],
};
