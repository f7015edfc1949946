import { RecentIds } from '../../../nodes/shared/formats/recent-ids';

test('an ID is remembered for the next 100,000 IDs, and forgotten after twice as many', () => {
	const ids = new RecentIds();
	const add = (from: number, count: number) => {
		for (let at = from; at < from + count; at++) ids.addAndCheck(`other ${at}`);
	};
	add(0, 99_999);
	expect(ids.addAndCheck('a')).toBe(false);
	add(100_000, 99_999);
	expect(ids.addAndCheck('a')).toBe(true);
	add(200_000, 200_001);
	expect(ids.addAndCheck('a')).toBe(false);
});
