import { InputError } from './input-error';
import { trimmed } from './strings';

/** Paths that are appended to the services' URLs (docs/service-interface.md, Servers and URLs). */
export const PATHS = {
	token: (server: string) => `/oauth2/${server}/v1/token`,
	chunking: '/ai/async-chunking',
	push: '/api/v1/push',
	blobs: '/blobs',
	convert: '/blobs/convert',
};

/**
 * Validates and normalizes a service's URL.
 *
 * @param value what the user entered, e.g. `https://search.example.com/site/`
 * @param label the field's display name, which is used in the error message
 * @returns the URL without trailing slashes
 * @throws InputError if the value is not an http or https URL, or if it contains a login, query or fragment
 */
export function parseBaseUrl(value: unknown, label: string): string {
	const text = typeof value === 'string' ? trimmed(value) : '';
	const advice = 'Enter a URL such as https://search.example.com in the credential.';
	if (text === '') throw new InputError(`'${label}' is empty`, advice);

	if (!/^https?:/i.test(text)) {
		throw new InputError(`'${label}' must start with https:// or http://`, advice);
	}
	if (!URL.canParse(text)) throw new InputError(`'${label}' is not a valid URL`, advice);
	const url = new URL(text);
	if (url.username !== '' || url.password !== '') {
		throw new InputError(
			`'${label}' must not contain a user name or password`,
			'Remove the part before the @ and use the fields of the credential instead.',
		);
	}
	if (text.includes('?') || text.includes('#')) {
		throw new InputError(
			`'${label}' must not have a query or fragment`,
			'Remove the ? or # and everything after it.',
		);
	}
	return url.href.replace(/\/+$/, '');
}

/**
 * Encodes a value as exactly one path segment, so that an ID cannot lead to a different route
 * (docs/service-interface.md, Servers and URLs).
 *
 * @param value the unencoded value, e.g. a document ID
 * @param label the value's name, which is used in the error message, e.g. `Document ID`
 * @throws InputError if the value is empty, is not valid Unicode, or is `.` or `..`. Clients and servers
 *   resolve `.` and `..` even if they are encoded.
 */
export function pathSegment(value: unknown, label: string): string {
	if (typeof value !== 'string' || value === '') {
		throw new InputError(`'${label}' is empty`, `Enter a value for '${label}'.`);
	}
	if (value === '.' || value === '..') {
		throw new InputError(
			`'${label}' must not be "${value}"`,
			'Choose another value. In a URL, . and .. stand for folders, so the request would go elsewhere.',
		);
	}
	if (!value.isWellFormed()) {
		throw new InputError(
			`'${label}' is not valid Unicode text`,
			'It contains a broken character, such as half an emoji. Repair it at its source.',
		);
	}
	return encodeURIComponent(value);
}
