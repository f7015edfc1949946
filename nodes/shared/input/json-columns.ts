import { inexactNumberIn } from '../formats/exact-numbers';
import { nameIn } from '../formats/fields';
import { jsonProblem } from '../formats/json-problem';
import { unpackVector } from '../service/chunking/vector';
import { InputError } from '../service/input-error';
import { isNullOrBlankText, quoted } from '../service/strings';

/**
 * Parses the JSON cells in a CSV row and omits empty ones. A packed vector from Chunk Text stays a string. Push
 * Documents converts it to numbers when it sends the document.
 *
 * @throws InputError if a cell is not JSON or contains a number that would lose digits
 */
export function withJsonCells(row: object, columns: readonly string[]): object {
	const record = { ...row } as Record<string, unknown>;
	for (const name of columns) {
		const column = nameIn(row, name) ?? name;
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
			{ commonMessage: `The column ${quoted(column)} has a number that would lose digits` },
		);
	let parserMessage: string;
	try {
		return JSON.parse(cell);
	} catch (error) {
		parserMessage = jsonProblem(error);
	}
	const problem = `The column ${quoted(column)} has a cell that is not JSON`;
	throw new InputError(`${problem}: ${parserMessage}`, KEEP_TEXT_ADVICE, {
		commonMessage: problem,
	});
}

const KEEP_TEXT_ADVICE =
	"Correct the cell, or remove the column from 'JSON Columns' to keep its text.";
