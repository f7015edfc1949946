import type { Failed } from '../shared/flow/deliver';
import { count } from '../shared/n8n/hints';
import { ServiceFailure } from '../shared/service/failure';
import { outcomeMessage, pushing } from '../shared/service/wording';
import { SHORTEN } from './requests';

/**
 * How a document that was not pushed is shown.
 *
 * @param bytes of its request
 */
export function pushFailure(
	id: string,
	{ reason, skipped }: Failed,
	bytes: number,
): { message: string; advice?: string } {
	const isTooLarge = reason instanceof ServiceFailure && reason.httpStatus === 413 && !skipped;
	const action = pushing(id);
	if (isTooLarge) action.subject += ` of ${count(bytes, 'byte')}`;
	const message = outcomeMessage(action, reason, { attempted: !skipped });
	return { message, ...(isTooLarge && { advice: SHORTEN }) };
}
