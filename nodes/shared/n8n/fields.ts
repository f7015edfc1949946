import type { IDataObject } from 'n8n-workflow';

/** A field of an item by its name, or by a dotted path where no field has the whole name. */
export function fieldOf(json: IDataObject, path: string): unknown {
	if (Object.hasOwn(json, path)) return json[path];
	return path
		.split('.')
		.reduce<unknown>(
			(value, key) =>
				typeof value === 'object' && value !== null && Object.hasOwn(value, key)
					? (value as IDataObject)[key]
					: undefined,
			json,
		);
}

/** The response of a service as a member of an output item; omitted if it has no body. */
export function responseJson(body: unknown): IDataObject {
	return body === undefined || body === null || body === ''
		? {}
		: { response: body as IDataObject[string] };
}
