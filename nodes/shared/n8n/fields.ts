import type { IDataObject } from 'n8n-workflow';

export { fieldOf } from '../records/fields';

/** The reply of a service as a member of an output item; none where the service said nothing. */
export function replyJson(body: unknown): IDataObject {
	return body === undefined || body === null || body === ''
		? {}
		: { reply: body as IDataObject[string] };
}
