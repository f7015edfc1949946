module.exports = { isOfService };

/**
 * Whether a request failed because there was no answer, or one with status 5xx.
 * @param {string} error
 */
function isOfService(error) {
	return /\bstatus 5\d\d\b|could not be reached|did not answer|\bconnection\b/i.test(error);
}
