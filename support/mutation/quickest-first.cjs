const { default: Sequencer } = require('@jest/test-sequencer');

/** Most mutants are found by a quick test: files that take long come last, and rarely run. */
module.exports = class extends Sequencer {
	/** @param {Array<import('@jest/test-result').Test>} tests */
	sort(tests) {
		return super.sort(tests).reverse();
	}
};
