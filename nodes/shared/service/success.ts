import { serverMessage, ServiceFailure } from './failure';

/** Members of a response that say whether the request as a whole was a success. */
const SUCCESS_KEYS = ['success', 'ok', 'acknowledged'];

/** Where a page says that it is one: comments may come first. */
const PAGE_START = /^(?:\s|<!--[^]*?-->|<\?xml[^>]*>)*<(?:!doctype\s+html|html|head|body)[\s>]/i;
const MAX_START_CHARACTERS = 2_000;

/** Whether a value is false, perhaps as text. */
export const isFalse = (value: unknown): boolean =>
	value === false || (typeof value === 'string' && value.trim().toLowerCase() === 'false');

/** Whether what a response says about the request as a whole is that it was no success. */
export const deniesSuccess = (members: Readonly<Record<string, unknown>>): boolean =>
	SUCCESS_KEYS.some((key) => isFalse(members[key]));

/**
 * A 2xx response that is an HTML page: it comes from something else than the service, such as a proxy
 * or a login page, so nobody knows what became of the request (docs/service-interface.md, Failures).
 *
 * @param service e.g. `push`
 * @returns undefined for any other body
 */
export function pageFailure(body: unknown, service: 'push' | 'blob'): ServiceFailure | undefined {
	if (typeof body !== 'string' || !PAGE_START.test(body.slice(0, MAX_START_CHARACTERS))) return;
	return new ServiceFailure(`The ${service} service answered with an HTML page`, {
		kind: 'response',
		description:
			'Check the URL in the credential: a proxy or a login page may have answered instead of the service.',
	});
}

/**
 * A 2xx response that does not mean success: an HTML page, or one that says so
 * (docs/service-interface.md, Failures). The outcome of its request is unknown.
 *
 * @param service e.g. `push`
 * @returns undefined for any other body
 */
export function unsuccessful(body: unknown, service: 'push' | 'blob'): ServiceFailure | undefined {
	const isDenied =
		typeof body === 'object' && body !== null && deniesSuccess(body as Record<string, unknown>);
	if (!isDenied) return pageFailure(body, service);
	const words = serverMessage(body);
	const said = words === '' ? '' : `, "${words}"`;
	return new ServiceFailure(`The ${service} service reported no success${said}`, {
		kind: 'response',
		description: 'See what the service says before you run the node again.',
	});
}
