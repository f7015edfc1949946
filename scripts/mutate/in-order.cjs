const { default: Sequencer } = require('@jest/test-sequencer');

/** Runs test files in the order in which the command line names them. */
module.exports = class extends Sequencer {
	/** @param {Array<import('@jest/test-result').Test>} tests */
	sort(tests) {
		return tests;
	}
};
