/** Prints the one line that scripts read: how many tests passed and how many failed. */
class TotalsReporter {
	/**
	 * @param {unknown} _contexts
	 * @param {import('@jest/reporters').AggregatedResult} results
	 */
	onRunComplete(_contexts, results) {
		// A file that does not even load has no tests of its own to count.
		const failed = results.numFailedTests + results.numRuntimeErrorTestSuites;
		// On exit, so that it comes after jest's own summary.
		process.once('exit', () => {
			process.stdout.write(`${results.numPassedTests} passed, ${failed} failed\n`);
		});
	}
}

module.exports = TotalsReporter;
