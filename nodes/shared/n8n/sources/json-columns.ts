import { inexactNumberIn } from '../../records/exact-numbers';
import { unpackVector } from '../../service/chunking/vector';
import { InputError, messageOf } from '../../service/input-error';
import { isNullOrBlankText } from '../../service/push/document-id';
import { quoted } from '../../service/outcome-messages';

/**
 * Parses the cells of a CSV row that contain JSON, and omits empty cells. A packed vector of Chunk Text stays
 * a string, because Push Documents sends it as numbers later.
 *
 * @param columns names of the columns that contain JSON
 * @throws InputError if a cell is not JSON, or contains a number that would lose digits
 */
export function withJsonCells(row: object, columns: readonly string[]): object {
	const record = { ...row } as Record<string, unknown>;
	for (const column of columns) {
		const cell = record[column];
		if (typeof cell !== 'string' || unpackVector(cell) !== undefined) continue;
		if (isNullOrBlankText(cell)) delete record[column];
		else record[column] = parseCell(cell, column);
	}
	return record;
}

function parseCell(cell: string, column: string): unknown {
	const number = inexactNumberIn(cell);
	if (number !== undefined)
		throw new InputError(
			`The column ${quoted(column)} has the number ${number}, which would lose digits`,
			KEEP_TEXT_ADVICE,
		);
	let parserMessage: string;
	try {
		return JSON.parse(cell);
	} catch (error) {
		parserMessage = messageOf(error);
	}
	throw new InputError(
		`The column ${quoted(column)} has a cell that is not JSON: ${parserMessage}`,
		KEEP_TEXT_ADVICE,
	);
}

const KEEP_TEXT_ADVICE =
	"Correct the cell, or remove the column from 'JSON Columns' to keep its text.";
