import {
	documentAnswerSteps,
	type DocumentAnswer,
	type SentDocument,
} from '../../../nodes/shared/service/push/push';

/** What a push response says of each document, in their order. */
export function documentAnswers(body: unknown, documents: SentDocument[]): DocumentAnswer[] {
	const steps = documentAnswerSteps(body, documents);
	for (;;) {
		const { done, value } = steps.next();
		if (done) return documents.map(({ id }) => value(id));
	}
}
