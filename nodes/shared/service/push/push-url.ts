import { InputError } from '../input-error';
import { parseBaseUrl, PATHS, pathSegment } from '../url';

/** The path of a complete push URL; its last part may be missing. */
const PUSH_PATH = new RegExp(`${PATHS.push}(?:/([^/]+))?$`);

/**
 * The URL of a data source, to which documents are pushed (docs/service-interface.md, Push). A credential has
 * it as a whole, or what comes before `/api/v1/push` and the identifier of the endpoint.
 *
 * @param fields the credential's `pushUrl` and `endpoint`
 * @throws InputError for an unusable URL or identifier, and unless exactly one endpoint is named
 */
export function pushUrl(fields: Readonly<Record<string, unknown>>): string {
	const url = parseBaseUrl(fields.pushUrl, 'Push Service URL');
	const [path = '', named = ''] = PUSH_PATH.exec(url) ?? [];
	const entered = typeof fields.endpoint === 'string' ? fields.endpoint.trim() : '';
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
			`'Push Service URL' names the endpoint '${named}', but 'Endpoint Identifier' is '${entered}'`,
			`Leave 'Endpoint Identifier' empty, or remove ${PATHS.push} and everything after it from the URL.`,
		);
	}
	return `${url.slice(0, url.length - path.length)}${PATHS.push}/${segment}`;
}

/**
 * Path of a delete below the push URL (docs/service-interface.md, Delete), the ID as one segment.
 *
 * @param id ID of the document, raw
 * @throws InputError for one that is empty, `.` or `..`, or no valid Unicode
 */
export const deletePath = (id: string): string => `/${pathSegment(id, 'Document ID')}`;
