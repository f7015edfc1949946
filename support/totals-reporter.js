/** Prints the numbers of passed and failed tests on one line, for scripts to read. */
class TotalsReporter {
	/**
	 * @param {unknown} _contexts
	 * @param {import('@jest/reporters').AggregatedResult} results
	 */
	onRunComplete(_contexts, results) {
		// A file that fails to load counts as one failure.
		const failed = results.numFailedTests + results.numRuntimeErrorTestSuites;
		// The line is printed on exit, so that it follows jest's own summary.
		process.once('exit', () => {
			process.stdout.write(`${results.numPassedTests} passed, ${failed} failed\n`);
		});
	}
}

module.exports = TotalsReporter;
