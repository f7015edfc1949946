import type { Failure } from 'n8n-workflow';

import { causeOf } from '../../../nodes/shared/run/errors';
import { ServiceFailure, type FailureDetails } from '../../../nodes/shared/service/failure';
import { parseTokenResponse } from '../../../nodes/shared/service/tokens/token';

test.each<[FailureDetails, Failure | undefined]>([
	[{ kind: 'status', status: 429 }, { cause: 'rate-limited' }],
	[
		{ kind: 'status', status: 429, retryAfterMs: 7000 },
		{ cause: 'rate-limited', retryAfterMs: 7000 },
	],
	[
		{ kind: 'status', status: 503, retryAfterMs: 1 },
		{ cause: 'temporarily-unavailable', retryAfterMs: 1 },
	],
	[{ kind: 'status', status: 408 }, { cause: 'temporarily-unavailable' }],
	[{ kind: 'status', status: 401 }, { cause: 'credential-invalid' }],
	[{ kind: 'status', status: 307 }, { cause: 'configuration-invalid' }],
	[{ kind: 'status', status: 407 }, { cause: 'configuration-invalid' }],
	// These statuses have no single cause. A 403 can come from a firewall or a wrong key, and a 404 from a wrong URL
	// or an unknown ID. A 422 depends on the content of each document.
	[{ kind: 'status', status: 403 }, undefined],
	[{ kind: 'status', status: 404 }, undefined],
	[{ kind: 'status', status: 422 }, undefined],
	[{ kind: 'transport', code: 'ECONNREFUSED' }, { cause: 'temporarily-unavailable' }],
	[{ kind: 'transport', isTransient: false }, { cause: 'configuration-invalid' }],
	[{ kind: 'token', isTransient: true }, { cause: 'temporarily-unavailable' }],
	[{ kind: 'token', status: 429, isTransient: true }, { cause: 'rate-limited' }],
	[{ kind: 'token', isTransient: false }, { cause: 'configuration-invalid' }],
	[{ kind: 'response' }, undefined],
	[{ kind: 'rejected', status: 422 }, undefined],
])('of %j is %j', (details, expected) => {
	expect(causeOf(new ServiceFailure('It failed', details))).toEqual(expected);
});

test.each<[number, string, Failure]>([
	[401, 'invalid_client', { cause: 'credential-invalid' }],
	[400, 'invalid_scope', { cause: 'configuration-invalid' }],
	[404, 'not_found', { cause: 'configuration-invalid' }],
	[503, 'busy', { cause: 'temporarily-unavailable' }],
])('of a token server that answers %i %s is %j', (status, error, expected) => {
	const response = { status, body: { error } };
	const refusal = () => parseTokenResponse(response, 'a.scope', 'client', 0);
	expect(refusal).toThrow(ServiceFailure);
	try {
		refusal();
	} catch (failure) {
		expect(causeOf(failure as ServiceFailure)).toEqual(expected);
	}
});
