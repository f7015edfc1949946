import { VirtualClock } from './virtual-clock';

const CANCEL = new Error('canceled');

test('sleeps end in the order of their due times, equal ones in the order they began', async () => {
	const clock = new VirtualClock();
	const log: string[] = [];
	const sleeper = async (name: string, ...naps: number[]) => {
		for (const ms of naps) {
			await clock.sleep(ms);
			log.push(`${name}@${clock.now()}`);
		}
	};
	await clock.run(Promise.all([sleeper('a', 30), sleeper('b', 10, 20), sleeper('c', 20)]));
	expect(log).toEqual(['b@10', 'c@20', 'a@30', 'b@30']);
});

test('a cancel ends all sleeps, also later ones', async () => {
	const clock = new VirtualClock();
	clock.cancelAt(50, CANCEL);
	await expect(clock.run(clock.sleep(1000))).rejects.toBe(CANCEL);
	expect(clock.now()).toBe(50);
	await expect(clock.run(clock.sleep(1))).rejects.toBe(CANCEL);
});

test('work that waits for nothing is reported instead of hanging', async () => {
	await expect(new VirtualClock().run(new Promise(() => undefined))).rejects.toThrow('deadlock');
});

test('chance is the same for the same seed and even over the range', () => {
	const draw = (seed: number) => {
		const clock = new VirtualClock(seed);
		return Array.from({ length: 1000 }, () => clock.random());
	};
	expect(draw(7)).toEqual(draw(7));
	expect(draw(7)).not.toEqual(draw(8));
	for (const tenth of [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]) {
		const hits = draw(7).filter((value) => Math.floor(value * 10) === tenth).length;
		expect(hits).toBeGreaterThan(60);
	}
});
