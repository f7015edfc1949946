import { InputError } from '../input-error';
import { isDate, isoDate } from '../json';
import { isNullOrBlankText, quoted } from '../strings';

/**
 * Reads a document ID without changing it, because a changed ID would identify a different document. Only the protection
 * of a spreadsheet is removed (see `withoutProtection`).
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
	const id = withoutProtection(value);
	if (isNullOrBlankText(id)) throw new InputError(`${label} is empty`, advice);
	return exactId(id, () => label, advice);
}

/** Matches ="00123", and the same as a quoted cell that was not read as CSV. */
const PROTECTED = /^(?:="((?:[^"]|"")*)"|"=""((?:[^"]|"{4})*)""")$/;

/**
 * Removes what protects an ID from a spreadsheet. A spreadsheet would read 00123 as the number 123, so some programs
 * write the formula ="00123" instead. Any other value is returned unchanged.
 */
export function withoutProtection(value: unknown): unknown {
	if (typeof value !== 'string' || !(value.startsWith('="') || value.startsWith('"=')))
		return value;
	const [, text, quoted] = PROTECTED.exec(value) ?? [];
	return text?.replaceAll('""', '"') ?? quoted?.replaceAll('""""', '"') ?? value;
}

/** Matches a number that a spreadsheet program or R has shortened, such as 4.00638E+12 or 1e+05. */
const SHORTENED_NUMBER = /^\d([.,]\d+)?E\+\d{2}$/i;

/**
 * Reads an ID in the same way as `exactText`.
 *
 * @throws InputError if `exactText` rejects the value, if it is not valid Unicode, or if a spreadsheet program has shortened the number.
 *   Different numbers may look the same after they have been shortened.
 */
export function exactId(value: unknown, label: () => string, advice: string): string {
	const id = exactText(value, label, advice);
	// A document with such an ID could never be deleted, because the ID cannot be part of a URL.
	if (!id.isWellFormed())
		throw new InputError(
			`${label()} is not valid Unicode text`,
			'It contains a broken character, such as half an emoji. Repair it at its source.',
		);
	if (!SHORTENED_NUMBER.test(id)) return id;
	const problem = 'a spreadsheet has shortened the number';
	throw new InputError(
		`${label()} is ${id}: ${problem}`,
		'Format the column as text, or as a number without decimals, in the spreadsheet and export it again.',
		{ commonMessage: `${label()}: ${problem}` },
	);
}

/**
 * Returns a string unchanged, a whole number as its digits, and a date as an ISO string (see `isoDate`).
 *
 * @param label function that returns the value's name for messages. This function is called only if there is an error
 * @param advice what the user can do about any other value
 * @param documentId ID of the document that the value belongs to, for messages
 * @throws InputError for any other value, including NaN, Infinity and fractions. Numbers beyond 9,007,199,254,740,991
 *   are also rejected, because they may have lost digits
 */
export function exactText(
	value: unknown,
	label: () => string,
	advice: string,
	documentId?: string,
): string {
	if (typeof value === 'string') return value;
	if (typeof value === 'bigint' || Number.isSafeInteger(value)) return String(value);
	const date = isoDate(value);
	if (date !== undefined) return date;
	const subject = `${label()}${documentId === undefined ? '' : ` of document ${quoted(documentId)}`}`;
	if (Number.isInteger(value)) {
		const problem = 'a number too large to be exact';
		throw new InputError(`${subject} is ${String(value)}, ${problem}`, EXACT_ADVICE, {
			commonMessage: `${label()} is ${problem}`,
		});
	}
	const kind = Array.isArray(value)
		? 'a list'
		: isDate(value)
			? 'an invalid date'
			: typeof value === 'object'
				? 'an object'
				: value;
	const rule = 'must be text or a whole number';
	throw new InputError(
		`${subject} ${rule}, but it is ${String(kind)}`,
		typeof value === 'number' ? EXACT_ADVICE : advice,
		{ commonMessage: `${label()} ${rule}` },
	);
}

const EXACT_ADVICE = 'Make the source return it as text.';
