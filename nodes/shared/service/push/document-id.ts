import { InputError } from '../input-error';

/**
 * Reads a document ID without changing it, because a changed ID would identify a different document.
 *
 * @param label the value's name in messages
 * @param advice what the user can do if the ID is empty or is not text
 * @throws InputError if the ID is empty or blank, or if `exactId` rejects it
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
 * Returns true if a value is undefined, null or a blank string. Such a value cannot be an ID, because the
 * service might treat all blank IDs as the same ID.
 */
export const isNullOrBlankText = (value: unknown): boolean =>
	value === undefined || value === null || (typeof value === 'string' && value.trim() === '');

/** Matches a number that a spreadsheet program or R has shortened, such as 4.00638E+12 or 1e+05. */
const SHORTENED_NUMBER = /^\d([.,]\d+)?E\+\d{2}$/i;

/**
 * Reads an ID in the same way as `exactText`.
 *
 * @throws InputError if `exactText` rejects the value, or if a spreadsheet program has shortened the number.
 *   Different numbers may look the same after they have been shortened.
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
 * Returns a string unchanged, a whole number as its digits, and a date as an ISO string.
 *
 * @param label function that returns the value's name for messages. This function is called only if there is an error
 * @param advice what the user can do about any other value
 * @throws InputError for any other value, including NaN, Infinity and fractions. Numbers beyond 9,007,199,254,740,991
 *   are also rejected, because they may have lost digits
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

/** Returns true for every Date, including a Date from another JavaScript realm. */
const isDate = (value: unknown): value is Date =>
	Object.prototype.toString.call(value) === '[object Date]';

const EXACT_ADVICE = 'Make the source return it as text.';
