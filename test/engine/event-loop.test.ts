/**
 * No node does its work in one step, however much it is: n8n's other executions go on meanwhile.
 */
import {
	computingOf,
	cpuMs,
	LOADS,
	startService,
	type Computing,
	type Service,
} from '../../support/event-loop';
import type { INodeType } from 'n8n-workflow';

/** Steps of that length hold up nobody, whatever their share is. */
const SHORT_MS = 100;
/** A machine that is busy makes steps longer, and so the whole. */
const MAX_SHARE = 1 / 3;
/** A garbage collection may fall into a step, but not into the same one each time. */
const RUNS = 3;

let service: Service;
beforeAll(async () => {
	service = await startService();
});
afterAll(() => service.stop());

const isInSteps = ({ longestMs, totalMs }: Computing) =>
	longestMs < Math.max(SHORT_MS, MAX_SHARE * totalMs);

test.each(LOADS)(
	'goes step by step: $title',
	async (load) => {
		const runs: Computing[] = [];
		while (runs.length < RUNS && !runs.some(isInSteps)) {
			const { result, ...computing } = await computingOf(load, service);
			expect(result.error).toBeUndefined();
			expect(result.output.length + result.errorOutput.length).toBe(load.returns);
			runs.push(computing);
		}
		expect(runs.filter(isInSteps)).toHaveLength(1);
	},
	120_000,
);

test('a node that does everything in one step is noticed', async () => {
	const busy = {
		description: { properties: [], version: 1, inputs: ['main'], outputs: ['main'] },
		async execute() {
			const endsAt = cpuMs() + 3 * SHORT_MS;
			while (cpuMs() < endsAt);
			return [[]];
		},
	} as unknown as INodeType;
	const { longestMs, totalMs } = await computingOf(LOADS[0], service, busy);
	expect(isInSteps({ longestMs, totalMs })).toBe(false);
});
