import { InputError } from '../input-error';

/**
 * Reads a document ID without changing it, because a changed ID would name another document.
 *
 * @param label name of the value in messages
 * @param advice what to do about an ID that is empty or is not text
 * @throws InputError if the ID is empty or blank, and where `exactId` throws
 */
export function documentId(
	value: unknown,
	label = "'Document ID'",
	advice = `Drag a field with the ID into ${label}, or enter an ID.`,
): string {
	if (isNullOrBlankText(value)) throw new InputError(`${label} is empty`, advice);
	return exactId(value, () => label, advice);
}

/**
 * Tells whether a value is undefined, null or blank text. Such a value cannot be an ID, because the
 * service might treat all blank IDs as the same ID.
 */
export const isNullOrBlankText = (value: unknown): boolean =>
	value === undefined || value === null || (typeof value === 'string' && value.trim() === '');

/** Matches a number that a spreadsheet or R has shortened, such as 4.00638E+12 or 1e+05. */
const SHORTENED_NUMBER = /^\d([.,]\d+)?E\+\d{2}$/i;

/**
 * Reads an ID like `exactText`.
 *
 * @throws InputError where `exactText` throws, and for a number that a spreadsheet has shortened, because
 *   many rows may then have the same ID
 */
export function exactId(value: unknown, label: () => string, advice: string): string {
	const id = exactText(value, label, advice);
	if (!SHORTENED_NUMBER.test(id)) return id;
	throw new InputError(
		`${label()} is ${id}: a spreadsheet has shortened the number`,
		'Format the column as text, or as a number without decimals, in the spreadsheet and export it again.',
	);
}

/**
 * Returns a text as it is, a whole number as its digits, and a date as ISO text.
 *
 * @param label returns the name of the value in messages; called only for an error
 * @param advice what to do about any other value
 * @throws InputError for any other value, including numbers that are not exact: NaN, Infinity, fractions,
 *   and numbers beyond 9,007,199,254,740,991, which have lost digits
 */
export function exactText(value: unknown, label: () => string, advice: string): string {
	if (typeof value === 'string') return value;
	if (typeof value === 'bigint' || Number.isSafeInteger(value)) return String(value);
	if (isDate(value) && Number.isFinite(value.getTime())) return value.toISOString();
	if (Number.isInteger(value)) {
		throw new InputError(
			`${label()} is ${String(value)}, a number too large to be exact`,
			EXACT_ADVICE,
		);
	}
	const kind = Array.isArray(value) ? 'a list' : typeof value === 'object' ? 'an object' : value;
	throw new InputError(
		`${label()} must be text or a whole number, but it is ${String(kind)}`,
		typeof value === 'number' ? EXACT_ADVICE : advice,
	);
}

/** Tells whether a value is a Date, even from another JavaScript realm. */
const isDate = (value: unknown): value is Date =>
	Object.prototype.toString.call(value) === '[object Date]';

const EXACT_ADVICE = 'Make the source return it as text.';
