const { appendFileSync } = require('node:fs');

/** Writes a line per test file. Jest's own JSON report is missing if `--bail` ends the run. */
module.exports = class {
	/**
	 * @param {import('@jest/reporters').Test} test
	 * @param {import('@jest/test-result').TestResult} result
	 */
	onTestFileResult({ path }, { numFailingTests, testExecError }) {
		const isFailed = numFailingTests > 0 || testExecError !== undefined;
		appendFileSync(
			String(process.env.MUTATE_REPORT),
			`${JSON.stringify({ path, isFailed })}\n`,
		);
	}
};
