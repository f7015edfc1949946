const fc = require('fast-check');

/**
 * Every mutant is tested with the same random values, so that scores can be reproduced. A mutant's test ends at the
 * first failure.
 */
fc.configureGlobal({ seed: 1, endOnFailure: true });
