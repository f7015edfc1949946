import fc from 'fast-check';

import {
	exactJson,
	hasLongNumbers,
	inexactNumberIn,
	parseExactly,
} from '../../../nodes/shared/formats/exact-numbers';
import { runs } from '../../../support/runs';

const rewritten = (json: string): string => exactJson(JSON.stringify(parseExactly(json)));

test.each([
	'{"a":12345678901234567890,"b":[1e400,-1E+400],"c":0.12345678901234567890}',
	'{"a":"12345678901234567890","b":"\\"1e400","\\u00e9":1}',
	'[9007199254740993,-9007199254740993]',
])('%s is written as it was', (json) => {
	expect(hasLongNumbers(json)).toBe(true);
	expect(rewritten(json).replace('é', '\\u00e9')).toBe(json);
});

test('any other JSON is written as JSON.parse and JSON.stringify do', () => {
	fc.assert(
		fc.property(fc.json({ maxDepth: 3 }), (json) => {
			expect(JSON.parse(rewritten(json))).toEqual(JSON.parse(json));
		}),
		{ numRuns: runs(500) },
	);
});

test.each([
	['{"a":12345678901234567890}', '12345678901234567890'],
	['[1,1e400]', '1e400'],
	['[1,2.5,9007199254740992,0.12345678901234567,"12345678901234567890"]', undefined],
	['{"1e400":1}', undefined],
])('the first number of %s that JavaScript would change is %s', (json, number) => {
	expect(inexactNumberIn(json)).toBe(number);
});

test('a whole number is reported exactly if JavaScript would change its digits, with any sign', () => {
	const numbers = fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n });
	fc.assert(
		fc.property(numbers, (number) => {
			const json = `{"a":[${number}]}`;
			const isChanged = JSON.stringify(JSON.parse(json)) !== json;
			expect(inexactNumberIn(json)).toBe(isChanged ? String(number) : undefined);
		}),
		// JavaScript computes with the number 33555816273987312 instead, but writes the same digits again.
		{ examples: [[33_555_816_273_987_310n]] },
	);
});
