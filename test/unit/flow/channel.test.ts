import { Channel, produced } from '../../../nodes/shared/flow/channel';
import { flat } from '../../../nodes/shared/flow/slices';

/** Whatever waits for nothing but promises has ended then. */
const settle = async () => await new Promise<void>((resolve) => setImmediate(resolve));

async function all<T>(values: AsyncIterable<T>): Promise<T[]> {
	const read: T[] = [];
	for await (const value of values) read.push(value);
	return read;
}

test('a producer waits until the slice with its value has been processed', async () => {
	const channel = new Channel<string>();
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

test('a closed channel returns the values that wait, then ends, and accepts nothing more', async () => {
	const channel = new Channel<string>();
	void channel.put('a');
	channel.close();
	await channel.put('b');
	expect(await all(flat(channel.slices()))).toEqual(['a']);
});

test('the first end counts', async () => {
	const channel = new Channel<string>();
	const error = new Error('first');
	channel.close({ error });
	channel.close({ error: new Error('second') });
	channel.close();
	await expect(all(flat(channel.slices()))).rejects.toBe(error);
});

test('an error that is undefined is one nevertheless', async () => {
	const values = flat(
		produced(new Channel<string>(), async () => await Promise.reject(undefined)),
	);
	await expect(all(values)).rejects.toBeUndefined();
});

test('who waits for values gets those that come later, and learns of the end', async () => {
	const channel = new Channel<string>();
	const reading = all(flat(channel.slices()));
	await settle();
	void channel.put('late');
	await settle();
	channel.close();
	expect(await reading).toEqual(['late']);
});

test('when the consumer leaves, no producer waits any longer', async () => {
	const channel = new Channel<string>();
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

test('leaving waits for the producer to end', async () => {
	const channel = new Channel<string>();
	const log: string[] = [];
	const values = flat(
		produced(channel, async () => {
			await channel.put('a');
			await settle();
			log.push(`producer ended, ${channel.isAbandoned ? 'abandoned' : 'heard'}`);
		}),
	);
	for await (const value of values) {
		log.push(value);
		break;
	}
	expect(log).toEqual(['a', 'producer ended, abandoned']);
});
