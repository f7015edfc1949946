import { jsonInSteps, Slices } from '../../../nodes/shared/n8n/run/slices';

const busy = (ms: number): void => {
	const end = performance.now() + ms;
	while (performance.now() < end);
};

it('lets others have their turn once a slice is used up', async () => {
	const slices = new Slices();
	let turns = 0;
	const timer = setInterval(() => turns++, 1);
	for (let step = 0; step < 20; step++) {
		busy(10);
		await slices.breathe();
	}
	clearInterval(timer);
	// 200 ms in slices of 25 ms and a step.
	expect(turns).toBeGreaterThanOrEqual(4);
});

it('costs no turn while there is time', async () => {
	const slices = new Slices();
	let turned = false;
	const timer = setTimeout(() => (turned = true), 0);
	for (let step = 0; step < 100; step++) await slices.breathe();
	expect(turned).toBe(false);
	clearTimeout(timer);
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
