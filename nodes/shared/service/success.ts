import { ServiceFailure } from './failure';
import type { Service } from './services';

/** Where a page says that it is one: comments may come first. */
const PAGE_START = /^(?:\s|<!--[^]*?-->|<\?xml[^>]*>)*<(?:!doctype\s+html|html|head|body)[\s>]/i;
const MAX_START_CHARACTERS = 2_000;

/** Whether a body is an HTML page, in which comments may come first. */
const isPage = (body: unknown): boolean =>
	typeof body === 'string' && PAGE_START.test(body.slice(0, MAX_START_CHARACTERS));

/**
 * A 2xx response that is an HTML page: it comes from something else than the service, such as a proxy
 * or a login page, so nobody knows what became of the request (docs/service-interface.md, Failures).
 *
 * @returns undefined for any other body
 */
export function pageFailure(
	body: unknown,
	{ name, urlLabel }: Pick<Service, 'name' | 'urlLabel'>,
): ServiceFailure | undefined {
	if (!isPage(body)) return undefined;
	return new ServiceFailure(`The ${name.replace('the ', '')} answered with an HTML page`, {
		kind: 'response',
		description: `Check '${urlLabel}' in the credential: a proxy or a login page may have answered instead of the service.`,
	});
}
