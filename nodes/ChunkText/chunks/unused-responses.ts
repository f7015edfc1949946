import type { IDataObject } from 'n8n-workflow';

import type { Session } from '../../shared/n8n/session/session';
import type { FailedRequest, TextRef } from '../texts/text';
import { maskedResponse } from './masked-response';

/** Responses that nobody could use. Each is returned, with one of its texts, since it may come only once. */
export class UnusedResponses {
	/** Of earlier tries of the node. */
	private readonly returned = new Set<FailedRequest>();

	/** @param breathe called between small steps */
	constructor(private readonly breathe: () => Promise<void> | undefined) {}

	/**
	 * @param response that of the text's own request, if it is to be returned with this text
	 * @param session of that request
	 * @returns members for the item of the text: `response`, and if there are several, all as `responses`
	 */
	async of(
		{ failedBefore = [] }: TextRef,
		response?: unknown,
		session?: Session,
	): Promise<IDataObject> {
		const all: IDataObject[] = [];
		if (response !== undefined && session)
			all.push(await maskedResponse(session, response, this.breathe));
		for (const request of failedBefore) {
			if (request.response === undefined || this.returned.has(request)) continue;
			this.returned.add(request);
			all.push(await maskedResponse(request.session, request.response, this.breathe));
		}
		const [first] = all;
		return {
			...(first !== undefined && { response: first }),
			...(all.length > 1 && { responses: all }),
		};
	}
}
