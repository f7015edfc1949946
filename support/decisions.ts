import { RetryPolicy } from '../nodes/shared/sending/retry-policy';

/**
 * Collects the decisions of the retry policy in all tests of a file, each with its cause, such as `split: several,
 * down`.
 *
 * @returns the set of decisions, which grows while the tests are running
 */
export function collectDecisions(): ReadonlySet<string> {
	const seen = new Set<string>();
	const { decide } = RetryPolicy.prototype;
	let spy: jest.SpyInstance;
	beforeAll(() => {
		spy = jest.spyOn(RetryPolicy.prototype, 'decide').mockImplementation(function (
			this: RetryPolicy,
			attempt,
		) {
			const decision = decide.call(this, attempt);
			const { diagnosis, size } = attempt;
			const cause = diagnosis.kind ?? diagnosis.action;
			seen.add(`${decision}: ${size === 1 ? 'one' : 'several'}, ${cause}`);
			return decision;
		});
	});
	afterAll(() => spy.mockRestore());
	return seen;
}
