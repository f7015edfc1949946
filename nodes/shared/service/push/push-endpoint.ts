import { parseBaseUrl } from '../url';
import { InputError } from '../input-error';

/** One push endpoint data source. */
interface PushEndpoint {
	/** Everything before `/api/v1/push`. */
	baseUrl: string;
	/** Identifier of the data source, decoded. */
	endpoint: string;
}

/** The path of a complete push URL; its last part may be missing. */
const PUSH_PATH = /\/api\/v1\/push(?:\/([^/]+))?$/;

/**
 * Reads the URL and the endpoint of a push credential (docs/service-interface.md, Push). The URL may be
 * the complete push URL, which names the endpoint as well.
 *
 * @param fields the credential's `pushUrl` and `endpoint`
 * @throws InputError for an unusable URL, and unless exactly one endpoint is named
 */
export function parsePushEndpoint({
	pushUrl,
	endpoint,
}: {
	pushUrl?: unknown;
	endpoint?: unknown;
}): PushEndpoint {
	const url = parseBaseUrl(pushUrl, 'Push Service URL');
	const path = PUSH_PATH.exec(url);
	const named = path?.[1] === undefined ? '' : decoded(path[1]);
	const entered = typeof endpoint === 'string' ? endpoint.trim() : '';
	if (named === '' && entered === '') {
		throw new InputError(
			"'Endpoint Identifier' is empty",
			"Enter the last part of the push URL, or the complete push URL as 'Push Service URL'.",
		);
	}
	if (named !== '' && entered !== '' && named !== entered) {
		throw new InputError(
			`'Push Service URL' names the endpoint '${named}', but 'Endpoint Identifier' is '${entered}'`,
			"Leave 'Endpoint Identifier' empty, or remove /api/v1/push and everything after it from the URL.",
		);
	}
	return {
		baseUrl: path === null ? url : url.slice(0, path.index),
		endpoint: entered || named,
	};
}

/** A part of a path as it was before it was encoded; unchanged if it was not encoded properly. */
function decoded(segment: string): string {
	try {
		return decodeURIComponent(segment);
	} catch {
		return segment;
	}
}
