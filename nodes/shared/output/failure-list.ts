import type { IDataObject } from 'n8n-workflow';

import { ServiceFailure } from '../service/failure';
import { adviceOf } from '../run/errors';
import type { Failure } from '../run/results';
import { commonMessageOf, messageOf } from '../service/input-error';

const MAX_FAILURES = 100;
/**
 * Maximum number of reasons to count separately. A limit is needed because a service might word every error
 * differently.
 */
const MAX_REASONS = 100;

type FailureInFile = Failure & { record?: number; line?: number | undefined };

export class FailureList {
	total = 0;
	/** The first failures: `{ record?, line?, id?, error, advice?, httpStatus? }`. */
	readonly list: IDataObject[] = [];
	private readonly reasons = new Map<string, number>();

	addFailure(failure: FailureInFile): void {
		this.total++;
		const reason = commonMessageOf(failure.reason);
		const isKnown = this.reasons.has(reason) || this.reasons.size < MAX_REASONS;
		const key = isKnown ? reason : 'Other errors';
		this.reasons.set(key, (this.reasons.get(key) ?? 0) + 1);
		if (this.list.length < MAX_FAILURES) this.list.push(entryOf(failure));
	}

	/**
	 * Returns two summary fields. One lists the failures. The other counts the failures for each reason, with
	 * the most frequent reason first.
	 */
	json() {
		const failureCounts = [...this.reasons]
			.map(([error, records]) => ({ error, records }))
			.sort((one, other) => other.records - one.records);
		return { failures: this.list, failureCounts };
	}
}

function entryOf({ record, line, id, reason, message, advice }: FailureInFile): IDataObject {
	const toDo = adviceOf(reason, advice);
	const status = reason instanceof ServiceFailure ? reason.httpStatus : undefined;
	return {
		...(record !== undefined && { record }),
		...(line !== undefined && { line }),
		...(id !== undefined && { id }),
		error: message ?? messageOf(reason),
		...(toDo !== '' && { advice: toDo }),
		...(status !== undefined && { httpStatus: status }),
	};
}
