import { FileError } from '../../records/bytes';
import { RecordError } from '../../records/record';
import { InputError, messageOf } from '../../service/input-error';
import { listOf } from '../../service/numbers';
import { quoted } from '../../service/outcome-messages';
import { Canceled } from '../run/errors';

/** Refuses a file that a proxy or a login returned instead. */
export const htmlError = (name: string): InputError =>
	new InputError(
		`The file ${quoted(name)} is an HTML page, such as a login or an error page`,
		"Check the node that fetches the file: its URL and its credential. To use the text of a page, extract it with n8n's HTML node (operation 'Extract HTML Content') before this node.",
	);

/** Why a file is refused, whatever failed: what reads it knows neither its name nor the parameters. */
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
		'Check that the file still exists: n8n deletes files together with the execution that created them.',
	);
}

/** The first names of a list, for a message. */
export const quotedList = (names: readonly string[]): string => listOf(names.map(quoted));

/** The names that occur several times; a header may have tens of thousands. */
export function repeatedNames(all: readonly string[]): string[] {
	const seen = new Set(['']);
	const again = all.filter((name) => seen.size === seen.add(name).size && name !== '');
	return [...new Set(again)];
}

export const EMPTY_FILE_ADVICE = 'Check the node that outputs the file.';
