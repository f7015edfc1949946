import type { IExecuteFunctions } from 'n8n-workflow';

import { Run } from '../../../nodes/shared/run/run';
import { jsonInSteps, mapInSlices } from '../../../nodes/shared/run/slices';

afterEach(() => jest.restoreAllMocks());

it('yields to other executions after a slice of 25 ms, and not before', async () => {
	let now = 0;
	jest.spyOn(performance, 'now').mockImplementation(() => now);
	const run = new Run({
		getInputData: () => [],
		getNode: () => ({ type: 'node' }),
		continueOnFail: () => false,
		getExecutionCancelSignal: () => undefined,
	} as unknown as IExecuteFunctions);
	const turns: number[] = [];
	for (let step = 0; step < 9; step++) {
		now += 10;
		let isTurn = false;
		setTimeout(() => (isTurn = true), 0);
		await run.yieldToOthers();
		if (isTurn) turns.push(step);
	}
	expect(turns).toEqual([2, 5, 8]);
});

test('large JSON is written as JSON.stringify writes it, but it yields before each vector', async () => {
	const vectors = Array.from({ length: 100 }, (_, index) => [index, 0.5, null]);
	const response = { chunkedData: [{ chunks: ['"a"', ''], vectors }, 'é', null], of: undefined };
	let yields = 0;
	const yieldToOthers = () => {
		yields++;
		return undefined;
	};
	for (const value of [
		{ record: 1, response },
		{ record: 2, response: 'text' },
	]) {
		expect(await jsonInSteps(value, 5, yieldToOthers)).toBe(JSON.stringify(value));
	}
	expect(yields).toBeGreaterThan(100);
	expect(yields).toBeLessThan(130);
});

test('other executions can run before each entry of a list', async () => {
	const done: string[] = [];
	const yieldToOthers = async () => {
		await Promise.resolve();
		done.push('others');
	};
	const run = { yieldToOthers } as unknown as Run;
	await mapInSlices(['a', 'b', 'c'], run, (entry) => done.push(entry));
	expect(done).toEqual(['others', 'a', 'others', 'b', 'others', 'c']);
});
