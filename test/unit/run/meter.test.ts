import { RunStats } from '../../../nodes/shared/sending/run-state';
import { Meter } from '../../../nodes/shared/run/meter';

afterEach(() => jest.restoreAllMocks());

function count(stats: RunStats, factor: number): void {
	const names = [
		'requests',
		'retries',
		'splits',
		'throttled',
		'bytes',
		'done',
		'failed',
	] as const;
	for (const [at, name] of names.entries()) stats.increment(name, factor * (at + 1));
}

it('measures only what was counted after its creation, such as for a second file', () => {
	const clock = jest.spyOn(performance, 'now').mockReturnValue(1_000);
	const stats = new RunStats();
	count(stats, 100);
	const second = new Meter(stats);
	clock.mockReturnValue(3_500);
	count(stats, 10);
	expect(second.json()).toEqual({
		requests: 10,
		retries: 20,
		splits: 30,
		throttled: 40,
		bytes: 50,
		seconds: 2.5,
		recordsPerSecond: 24,
	});
	expect(second.text()).toBe('24 per second, 20 retries');
});

it('lists the figures of a run, including its responses by status', () => {
	const clock = jest.spyOn(performance, 'now').mockReturnValue(0);
	const stats = new RunStats();
	const meter = new Meter(stats);
	clock.mockReturnValue(2_000);
	count(stats, 1_000);
	const text = meter.endText({ 200: 1_200, 503: 7 });
	expect(text.match(/[\d,.]*\d/g)).toEqual([
		...['6,000', '7,000', '1,000', '5,000', '2', '3000', '2,000'],
		...['200', '1,200', '503', '7'],
	]);
});
