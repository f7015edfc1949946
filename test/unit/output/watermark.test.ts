import fc from 'fast-check';

import { adviceToSkip, Watermark } from '../../../nodes/shared/output/watermark';
import { runs } from '../../../support/runs';
import { occurring, Variations } from '../../../support/variations';

const VARIATIONS = [
	...['records are skipped', 'no records are skipped', 'the first record'],
	...['the next record', 'the next record, with later ones behind it'],
	...['a later record', 'a record in a gap', 'records that never get an outcome'],
];

it('is the last record before the first one without an outcome', () => {
	const variations = new Variations();
	fc.assert(
		fc.property(
			fc.nat({ max: 5 }),
			fc.uniqueArray(fc.integer({ min: 1, max: 12 }), { maxLength: 12 }),
			(skipped, order) => {
				const watermark = new Watermark(skipped);
				const answered = new Set<number>();
				const occurred = new Set<string>();
				let last = skipped;
				for (const record of order.map((number) => skipped + number)) {
					const highest = Math.max(last, ...answered);
					watermark.markDone(record);
					answered.add(record);
					let expected = skipped;
					while (answered.has(expected + 1)) expected++;
					expect(watermark.upTo).toBe(expected);
					if (record === 1) occurred.add('the first record');
					if (expected === last + 1) occurred.add('the next record');
					if (expected > last + 1)
						occurred.add('the next record, with later ones behind it');
					if (expected === last)
						occurred.add(record > highest ? 'a later record' : 'a record in a gap');
					last = expected;
				}
				// A longer advice would skip records without an outcome.
				const [advised = '0'] = /\d+$/.exec(adviceToSkip(watermark.upTo)) ?? [];
				expect(Number(advised)).toBe(last);
				if (skipped + order.length > last)
					occurred.add('records that never get an outcome');
				occurred.add(skipped > 0 ? 'records are skipped' : 'no records are skipped');
				variations.note(occurring(VARIATIONS, (name) => occurred.has(name)));
			},
		),
		{ numRuns: runs(300) },
	);
	expect(variations.rarerThan(1)).toEqual([]);
});
