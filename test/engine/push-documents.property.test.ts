/** Push Documents against any documents, limits and faults, over real HTTP. */
import fc from 'fast-check';

import { PushDocuments } from '../../nodes/PushDocuments/PushDocuments.node';
import { DEMO, type FaultRule } from '../../sandbox';
import { indexes, jsonOf, pairedIndexes, useNodes } from '../../support/sandbox';

const { sandbox, runnerOf } = useNodes();
const push = runnerOf(new PushDocuments());

const anyDocuments = fc
	.array(
		fc.record({
			id: fc.constantFrom(...'abcdefgh'),
			text: fc.oneof(
				fc.string({ unit: 'binary', maxLength: 30 }),
				fc.constant('poison'),
				fc.nat({ max: 150 }).map((size) => '漢'.repeat(size)),
			),
		}),
		{ minLength: 1, maxLength: 24 },
	)
	.map((list) => list.map(({ id, text }, version) => ({ id, name: 'N', version, text })));

/** Faults that pass: fewer in all than a request has attempts. */
const anyFaults = fc.array(
	fc.record({
		rule: fc.constantFrom<Partial<FaultRule>>(
			{ status: 429 },
			{ status: 503, retryAfter: '0' },
			{ status: 502, html: true },
			{ reset: 'beforeResponse' },
			{ reset: 'midBody' },
			{ reset: 'afterWork' },
			{ latencyMs: 10 },
		),
		skip: fc.nat({ max: 4 }),
		times: fc.integer({ min: 1, max: 2 }),
	}),
	{ maxLength: 3 },
);

const anyRun = fc.record({
	items: anyDocuments,
	faults: anyFaults,
	documentsPerRequest: fc.integer({ min: 1, max: 8 }),
	bytesPerRequest: fc.integer({ min: 100, max: 900 }),
	serviceLimit: fc.oneof(fc.constant(5_000_000), fc.integer({ min: 100, max: 600 })),
	refusesPoison: fc.boolean(),
	concurrency: fc.integer({ min: 1, max: 4 }),
});

test('every item is returned once, the index equals the model, no request breaks a limit', async () => {
	await fc.assert(
		fc.asyncProperty(anyRun, async (run) => {
			const { items, faults, documentsPerRequest, bytesPerRequest } = run;
			sandbox().reset();
			sandbox().settings.pushBodyLimitBytes = run.serviceLimit;
			// First, so that no other fault lets it in: the service never takes poison.
			if (run.refusesPoison) {
				sandbox().faults.add({ route: 'push', status: 400, whenBodyContains: 'poison' });
			}
			for (const { rule, ...when } of faults) {
				sandbox().faults.add({ route: 'push', ...rule, ...when });
			}
			const options = {
				documentsPerRequest,
				bytesPerRequest,
				concurrency: run.concurrency,
				retryForSeconds: 60,
			};
			const result = await push(items, { options }, { onError: 'continueErrorOutput' });

			expect(result.status).toBe('success');
			expect(pairedIndexes(result).sort((a, b) => a - b)).toEqual(indexes(items.length));

			const outcomes = [...result.output, ...result.errorOutput];
			const jsonAt = new Map(
				outcomes.map(({ json, pairedItem }) => [
					(pairedItem as { item: number }).item,
					json,
				]),
			);
			const model = new Map<string, object>();
			items.forEach((document, index) => {
				const json = jsonAt.get(index) ?? {};
				expect(json.id).toBe(document.id);
				if (json.pushed === true) model.set(document.id, document);
				else expect(mayBeLeftOut(run, index, json.httpStatus)).toBe(true);
			});
			const byId = (list: Array<Record<string, unknown>>) =>
				new Map(list.map((document) => [document.id, document]));
			expect(byId(sandbox().documents(DEMO.endpoint))).toEqual(model);
			expect(jsonOf(result.input)).toEqual(items);

			for (const { body, bodyBytes } of sandbox().requests) {
				expect(bodyBytes).toBeLessThanOrEqual(bytesPerRequest);
				const list = (Array.isArray(body) ? body : [body]) as Array<
					{ id: string } | undefined
				>;
				expect(list.length).toBeLessThanOrEqual(documentsPerRequest);
				const ids = list.map((document) => document?.id);
				expect(new Set(ids).size).toBe(ids.length);
			}
		}),
		{ numRuns: 60 },
	);
});

/** Whether a document may have stayed out of the index: for its ID, its size or its content. */
function mayBeLeftOut(
	{
		items,
		bytesPerRequest,
		serviceLimit,
		refusesPoison,
	}: typeof anyRun extends fc.Arbitrary<infer R> ? R : never,
	index: number,
	httpStatus: unknown,
): boolean {
	const { id } = items[index];
	const isDuplicate = items.slice(index + 1).some((later) => later.id === id);
	const bytes = Buffer.byteLength(JSON.stringify(items[index]));
	const isTooLarge = bytes > bytesPerRequest || (httpStatus === 413 && bytes > serviceLimit);
	// While all is refused, whole requests are: they may hold documents that are fine.
	return isDuplicate || isTooLarge || (refusesPoison && httpStatus === 400);
}
