import type { IDataObject } from 'n8n-workflow';

import type { Run } from '../run/run';
import { isRecord } from '../service/json';
import { FILES_IN_JSON, isFile } from './files';

const BYTE_ORDER_MARK = '\uFEFF';

/** Returns an item's fields without its files (see `dataFields`). */
export const fieldsOfItem = ({ items }: Run, itemIndex: number): IDataObject =>
	dataFields(items[itemIndex]?.json ?? {});

/**
 * Returns the fields in an item's JSON, except the files that n8n may keep there. The function also removes the byte
 * order mark that n8n's Extract from File node leaves in the first column's name.
 */
export function dataFields(json: IDataObject): IDataObject {
	const first = firstName(json);
	const isMarked = first.startsWith(BYTE_ORDER_MARK);
	const files = json[FILES_IN_JSON];
	const hasFiles = files !== undefined && isRecord(files) && Object.values(files).every(isFile);
	if (!isMarked && !hasFiles) return json;
	const { [first]: marked, ...others } = json;
	const fields: IDataObject = isMarked ? { [first.slice(1)]: marked, ...others } : { ...json };
	if (hasFiles) delete fields[FILES_IN_JSON];
	return fields;
}

/**
 * Returns the name of the first field. The function is called for nearly every item in a run, so it does not
 * list all names.
 */
function firstName(json: IDataObject): string {
	for (const name in json) return name;
	return '';
}
