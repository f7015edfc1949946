import type { Findings } from '../formats/findings';
import { RecentIds } from '../formats/recent-ids';
import { detach } from '../formats/record';
import type { EntryOrigin } from '../output/sink';

/** Maximum number of IDs to remember, so that memory does not grow with the length of a file. */
const MAX_IDS = 100_000;

const NUMBER_SIGN = '#'.charCodeAt(0);
const APOSTROPHE = "'".charCodeAt(0);
const EQUALS_SIGN = '='.charCodeAt(0);

/** Matches an error of a spreadsheet's formula, such as #REF!, #N/A or, in German, #NV and #BEZUG!. */
const SPREADSHEET_ERROR =
	/^#(?:[¡¿]?[\p{L}\d/_.]+[!?]|N\/A|N\/[ABDV]|N\/DISP|NV|N\.V\.|GETTING_DATA|#+)$/iu;

/** Matches the beginning of a formula such as =A1 or =TEXT(A1;"0"). */
const FORMULA = /^=[\p{L}$"]/u;

const NOT_ASCII = /[^\0-\x7f]/;

const SEPARATORS = /[,;|\t\n]\s*/;
const DIGITS = /^\d+(?: +\d+)+$/;

/**
 * Matches an ID such as 7.0, which a program may have made from the number 7. However, 7.0 can also be a version
 * number. Therefore, these IDs are reported only if all IDs in the file look like this.
 */
const DECIMAL = /^\d+\.0+$/;

/**
 * Looks for IDs that are probably not what the user wants, in all files or items of a run. They are sent nevertheless,
 * and become findings.
 */
export class IdChecks {
	/** The last IDs with letters beyond ASCII, by their composed form. */
	private readonly forms = new Map<string, string>();
	private readonly recent = new RecentIds();

	/** @param areDeleted whether the IDs are deleted. Then an ID may occur twice, but it should not be a list of IDs */
	constructor(private readonly areDeleted: boolean) {}

	check({ id, record }: EntryOrigin, findings: Findings): void {
		if (id === undefined) return;
		const line = record?.line ?? 0;
		if (isFromSpreadsheet(id)) findings.add('spreadsheetId', line, id);
		if (NOT_ASCII.test(id) && this.hasOtherForm(id)) findings.add('twoForms', line, id);
		if (this.areDeleted && isListOfIds(id)) findings.add('idList', line, id);
		if (!this.areDeleted && this.recent.addAndCheck(id)) findings.add('sameId', line, id);
		if (record && DECIMAL.test(id)) findings.add('decimalId', line, id);
		else findings.exclude('decimalId');
	}

	private hasOtherForm(id: string): boolean {
		const { forms } = this;
		const composed = id.normalize();
		const known = forms.get(composed);
		if (known === undefined && forms.size >= MAX_IDS) forms.clear();
		// A part of a file's text would keep the text in memory.
		forms.set(detach(composed), detach(id));
		return known !== undefined && known !== id;
	}
}

function isFromSpreadsheet(id: string): boolean {
	switch (id.charCodeAt(0)) {
		case NUMBER_SIGN:
			return SPREADSHEET_ERROR.test(id);
		case APOSTROPHE:
			return id.length > 1 && !id.endsWith("'");
		case EQUALS_SIGN:
			return FORMULA.test(id);
		default:
			return false;
	}
}

/** Returns true for IDs such as `P-1,P-2`, `["a","b"]` and `00003 00004`, but not for `Smith, John`. */
function isListOfIds(id: string): boolean {
	if (DIGITS.test(id.trim())) return true;
	const parts = id.split(SEPARATORS);
	return (
		parts.length > 1 &&
		parts.every((part) => part !== '' && !/\s/.test(part)) &&
		!/, [^\d]/.test(id)
	);
}
