import fc from 'fast-check';

import { Watermark } from '../../../nodes/shared/flow/watermark';

it('is the last record before the first that has not been answered', () => {
	fc.assert(
		fc.property(
			fc.uniqueArray(fc.integer({ min: 1, max: 30 })),
			fc.array(fc.integer({ min: 1, max: 6 })),
			(order, sizes) => {
				const watermark = new Watermark();
				const answered = new Set<number>();
				for (let from = 0, at = 0; from < order.length; at++) {
					const size = sizes[at % Math.max(1, sizes.length)] ?? 1;
					const batch = order.slice(from, from + size).sort((one, other) => one - other);
					from += size;
					watermark.answered(batch);
					for (const record of batch) answered.add(record);
					let expected = 0;
					while (answered.has(expected + 1)) expected++;
					expect(watermark.upTo).toBe(expected);
				}
			},
		),
	);
});
