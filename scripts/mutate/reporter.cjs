const { appendFileSync } = require('node:fs');

/** Writes a line per test file. Jest's own records are missing if `--bail` ends the run, and some tests set the clock. */
module.exports = class {
	/** @type {Map<string, number>} */
	begun = new Map();

	/** @param {import('@jest/reporters').Test} test */
	onTestFileStart({ path }) {
		this.begun.set(path, performance.now());
	}

	/**
	 * @param {import('@jest/reporters').Test} test
	 * @param {import('@jest/test-result').TestResult} result
	 */
	onTestFileResult({ path }, { numFailingTests, testExecError }) {
		const isFailed = numFailingTests > 0 || testExecError !== undefined;
		const milliseconds = performance.now() - (this.begun.get(path) ?? 0);
		appendFileSync(
			String(process.env.MUTATE_REPORT),
			`${JSON.stringify({ path, isFailed, milliseconds })}\n`,
		);
	}
};
