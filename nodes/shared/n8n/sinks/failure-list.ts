import type { IDataObject } from 'n8n-workflow';

import { ServiceFailure } from '../../service/failure';

/** Maximum of failures listed in the output; the others are only counted. */
const MAX_FAILURES_LISTED = 100;

/** A failure as the output lists it. */
export interface ListedFailure {
	/** Where it is in its file. */
	record?: number;
	line?: number | undefined;
	id?: string | undefined;
	reason: unknown;
	/** In words. */
	message: string;
}

/** The first failures of a file or of an input item, for the output. */
export class FailureList {
	/** `{ record?, line?, id?, error, httpStatus? }` of each. */
	readonly list: IDataObject[] = [];

	add({ record, line, id, reason, message }: ListedFailure): void {
		if (this.list.length === MAX_FAILURES_LISTED) return;
		const status = reason instanceof ServiceFailure ? reason.httpStatus : undefined;
		this.list.push({
			...(record !== undefined && { record }),
			...(line !== undefined && { line }),
			...(id !== undefined && { id }),
			error: message,
			...(status !== undefined && { httpStatus: status }),
		});
	}
}
