/** Fields read directly against n8n's own expressions: any item, any path, odd keys and values. */
import assert from 'node:assert/strict';
import { inspect, isDeepStrictEqual } from 'node:util';

import fc from 'fast-check';
import { DateTime } from 'luxon';
import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import type { Parameters } from '../nodes/shared/n8n/parameters/parameters';
import {
	NOT_PLAIN,
	parsePlainPath,
	readPlainPath,
} from '../nodes/shared/n8n/parameters/plain-path';
import { properties } from '../nodes/shared/n8n/parameters/properties';
import { readOnEngine } from './parameters';

const READING = properties([
	{ displayName: 'One', name: 'one', type: 'string', default: '' },
	{ displayName: 'Two', name: 'two', type: 'json', default: '' },
	{ displayName: 'Three', name: 'three', type: 'number', default: 0 },
	{
		displayName: 'Locator',
		name: 'locator',
		type: 'resourceLocator',
		default: { mode: 'id', value: '' },
		modes: [{ displayName: 'ID', name: 'id', type: 'string' }],
	},
	{
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		default: {},
		options: [{ displayName: 'Four', name: 'four', type: 'string', default: '' }],
	},
	{
		displayName: 'Fields',
		name: 'fields',
		type: 'fixedCollection',
		typeOptions: { multipleValues: true },
		default: {},
		options: [
			{
				displayName: 'Row',
				name: 'row',
				values: [{ displayName: 'Value', name: 'value', type: 'string', default: '' }],
			},
		],
	},
]);

const anyKey = fc.oneof(
	{ weight: 12, arbitrary: fc.constantFrom('a', 'b', 'c') },
	{ weight: 2, arbitrary: fc.constantFrom('0', '1', 'a b', 'größe', 'a.b', '$', '_', 'class') },
	fc.constantFrom('length', 'constructor', '__proto__', 'prototype', 'toString', 'valueOf'),
	fc.constantFrom('hasOwnProperty', 'arguments', 'caller', 'binding', 'constructorName', 'name'),
	fc.constantFrom('isProxy', 'toJSON', 'then', '__isArray', '__n8nType', '__sanitize', 'json'),
	fc.constantFrom('', ' ', '-1', '00', '1.5', '1e3', '4294967295', "it's", 'x"y', 'a{b', '}}'),
	fc.string({ unit: 'binary', maxLength: 4 }),
);

class Instance {
	a = 1;
	get b() {
		return 2;
	}
}

const plainLeaf = fc.oneof(
	fc.string(),
	fc.integer(),
	fc.boolean(),
	fc.constantFrom(null, undefined, '', 0, false, 'text'),
);
const oddLeaf = fc.constantFrom<() => unknown>(
	() => NaN,
	() => Infinity,
	() => -0,
	() => 10n,
	() => new Date(0),
	() => DateTime.fromMillis(0),
	() => Buffer.from('ab'),
	() => new Map([['a', 1]]),
	() => new Instance(),
	() => () => 'called',
	() => Symbol.for('a'),
	() => Object.create({ a: 'inherited' }) as unknown,
	() => Object.assign(Object.create(null) as object, { a: 1 }),
	() => JSON.parse('{"__proto__": {"a": 1}, "a": 2}') as unknown,
	() => [1, , 3], // eslint-disable-line no-sparse-arrays
	() => Object.defineProperty({}, 'a', { get: () => 'got', enumerable: true }),
	() => Object.defineProperty({}, 'a', { value: 'hidden' }),
	() => Object.assign([1, 2], { a: 'extra' }),
);

const { value: anyValue } = fc.letrec<{ value: unknown }>((tie) => ({
	value: fc.oneof(
		{ depthSize: 'small', withCrossShrink: true },
		{ weight: 4, arbitrary: plainLeaf },
		{ weight: 1, arbitrary: oddLeaf.map((make) => make()) },
		{ weight: 4, arbitrary: fc.dictionary(anyKey, tie('value'), { maxKeys: 5 }) },
		{ weight: 2, arbitrary: fc.array(tie('value'), { maxLength: 3 }) },
	),
}));
const anyItem = fc.dictionary(anyKey, anyValue, { minKeys: 1, maxKeys: 6, noNullPrototype: true });

const anyStep = fc.oneof(
	{ weight: 10, arbitrary: fc.constantFrom('.a', '.b', '.c', '["a"]', "['b']", '[0]', '[1]') },
	{
		weight: 3,
		arbitrary: fc
			.tuple(anyKey, fc.constantFrom<[string, string]>(['.', ''], ['["', '"]'], ["['", "']"]))
			.map(([key, [before, after]]) => `${before}${key}${after}`),
	},
	{
		weight: 1,
		arbitrary: fc.constantFrom(
			'?.a',
			'[-1]',
			'[00]',
			'[a]',
			' .a',
			'.a()',
			'[`a`]',
			'["\\x61"]',
		),
	},
);
/** Mostly the usual ones. */
const anyOf = (usual: string[], odd: string[]) =>
	fc.oneof(
		{ weight: 5, arbitrary: fc.constantFrom(...usual) },
		{ weight: 1, arbitrary: fc.constantFrom(...odd) },
	);
const anyExpression = fc
	.tuple(
		anyOf(['={{ ', '={{'], ['={{\n', '=', '= {{ ', '=x{{ ', '{{ ']),
		fc.array(anyStep, { maxLength: 3 }),
		anyOf([' }}', '}}'], ['\t}}', ' }} ', ' }}\n', ' + 1 }}', '; }}', '']),
	)
	.map(([before, steps, after]) => `${before}$json${steps.join('')}${after}`);

/** The value, or the message of the error. */
function attempt(read: () => unknown): unknown {
	try {
		return [read()];
	} catch (error) {
		return (error as Error).message;
	}
}

/** Everything a node can tell about a value: `vm` and `quickjs` return copies without prototypes. */
function seen(value: unknown): unknown {
	// JSON has no -0.
	if (value === 0) return 0;
	if (Array.isArray(value)) return Array.from(value, seen);
	if (typeof value !== 'object' || value === null) return value;
	// n8n makes text of a DateTime that is part of a parameter, such as the value of a locator.
	if ('toISO' in value && value.constructor?.name === 'DateTime') return String(value);
	if (!['Object', undefined].includes(value.constructor?.name)) return inspect(value);
	const members = Object.entries(value).filter(([, member]) => member !== undefined);
	return new Map(members.map(([key, member]) => [key, seen(member)]));
}
const isSame = (one: unknown, other: unknown): boolean => isDeepStrictEqual(seen(one), seen(other));

const anyRun = fc.record({
	items: fc.array(anyItem, { minLength: 1, maxLength: 4 }),
	expressions: fc.array(anyExpression, { minLength: 6, maxLength: 6 }),
});

/** How many fields were read, and how many of them without n8n's expressions. */
export interface Comparison {
	all: number;
	direct: number;
}

/** Compares all parameters of an item; returns the names of those that differ. */
function compare(
	parameters: Parameters<typeof READING>,
	at: number,
	context: IExecuteFunctions,
	count: Comparison,
): string[] {
	const engine = (name: string): unknown => context.getNodeParameter(name, at);
	const locator = () => (engine('locator') as { value: unknown }).value;
	const pairs: Array<[string, () => unknown, (() => unknown)?]> = [
		['one', () => parameters.value('one', at)],
		['two', () => parameters.value('two', at)],
		['three', () => parameters.value('three', at)],
		['locator', () => parameters.value('locator', at), locator],
		['options.four', () => parameters.value('options.four', at)],
		['fields.row', () => parameters.rows('fields.row', at)],
	];
	const different = pairs.flatMap(([name, ours, n8ns = () => engine(name)]) =>
		isSame(attempt(ours), attempt(n8ns)) ? [] : [name],
	);
	// Without the comparison that Parameters makes for the first item.
	const raw = context.getNodeParameter('one', at, '', { rawExpressions: true }) as string;
	const path = parsePlainPath(raw);
	const direct = path ? readPlainPath(context.getInputData()[at].json, path) : NOT_PLAIN;
	const n8ns = attempt(() => engine('one'));
	count.all++;
	if (direct !== NOT_PLAIN && Array.isArray(n8ns)) {
		count.direct++;
		if (!isSame([direct], n8ns)) different.push('one, read directly');
	}
	return different;
}

/**
 * Reads random fields of random items, through Parameters and through n8n's expressions.
 *
 * @returns how much was compared
 * @throws the smallest example of a difference
 */
export async function compareWithEngine(numRuns: number): Promise<Comparison> {
	const count: Comparison = { all: 0, direct: 0 };
	await fc.assert(
		fc.asyncProperty(anyRun, async ({ items, expressions }) => {
			const [one, two, three, four, five, six] = expressions;
			const parameters = {
				one,
				two,
				three,
				locator: { __rl: true, mode: 'id', value: four },
				options: { four: five },
				fields: { row: [{ value: six }, { value: 'constant' }, { value: one }] },
			};
			const readings = await readOnEngine(
				READING,
				{ parameters, items: items.map((json) => ({ json: json as IDataObject })) },
				(reader, at, context) => compare(reader, at, context, count),
			);
			assert.deepEqual(
				readings,
				items.map(() => ({ value: [] })),
			);
		}),
		{ numRuns },
	);
	return count;
}
