/** Tests that the figures for the second file in a run do not include the first file. */
import { Readable } from 'node:stream';

import type { INodeExecutionData, INodeParameters } from 'n8n-workflow';

import { DeleteDocument } from '../../nodes/DeleteDocument/DeleteDocument.node';
import { PushDocuments } from '../../nodes/PushDocuments/PushDocuments.node';
import type { FaultRule } from '../../sandbox';
import { useFiles } from '../../support/binary-data';
import { CONTINUE, hintsOf, indexes, useNodes } from '../../support/sandbox';
import { naming } from '../../support/wording';

const { sandbox, runnerOf } = useNodes();
const files = useFiles();

const recordsOf = (count: number) => indexes(count).map((at) => ({ id: `d${at}`, name: 'N' }));
const fileOf = async (count: number, name: string): Promise<INodeExecutionData> => {
	const lines = recordsOf(count).map((record) => `${JSON.stringify(record)}\n`);
	return await files.item(lines.join(''), name);
};

const OPTIONS = { concurrency: 1, retryForSeconds: 0 };
const NODES = [
	['pushed', 'push', new PushDocuments(), { documentSource: 'file' }, { documentsPerRequest: 1 }],
	['deleted', 'delete', new DeleteDocument(), { idSource: 'file' }, {}],
] as const;

describe.each(NODES)('%s', (done, route, node, parameters, own) => {
	const fault = (rule: Omit<FaultRule, 'route'>) => sandbox().faults.add({ route, ...rule });
	const run = async (...items: INodeExecutionData[]) =>
		await runnerOf(node, parameters)(
			items,
			{ options: { ...OPTIONS, ...own } as INodeParameters },
			CONTINUE,
		);
	const one = route === 'push' ? JSON.stringify(recordsOf(1)[0]).length : 0;

	it('each file has its own figures, with a failure in each', async () => {
		fault({ status: 400, skip: 1, times: 1 });
		fault({ status: 503, skip: 3, times: 1 });
		fault({ status: 400, skip: 5, times: 1 });
		const { output } = await run(
			await fileOf(3, 'first.jsonl'),
			await fileOf(5, 'second.jsonl'),
		);
		const [first, second] = output.map(({ json }) => json);
		const figures = { skipped: 0, atEnd: true, failed: 1 };
		const times = { seconds: expect.any(Number), recordsPerSecond: expect.any(Number) };
		const stats = { splits: 0, throttled: expect.any(Number), ...times };
		expect(first).toMatchObject({
			...{ file: 'first.jsonl', records: 3, [done]: 2, ...figures },
			stats: { ...stats, requests: 3, retries: 0, bytes: 2 * one },
			failures: [{ record: 2, line: 2, id: 'd1', httpStatus: 400 }],
			failureCounts: [{ records: 1 }],
		});
		expect(second).toMatchObject({
			...{ file: 'second.jsonl', records: 5, [done]: 4, ...figures },
			stats: { ...stats, requests: 5, retries: 1, bytes: 4 * one },
			failures: [{ record: 4, line: 4, id: 'd3', httpStatus: 400 }],
			failureCounts: [{ records: 1 }],
		});
	});

	it('a later success shows that a failure was final, so the next run continues after both records', async () => {
		// The first fault affects both attempts for record 2 of the second file. The second fault affects
		// everything from record 5 on.
		fault({ status: 500, skip: 4, times: 2 });
		fault({ status: 401, skip: 6 });
		const { output } = await run(
			await fileOf(3, 'first.jsonl'),
			await fileOf(9, 'second.jsonl'),
		);
		const [first, second] = output.map(({ json }) => json);
		expect(first).toMatchObject({ file: 'first.jsonl', [done]: 3, failed: 0 });
		expect(second).toMatchObject({ file: 'second.jsonl', [done]: 3, failed: 2, atEnd: false });
		expect(second?.error).toEqual(naming("'second.jsonl'", `3 records`, `${done} and 2 `));
		expect(second?.error).toMatch(/'Skip Records' to 4$/);
	});

	it('a file whose options cannot be read is closed, and the run continues', async () => {
		const stream = new Readable({ read: () => undefined });
		stream.push('{"id":"d0","name":"N"}\n');
		files.opens(stream);
		const options = { ...OPTIONS, ...own, skipRecords: -1 } as INodeParameters;
		const items = [await fileOf(1, 'first.jsonl')];
		const { output } = await runnerOf(node, parameters)(items, { options }, CONTINUE);
		expect(output[0]?.json.error).toContain('Skip Records');
		expect(stream.destroyed).toBe(true);
	});

	it('a hint counts what failed in each file', async () => {
		fault({ status: 400, skip: 1, times: 1 });
		fault({ status: 400, skip: 2, times: 2 });
		const result = await run(await fileOf(3, 'first.jsonl'), await fileOf(4, 'second.jsonl'));
		expect(hintsOf(result).join()).toMatch(
			/1 record of 'first\.jsonl'.*2 records of 'second\.jsonl'/,
		);
	});
});

it('documents replaced by one that failed do not count as skipped', async () => {
	const body = JSON.stringify({ errors: [{ id: 'a', message: 'No' }] });
	sandbox().faults.add({ route: 'push', status: 200, body });
	const items = ['a', 'a', 'a', 'b', 'b'].map((id) => ({ id, name: 'N' }));
	const result = await runnerOf(new PushDocuments())(items, {}, CONTINUE);
	expect(result.output.map(({ json }) => json.pushed ?? 'failed')).toEqual([
		...['failed', 'failed', 'failed'],
		...[false, true],
	]);
});
