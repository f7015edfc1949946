const { default: Sequencer } = require('@jest/test-sequencer');

/** A quick test finds most mutants. Slow files run last, so they rarely run at all. */
module.exports = class extends Sequencer {
	/** @param {Array<import('@jest/test-result').Test>} tests */
	sort(tests) {
		return super.sort(tests).reverse();
	}
};
