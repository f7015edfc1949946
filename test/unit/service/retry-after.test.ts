import fc from 'fast-check';

import { parseRetryAfter } from '../../../nodes/shared/service/retry-after';

const NOW = Date.UTC(2026, 0, 1, 12, 0, 0);

test.each<[unknown, number | undefined]>([
	['7', 7000],
	[' 7 ', 7000],
	['0', 0],
	['1.5', 1500],
	[7, 7000],
	['Thu, 01 Jan 2026 12:00:30 GMT', 30_000],
	['Thu, 01 Jan 2026 11:59:00 GMT', 0],
	['Thu, 01 Jan 2026 14:00:00 GMT', 7_200_000],
	['Fri, 02 Jan 2026 12:00:00 GMT', 86_400_000],
	['Fri, 02 Jan 2026 12:00:01 GMT', undefined],
	['soon', undefined],
	['', undefined],
	[undefined, undefined],
	[null, undefined],
	['Thursday, 01-Jan-26 12:00:30 GMT', 30_000],
	['-5', undefined],
	[-5, undefined],
	['1e9', undefined],
	['+5', undefined],
	['0x10', undefined],
	['Infinity', undefined],
	[Infinity, undefined],
	[NaN, undefined],
	['5 seconds', undefined],
	['2026', 2_026_000],
	['2026-13', undefined],
	['Thu, 99 Jan 2026 12:00:30 GMT', undefined],
	['Fri, 31 Dec 9999 23:59:59 GMT', undefined],
	['Thu, 01 Jan 1970 00:00:00 GMT', undefined],
	['9'.repeat(400), Number.MAX_SAFE_INTEGER],
])('%j means %p ms', (header, expected) => {
	expect(parseRetryAfter({ 'retry-after': header, date: new Date(NOW).toUTCString() })).toBe(
		expected,
	);
});

test('is undefined or a number that is not negative', () => {
	fc.assert(
		fc.property(fc.oneof(fc.string(), fc.integer(), fc.date().map(String)), (header) => {
			const ms = parseRetryAfter({
				'retry-after': header,
				date: new Date(NOW).toUTCString(),
			});
			expect(ms === undefined || (ms >= 0 && Number.isFinite(ms))).toBe(true);
		}),
	);
});
