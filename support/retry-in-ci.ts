/**
 * CI machines are shared: a test that measures time may miss its limit because of a neighbor. There a
 * test that fails is run up to twice more, and each error is logged.
 */
if (process.env.CI) jest.retryTimes(2, { logErrorsBeforeRetry: true });
