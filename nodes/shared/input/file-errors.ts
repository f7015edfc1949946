import { FileError } from '../formats/bytes';
import { RecordError } from '../formats/record';
import { InputError, messageOf } from '../service/input-error';
import { quoted } from '../service/strings';
import { Canceled } from '../run/errors';

/** Returns the error for a file that is really an HTML page, such as a login page. */
export const htmlError = (name: string): InputError =>
	new InputError(
		`The file ${quoted(name)} is an HTML page, such as a login or an error page`,
		"Check the URL and the credential of the node that fetches the file. To use the text of a page, extract it with n8n's HTML node (operation 'Extract HTML Content') before this node.",
	);

/**
 * Adds the file name and advice to an error. The code that reads files knows neither the file name nor the
 * parameters.
 */
export function readError(name: string, error: unknown): unknown {
	if (error instanceof FileError) {
		return new InputError(`${quoted(name)}: ${error.message}`, error.advice);
	}
	if (error instanceof RecordError) {
		return new InputError(
			`${quoted(name)}: ${error.message}`,
			"Check the file, 'File Format' and 'Path to List'.",
		);
	}
	if (error instanceof InputError || error instanceof Canceled) return error;
	return new InputError(
		`n8n could not read the file ${quoted(name)}: ${messageOf(error)}`,
		'Check that the file still exists. n8n deletes files together with the execution that created them.',
	);
}

/**
 * Returns the names that occur more than once. A header may have tens of thousands of columns, so the search
 * uses sets.
 */
export function repeatedNames(all: readonly string[]): string[] {
	const seen = new Set(['']);
	const again = all.filter((name) => seen.size === seen.add(name).size && name !== '');
	return [...new Set(again)];
}

export const EMPTY_FILE_ADVICE = 'Check the node that outputs the file.';
