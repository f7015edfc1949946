import type { Failure } from 'n8n-workflow';

import { isTransientStatus, type ServiceFailure } from './failure';

/**
 * Returns the cause of a failure, in n8n's terms. An error workflow or an agent can use it to decide what to do.
 *
 * @returns undefined if there are several possible causes. For example, status 403 may mean that a firewall rejected
 *   one document, or that the key belongs to another data source.
 */
export function causeOf(failure: ServiceFailure): Failure | undefined {
	const { kind, httpStatus = 0, isTransient, actionableCause } = failure;
	if (actionableCause !== undefined) return { cause: actionableCause };
	switch (kind) {
		case 'status':
			return causeOfStatus(httpStatus, failure);
		case 'token':
			return isTransient
				? (causeOfStatus(httpStatus, failure) ?? { cause: 'temporarily-unavailable' })
				: { cause: 'configuration-invalid' };
		case 'transport':
			return { cause: isTransient ? 'temporarily-unavailable' : 'configuration-invalid' };
		default:
			return undefined;
	}
}

function causeOfStatus(status: number, { retryAfterMs }: ServiceFailure): Failure | undefined {
	const wait = retryAfterMs === undefined ? {} : { retryAfterMs };
	if (status === 429) return { cause: 'rate-limited', ...wait };
	if (isTransientStatus(status)) return { cause: 'temporarily-unavailable', ...wait };
	if (status === 401) return { cause: 'credential-invalid' };
	const isRedirect = status >= 300 && status < 400;
	return isRedirect || status === 407 ? { cause: 'configuration-invalid' } : undefined;
}
