/** @import { Approval, Settings } from '../../parts/types' */

const { checkedSettings } = require('./settings');

module.exports = { approvableOf, mostDeletesOf };

/**
 * Returns how many documents with content a run may delete: as many as the settings or a person allow. If nothing is
 * listed, the settings allow none.
 *
 * @param {{ known: number, isEmpty: boolean, settings: Settings, approval: Approval }} run
 * @returns {number}
 */
function mostDeletesOf({ known, isEmpty, settings, approval }) {
	const { mostDeletes, mostDeletesPercent } = checkedSettings(settings, [
		'mostDeletes',
		'mostDeletesPercent',
	]);
	const ordinary = Math.max(mostDeletes, Math.floor((known * mostDeletesPercent) / 100));
	return Math.max(isEmpty ? 0 : ordinary, approval.isApproved ? approval.most : 0);
}

/**
 * Returns how many deletes a person may approve. An approval that was too small is followed by a new number. Otherwise,
 * the smallest one counts.
 *
 * @param {Approval} approval
 * @param {number} withheld
 */
function approvableOf(approval, withheld) {
	const isFirst = approval.isApproved || approval.remembered === 0;
	return isFirst ? withheld : Math.min(approval.remembered, withheld);
}
