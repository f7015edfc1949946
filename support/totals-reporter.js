/** Prints one line with the numbers of passed and failed tests, for scripts. */
class TotalsReporter {
	/**
	 * @param {unknown} _contexts
	 * @param {import('@jest/reporters').AggregatedResult} results
	 */
	onRunComplete(_contexts, results) {
		// A file that cannot be loaded counts as one failure.
		const failed = results.numFailedTests + results.numRuntimeErrorTestSuites;
		// This line must be the last line, after jest's summary.
		process.once('exit', () => {
			process.stdout.write(`${results.numPassedTests} passed, ${failed} failed\n`);
		});
	}
}

module.exports = TotalsReporter;
