const { createEmptyTestResult } = require('@jest/test-result');
const { default: circus } = require('jest-circus/runner');

/** Stryker's ID of the last mutant that made a test fail. */
let found;

/**
 * Returns a result without loading the test file. The result contains one skipped test, because jest requires at least
 * one test per file.
 */
const skipped = (testFilePath) => {
	const test = {
		status: 'pending',
		title: '',
		fullName: '',
		ancestorTitles: [],
		failureMessages: [],
	};
	return { ...createEmptyTestResult(), testFilePath, numPendingTests: 1, testResults: [test] };
};

/** Runs test files as jest does, but stops testing a mutant after the first test that fails. */
module.exports = async (globalConfig, config, environment, runtime, testPath, ...rest) => {
	const mutant = process.env.__STRYKER_ACTIVE_MUTANT__;
	const isFound = () => mutant !== undefined && mutant === found;
	if (isFound()) return skipped(testPath);
	const inner = environment.handleTestEvent?.bind(environment);
	environment.handleTestEvent = async (event, state) => {
		await inner?.(event, state);
		if (event.name === 'test_fn_failure') found = mutant;
		if (event.name === 'test_start' && isFound()) event.test.mode = 'skip';
	};
	return await circus(globalConfig, config, environment, runtime, testPath, ...rest);
};
