import { InputError } from '../input-error';

/**
 * Reads an ID exactly: a changed ID is the ID of another document.
 *
 * @param label what the value is called in messages
 * @param advice what to do about one that is empty or not a text
 * @throws InputError for what is empty or blank, and as `exactId`
 */
export function documentId(
	value: unknown,
	label = "'Document ID'",
	advice = `Drag a field with the ID into ${label}, or enter an ID.`,
): string {
	if (isNullOrBlankText(value)) throw new InputError(`${label} is empty`, advice);
	return exactId(value, () => label, advice);
}

/** Whether there is nothing that could be an ID. The service might treat all blank IDs as the same ID. */
export const isNullOrBlankText = (value: unknown): boolean =>
	value === undefined || value === null || (typeof value === 'string' && value.trim() === '');

/** A number as spreadsheets and R write long ones, such as 4.00638E+12 or 1e+05. */
const SHORTENED_NUMBER = /^\d([.,]\d+)?E\+\d{2}$/i;

/**
 * An ID as `exactText` reads it.
 *
 * @throws InputError also for a number that a spreadsheet has shortened, so that many rows have the same
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
 * The text as it is, the digits of a whole number, or a date as ISO text.
 *
 * @param label what the value is called in messages; asked only then
 * @param advice what to do about one that is none of these
 * @throws InputError for anything else, also for numbers that are not exact: NaN, Infinity, fractions, and
 *   beyond 9,007,199,254,740,991, where they have lost digits
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

/** Whether a value is a date, of whatever realm. */
const isDate = (value: unknown): value is Date =>
	Object.prototype.toString.call(value) === '[object Date]';

const EXACT_ADVICE = 'Make the source return it as text.';
