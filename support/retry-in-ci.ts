/**
 * CI machines are shared: a test that measures time may miss its limit because of a neighbor. There a
 * test that fails is run once more, and its first error is logged.
 */
if (process.env.CI) jest.retryTimes(1, { logErrorsBeforeRetry: true });
