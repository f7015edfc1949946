import { InputError } from './input-error';

/**
 * Reads an ID exactly: a changed ID is the ID of another document.
 *
 * @param label what the ID is called in messages
 * @returns the text as it is, or the digits of a whole number
 * @throws InputError for an empty or blank text, for numbers that are not exact (NaN, Infinity,
 * fractions, and beyond 9,007,199,254,740,991, where they have lost digits) and for anything else
 */
export function documentId(value: unknown, label = 'Document ID'): string {
	if (typeof value === 'string' && value.trim() !== '') return value;
	if (typeof value === 'bigint' || Number.isSafeInteger(value)) return String(value);
	if (value === undefined || value === null || typeof value === 'string') {
		throw new InputError(`'${label}' is empty`, `Give '${label}' a text.`);
	}
	if (typeof value === 'number') throw inexact(value, `'${label}'`);
	const kind = Array.isArray(value) ? 'a list' : `of type ${typeof value}`;
	throw new InputError(`'${label}' is not a text but ${kind}`, `Give '${label}' a text.`);
}

/** A number that is not the ID somebody meant. */
export const inexact = (value: number, what: string): InputError =>
	new InputError(
		`${what} is the number ${value}, which is not an exact ID`,
		'Have the source deliver the ID as a text: fractions are rounded, and beyond 9,007,199,254,740,991 numbers lose digits.',
	);

/**
 * Whether Delete can address a document by its ID (docs/service-interface.md, Delete). `.` and
 * `..` name folders in a path, even encoded, and half of a character pair has no form in a URL. Such a
 * document can be pushed, but never deleted by its ID.
 */
export const isDeletable = (id: string): boolean =>
	id.trim() !== '' && id !== '.' && id !== '..' && !/\p{Surrogate}/u.test(id);
