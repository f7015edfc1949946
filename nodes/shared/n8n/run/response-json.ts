import type { IDataObject } from 'n8n-workflow';

import { isEmpty } from '../../service/json';

/** The response of a service as a member of an output item; omitted if it has no body. */
export const responseJson = (body: unknown): IDataObject =>
	isEmpty(body) ? {} : { response: body as IDataObject[string] };
