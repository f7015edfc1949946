const { default: Sequencer } = require('@jest/test-sequencer');

/** Runs quick test files first, because they find most mutants. Slow files then rarely run at all. */
module.exports = class extends Sequencer {
	/** @param {Array<import('@jest/test-result').Test>} tests */
	sort(tests) {
		return super.sort(tests).reverse();
	}
};
