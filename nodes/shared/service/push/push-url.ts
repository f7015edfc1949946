import { InputError } from '../input-error';
import { trimmed } from '../strings';
import { parseBaseUrl, PATHS, pathSegment } from '../url';

/** The endpoint at the end of the path may be missing. */
const PUSH_PATH = new RegExp(`${PATHS.push}(?:/([^/]+))?$`);

/**
 * Returns the URL to which documents for a data source are pushed (docs/service-interface.md, Push). A
 * credential contains either the complete URL or two separate values: the part before `/api/v1/push`, and the
 * endpoint identifier.
 *
 * @param fields the credential's `pushUrl` and `endpoint`
 * @throws InputError if the URL or the identifier cannot be used, if there is no endpoint, or if the two
 *   fields contain different endpoints
 */
export function pushUrl(fields: Readonly<Record<string, unknown>>): string {
	const url = parseBaseUrl(fields.pushUrl, 'Push Service URL');
	const [path = '', named = ''] = PUSH_PATH.exec(url) ?? [];
	const entered = typeof fields.endpoint === 'string' ? trimmed(fields.endpoint) : '';
	if (entered === '') {
		if (named !== '') return url;
		throw new InputError(
			"'Endpoint Identifier' is empty",
			`Paste the complete push URL, which ends with ${PATHS.push} and the endpoint, as 'Push Service URL'. Or enter its last part as 'Endpoint Identifier'.`,
		);
	}
	const segment = pathSegment(entered, 'Endpoint Identifier');
	if (named !== '' && named !== entered && named !== segment) {
		throw new InputError(
			`'Push Service URL' contains the endpoint '${named}', but 'Endpoint Identifier' is '${entered}'`,
			`Leave 'Endpoint Identifier' empty, or remove ${PATHS.push} and everything after it from the URL.`,
		);
	}
	return `${url.slice(0, url.length - path.length)}${PATHS.push}/${segment}`;
}

/**
 * Returns the path for deleting a document, relative to the push URL (docs/service-interface.md, Delete).
 * The ID is encoded as one path segment.
 *
 * @param id the document's unencoded ID
 * @throws InputError if the ID is empty, `.`, `..` or not valid Unicode
 */
export const deletePath = (id: string): string => `/${pathSegment(id, 'Document ID')}`;
