import { cp, mkdir, realpath, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { ROOT } from '../shared/paths';

export const SAMPLE_FILES: Readonly<Record<string, string>> = {
	'gift-cards.txt':
		'Gift cards are valid for three years.\n\nA lost card is replaced if you have its number.\n',
	'opening-hours.txt':
		'The shop is open from nine to six.\n\nOn Sundays it is closed.\n\nIn December it stays open until eight.\n',
	'PARKING.TXT': 'Park behind the house.\n',
	'repairs.md':
		'Bring the receipt with you.\n\nMost repairs take a week; spare parts may have to be ordered.\n',
};

/**
 * Creates the folder that n8n may read, and stores the sample files there.
 * @param folder n8n's user folder. n8n does not allow workflows to read its `.n8n` subfolder
 * @returns the path with symbolic links resolved, because n8n compares resolved paths
 */
export async function createSampleFiles(folder: string): Promise<string> {
	const files = path.join(folder, 'files');
	await mkdir(files, { recursive: true });
	for (const [name, text] of Object.entries(SAMPLE_FILES)) {
		await writeFile(path.join(files, name), text);
	}
	await cp(path.join(ROOT, 'test/files'), path.join(files, 'real'), { recursive: true });
	return await realpath(files);
}
