import type { IDataObject } from 'n8n-workflow';

export { fieldOf } from '../../records/fields';

/** The response of a service as a member of an output item; omitted if it has no body. */
export function responseJson(body: unknown): IDataObject {
	return body === undefined || body === null || body === ''
		? {}
		: { response: body as IDataObject[string] };
}
