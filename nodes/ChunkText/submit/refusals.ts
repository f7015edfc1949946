import type { Verdict } from '../../shared/flow/deliver';
import type { Session } from '../../shared/n8n/session/session';
import { ServiceFailure } from '../../shared/service/failure';
import type { Chunking } from './chunking';

/** Whether a failure is that of a token, which requests with another token do not share. */
const isOfToken = (error: unknown): error is ServiceFailure =>
	error instanceof ServiceFailure &&
	((error.kind === 'token' && !error.transient) ||
		error.httpStatus === 401 ||
		error.httpStatus === 403);

/** A failure of a submission that all further requests with its token would meet: none is sent. */
export function noteRefusal(session: Session, error: unknown): void {
	if (isOfToken(error)) session.refuse(error);
}

/** What follows from a failure if items have scopes of their own: a refused token ends its own requests. */
export function forTokenAlone(
	error: unknown,
	verdict: Verdict,
	{ hasOneScope }: Pick<Chunking, 'hasOneScope'>,
): Verdict {
	const isAlone = verdict.action === 'stop' && !hasOneScope && isOfToken(error);
	return isAlone ? { ...verdict, action: 'fail' } : verdict;
}
