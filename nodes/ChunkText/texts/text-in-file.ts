import { fileFieldsOf, inputFile } from '../../shared/n8n/sources/files';
import type { Run } from '../../shared/n8n/run/run';
import { InputError } from '../../shared/service/input-error';
import { isEmpty } from '../../shared/service/json';
import { quoted } from '../../shared/service/wording';
import type { ChunkParameters } from '../parameters';

/**
 * Why an item has no text, if it has a file instead: the way out differs from that of a wrong expression.
 *
 * @returns undefined for an item that has a text or no file, or whose text is not one of its own
 */
export function textInFile(
	run: Run,
	parameters: ChunkParameters,
	itemIndex: number,
): InputError | undefined {
	const [field] = fileFieldsOf(run, itemIndex);
	if (field === undefined || parameters.choice('textSource') !== 'item') return undefined;
	if (!isEmpty(parameters.value('text', itemIndex))) return undefined;
	const { name } = inputFile(run, itemIndex, field, parameters.label('binaryPropertyName'));
	const shown = name === field ? '' : ` (${quoted(name).slice(1, -1)})`;
	return new InputError(
		`'Text' is empty. The item has the file ${quoted(field)}${shown}`,
		"To chunk the text of a file, put n8n's node 'Extract from File' with the operation 'Extract From Text File' before this one, and point 'Text' to its field. For a file with one record per text, choose 'File' in 'Texts From'.",
	);
}

/** What to do about a file of plain text that is read as records. */
export const CHUNK_AS_ONE_TEXT =
	"To chunk it as one text, read it with n8n's node 'Extract from File' (operation 'Extract From Text File'), choose 'One Text per Item', and point 'Text' to the field 'data'. The ID and the name may be the file name, such as {{ $('Read/Write Files from Disk').item.json.fileName }}.";
