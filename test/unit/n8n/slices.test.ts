import type { IExecuteFunctions } from 'n8n-workflow';

import { Run } from '../../../nodes/shared/n8n/run/run';
import { jsonInSteps } from '../../../nodes/shared/n8n/run/slices';

const busy = (ms: number): void => {
	const end = performance.now() + ms;
	while (performance.now() < end);
};

const newRun = () =>
	new Run({
		getInputData: () => [],
		getNode: () => ({ type: 'node' }),
		continueOnFail: () => false,
		getExecutionCancelSignal: () => undefined,
	} as unknown as IExecuteFunctions);

it('lets others have their turn once a slice of 25 ms is used up', async () => {
	const run = newRun();
	let turns = 0;
	const timer = setInterval(() => turns++, 1);
	for (let step = 0; step < 20; step++) {
		busy(10);
		await run.breathe();
	}
	clearInterval(timer);
	expect(turns).toBeGreaterThanOrEqual(4);
});

it('does not wait while there is time', () => {
	expect(newRun().breathe()).toBeUndefined();
});

test('large JSON is written as JSON.stringify does, with a breath before each of its vectors', async () => {
	const vectors = Array.from({ length: 100 }, (_, index) => [index, 0.5, null]);
	const response = { chunkedData: [{ chunks: ['"a"', ''], vectors }, 'é', null], of: undefined };
	let breaths = 0;
	const breathe = () => {
		breaths++;
		return undefined;
	};
	for (const value of [
		{ record: 1, response },
		{ record: 2, response: 'text' },
	]) {
		expect(await jsonInSteps(value, 5, breathe)).toBe(JSON.stringify(value));
	}
	expect(breaths).toBeGreaterThan(100);
	expect(breaths).toBeLessThan(130);
});
