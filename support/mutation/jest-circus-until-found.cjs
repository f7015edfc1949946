const { createEmptyTestResult } = require('@jest/test-result');
const { default: circus } = require('jest-circus/runner');

/** The last mutant that a test has found, by Stryker's name for it. */
let found;

/** Stands for a file that need not even be loaded: jest demands one test of each. */
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

/** Jest's runner of test files, but the first test that fails is the last one to run against a mutant. */
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
