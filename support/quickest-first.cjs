const { default: Sequencer } = require('@jest/test-sequencer');

/** Runs quick test files first. Quick tests detect most mutants, so slow files rarely run. */
module.exports = class extends Sequencer {
	/** @param {Array<import('@jest/test-result').Test>} tests */
	sort(tests) {
		return super.sort(tests).reverse();
	}
};
