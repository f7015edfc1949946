import fc from 'fast-check';

import { Watermark } from '../../../nodes/shared/output/watermark';

it('is the last record before the first one without an outcome', () => {
	fc.assert(
		fc.property(
			fc.nat({ max: 5 }),
			fc.uniqueArray(fc.integer({ min: 1, max: 30 })),
			(skipped, order) => {
				const watermark = new Watermark(skipped);
				const answered = new Set<number>();
				for (const record of order.map((number) => skipped + number)) {
					watermark.markDone(record);
					answered.add(record);
					let expected = skipped;
					while (answered.has(expected + 1)) expected++;
					expect(watermark.upTo).toBe(expected);
				}
			},
		),
	);
});
