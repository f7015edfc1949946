import type { Verdict } from '../../shared/flow/verdict';
import type { Session } from '../../shared/n8n/session/session';
import { ServiceFailure } from '../../shared/service/failure';
import type { Chunking } from './chunking';

/** Whether a failure concerns only requests with the same token. */
const isOfToken = (error: unknown): error is ServiceFailure =>
	error instanceof ServiceFailure &&
	((error.kind === 'token' && !error.transient) ||
		error.httpStatus === 401 ||
		error.httpStatus === 403);

/** Remembers a refusal of a token, so that no further request is sent with it. */
export function noteRefusal(session: Session, error: unknown): void {
	if (isOfToken(error)) session.refuse(error);
}

/** If items have different scopes, a refused token ends the requests with this token and not the run. */
export function forTokenAlone(
	error: unknown,
	verdict: Verdict,
	{ hasOneScope }: Pick<Chunking, 'hasOneScope'>,
): Verdict {
	const isAlone = verdict.action === 'stop' && !hasOneScope && isOfToken(error);
	return isAlone ? { ...verdict, action: 'fail' } : verdict;
}
