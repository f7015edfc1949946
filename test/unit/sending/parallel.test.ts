import { inParallel, Tasks } from '../../../nodes/shared/sending/parallel';
import { flat } from '../support/slices';
import { VirtualClock } from '../../../support/virtual-clock';

const settle = async () => await new Promise<void>((resolve) => setImmediate(resolve));

async function all<T>(values: AsyncIterable<T>): Promise<T[]> {
	const read: T[] = [];
	for await (const value of values) read.push(value);
	return read;
}

test('a producer waits until the slice with its value has been processed', async () => {
	const channel = new Tasks<string>();
	const log: string[] = [];
	const put = (value: string) => void channel.put(value).then(() => log.push(`${value} put`));
	for (const value of ['a', 'b']) put(value);
	const slices = channel.slices();
	const read = async () => log.push(`${String((await slices.next()).value)} read`);
	await read();
	put('c');
	await settle();
	await read();
	await settle();
	expect(log).toEqual(['a,b read', 'a put', 'b put', 'c read']);
});

test('a closed channel returns its remaining values, then ends, and accepts no new ones', async () => {
	const channel = new Tasks<string>();
	void channel.put('a');
	channel.close();
	await channel.put('b');
	expect(await all(flat(channel.slices()))).toEqual(['a']);
});

test('when the consumer leaves, no producer waits any longer', async () => {
	const channel = new Tasks<string>();
	const log: string[] = [];
	for (const value of ['a', 'b', 'c']) void channel.put(value).then(() => log.push(value));
	expect(channel.isAbandoned).toBe(false);
	for await (const value of flat(channel.slices())) {
		expect(value).toBe('a');
		break;
	}
	channel.abandon();
	await settle();
	expect(log).toEqual(['a', 'b', 'c']);
	expect(channel.isAbandoned).toBe(true);
	await channel.put('too late');
});

test('runs no more tasks at once than allowed, and passes on their values', async () => {
	const clock = new VirtualClock();
	let running = 0;
	let peak = 0;
	const values: number[] = [];
	const consume = async () => {
		const slices = inParallel<number>(3, async (tasks) => {
			for (let task = 0; task < 10; task++) {
				void tasks.start(async () => {
					peak = Math.max(peak, ++running);
					await clock.sleep(10);
					running--;
					await tasks.put(task);
				});
				await tasks.nextSlot();
			}
		});
		for await (const slice of slices) values.push(...slice);
	};
	await clock.run(consume());
	expect(values.sort()).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
	expect(peak).toBe(3);
	expect(clock.now()).toBe(40);
});

test('an error of the source is thrown after all tasks have ended', async () => {
	const clock = new VirtualClock();
	const broken = new Error('broken');
	const values: string[] = [];
	const consume = async () => {
		const slices = inParallel<string>(2, async (tasks) => {
			void tasks.start(async () => {
				await clock.sleep(10);
				await tasks.put('late');
			});
			await Promise.reject(broken);
		});
		for await (const slice of slices) values.push(...slice);
	};
	await expect(clock.run(consume())).rejects.toBe(broken);
	expect(values).toEqual(['late']);
});

test('when the consumer leaves, the source is closed and running tasks are awaited', async () => {
	const clock = new VirtualClock();
	const ended: number[] = [];
	const consume = async () => {
		const slices = inParallel<number>(Infinity, async (tasks) => {
			for (const task of [1, 2]) {
				void tasks.start(async () => {
					await clock.sleep(task * 10);
					await tasks.put(task);
					ended.push(task);
				});
			}
			while (!tasks.isIdle) await tasks.nextEnd();
			expect(tasks.isAbandoned).toBe(true);
		});
		for await (const [first] of slices) if (first === 1) break;
	};
	await clock.run(consume());
	expect(ended).toEqual([1, 2]);
});
