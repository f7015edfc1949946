import { InputError } from '../input-error';

/**
 * Reads an ID exactly: a changed ID is the ID of another document.
 *
 * @param label what the ID is called in messages
 * @param advice what to do about one that is empty or not a text
 * @returns the text as it is, or the digits of a whole number
 * @throws InputError for an empty or blank text, for numbers that are not exact (NaN, Infinity,
 * fractions, and beyond 9,007,199,254,740,991, where they have lost digits) and for anything else
 */
export function documentId(
	value: unknown,
	label = 'Document ID',
	advice = `Point '${label}' to a field that contains text.`,
): string {
	if (typeof value === 'string' && value.trim() !== '') return value;
	if (typeof value === 'bigint' || Number.isSafeInteger(value)) return String(value);
	if (value === undefined || value === null || typeof value === 'string') {
		throw new InputError(`'${label}' is empty`, advice);
	}
	if (Number.isInteger(value)) {
		throw new InputError(
			`'${label}' is ${String(value)}, a number too large to be exact`,
			EXACT_ADVICE,
		);
	}
	const shown = Array.isArray(value) ? 'a list' : typeof value === 'object' ? 'an object' : value;
	throw new InputError(
		`'${label}' must be text or a whole number, but it is ${String(shown)}`,
		typeof value === 'number' ? EXACT_ADVICE : advice,
	);
}

const EXACT_ADVICE =
	'Have the source return it as text: fractions are rounded, and beyond 9,007,199,254,740,991 numbers lose digits.';

/** A number that may have lost digits, so that it would be another ID or name. */
export const inexact = (value: number, what: string): InputError =>
	new InputError(
		`${what} is the number ${value}, which is not an exact whole number`,
		EXACT_ADVICE,
	);

/**
 * Whether Delete can address a document by its ID (docs/service-interface.md, Delete). `.` and
 * `..` name folders in a path, even encoded, and half of a character pair has no form in a URL. Such a
 * document can be pushed, but never deleted by its ID.
 */
export const isDeletable = (id: string): boolean =>
	id.trim() !== '' && id !== '.' && id !== '..' && id.isWellFormed();
