import type { INodeProperties } from 'n8n-workflow';

import { choiceOf, numberOf, textOf } from '../../../nodes/shared/n8n/parameters/values';
import { thrownBy } from '../support/text';

const property = (rest: Partial<INodeProperties>): INodeProperties => ({
	displayName: 'Some Setting',
	name: 'setting',
	type: 'number',
	default: 5,
	...rest,
});
const read = (value: unknown, definition = property({})) => ({ value, definition });

test('a number without bounds may be any whole one', () => {
	expect(numberOf(read('-12000'))).toBe(-12_000);
	expect(thrownBy(() => numberOf(read(1.5)))).toMatchObject({
		message: "'Some Setting' must be a whole number, but it is 1.5",
		description: "Correct 'Some Setting', or remove it to use the default of 5.",
	});
});

test('a long value is shown by its beginning', () => {
	const error = thrownBy(() => numberOf(read('x'.repeat(100)))) as Error;
	expect(error.message).toBe(`'Some Setting' must be a number, but it is "${'x'.repeat(60)}..."`);
});

test('without a default to fall back on, the advice names none', () => {
	const choices = property({
		type: 'options',
		default: '',
		options: [{ name: 'A', value: 'a' }],
	});
	expect(choiceOf(read('', choices))).toBe('');
	expect(thrownBy(() => choiceOf(read('b', choices)))).toMatchObject({
		message: `'Some Setting' must be one of a, but it is "b"`,
		description: "Correct 'Some Setting', or the field its expression points to.",
	});
});

test.each([
	[{ a: 1 }, 'an object'],
	[['a'], 'a list'],
	[NaN, 'NaN'],
])('%j is no text, and the message says what it is', (value, shown) => {
	expect(thrownBy(() => textOf(read(value)))).toMatchObject({
		message: `'Some Setting' must be text, but it is ${shown}`,
	});
});
