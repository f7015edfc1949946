import { isObject, isNullOrEmptyText } from '../service/json';
import { afterComments } from '../service/page';

/** Error messages and pointers are short, so longer texts are not checked. */
const MAX_CHARACTERS = 10_000;

const LFS_POINTER = /^version https:\/\/git-lfs\.github\.com\/spec\//;
const XML_ERROR = /<(?:\w+:)?(?:error|errors|errorresponse|fault|exception)[\s>]/iy;

const ERROR_NAMES = ['error', 'errors', 'errorMessage', 'error_description', 'fault'];
const MESSAGE_NAMES = ['message', 'title', 'detail', 'msg', 'reason'];
const STATUS_NAMES = ['status', 'statusCode', 'code', 'documentation_url', 'requestId'];

/**
 * Describes a text that probably took the place of the text that the user wanted, such as the error message of a server.
 * The description completes a sentence that begins with the name of the file. Returns undefined for any other text.
 */
export function describeWrongText(text: string): { what: string; advice: string } | undefined {
	if (text.length > MAX_CHARACTERS) return undefined;
	if (LFS_POINTER.test(text))
		return {
			what: 'is a Git LFS pointer, not the file that it points to',
			advice: 'Fetch the file itself, for example with git lfs pull, or from the download URL.',
		};
	if (!isErrorMessage(text)) return undefined;
	return {
		what: 'looks like an error message of a server',
		advice: 'Check the URL and the credential of the node that fetches the file.',
	};
}

function isErrorMessage(text: string): boolean {
	XML_ERROR.lastIndex = afterComments(text);
	if (XML_ERROR.test(text)) return true;
	if (!text.trimStart().startsWith('{')) return false;
	const body = parse(text);
	if (!isObject(body)) return false;
	const has = (name: string) => !isNullOrEmptyText(body[name]);
	return ERROR_NAMES.some(has) || (MESSAGE_NAMES.some(has) && STATUS_NAMES.some(has));
}

function parse(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}
