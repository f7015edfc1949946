/**
 * Nodes read simple expressions such as `{{ $json.a }}` without n8n's expression engine. For random items
 * and paths, these tests compare the values with the engine's values.
 */
import { isDeepStrictEqual } from 'node:util';

import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';

import { NOT_PLAIN, parsePlainPath, readPlainPath } from '../../nodes/shared/parameters/plain-path';
import { properties } from '../../nodes/shared/parameters/property';
import { readOnEngine } from '../../support/parameters';

const READING = properties([
	{ displayName: 'One', name: 'one', type: 'json', default: '' },
	{
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		default: {},
		options: [{ displayName: 'Two', name: 'two', type: 'string', default: '' }],
	},
]);

const anyKey = fc.oneof(
	{ weight: 12, arbitrary: fc.constantFrom('a', 'b', 'c') },
	{ weight: 2, arbitrary: fc.constantFrom('0', '1', 'a b', 'größe', 'a.b', '$', '_', 'class') },
	fc.constantFrom('length', 'constructor', '__proto__', 'prototype', 'toString', 'arguments'),
	fc.constantFrom('', ' ', '-1', '00', '1.5', '4294967295', "it's", 'x"y', 'a{b', '}}'),
	fc.string({ unit: 'binary', maxLength: 4 }),
);
const { value: anyValue } = fc.letrec<{ value: unknown }>((tie) => ({
	value: fc.oneof(
		{ depthSize: 'small', withCrossShrink: true },
		{ weight: 4, arbitrary: fc.oneof(fc.string(), fc.integer(), fc.boolean()) },
		fc.constantFrom<unknown>(null, undefined, '', NaN, Infinity, 10n, new Date(0)),
		fc.constantFrom<unknown>(JSON.parse('{"__proto__":{"a":1},"a":2}'), Buffer.from('ab')),
		{ weight: 4, arbitrary: fc.dictionary(anyKey, tie('value'), { maxKeys: 5 }) },
		{ weight: 2, arbitrary: fc.array(tie('value'), { maxLength: 3 }) },
	),
}));
const anyItem = fc.dictionary(anyKey, anyValue, { minKeys: 1, maxKeys: 6, noNullPrototype: true });

const anyStep = fc.oneof(
	{ weight: 10, arbitrary: fc.constantFrom('.a', '.b', '.c', '["a"]', "['b']", '[0]', '[1]') },
	{ weight: 2, arbitrary: anyKey.map((key) => `.${key}`) },
	{ weight: 2, arbitrary: anyKey.map((key) => `["${key}"]`) },
	fc.constantFrom('?.a', '[-1]', '[00]', '[a]', ' .a', '.a()', '[`a`]', '["\\x61"]'),
);
const anyExpression = fc
	.tuple(
		fc.constantFrom('={{ ', '={{', '={{ ', '={{\n', '= {{ ', '=x{{ '),
		fc.array(anyStep, { maxLength: 3 }),
		fc.constantFrom(' }}', '}}', ' }}', ' }}\n', ' + 1 }}', ''),
	)
	.map(([before, steps, after]) => `${before}$json${steps.join('')}${after}`);

function attempt(read: () => unknown): unknown {
	try {
		return [read()];
	} catch (error) {
		return (error as Error).message;
	}
}

const TIMEOUT_MS = 120_000;

test(
	"any field of any item has the value that n8n's expressions return",
	async () => {
		let direct = 0;
		await fc.assert(
			fc.asyncProperty(
				fc.array(anyItem, { minLength: 1, maxLength: 4 }),
				anyExpression,
				anyExpression,
				async (items, one, two) => {
					const readings = await readOnEngine(
						READING,
						{
							parameters: { one, options: { two } },
							items: items.map((json) => ({ json: json as IDataObject })),
						},
						(parameters, at, context) => {
							const path = parsePlainPath(one);
							const { json } = context.getInputData()[at];
							// For the first item, the Parameters class compares its own result with n8n's. The test
							// reads the field without that class, so that the check is independent.
							const plain = path ? readPlainPath(json, path) : NOT_PLAIN;
							const n8ns = attempt(() => context.getNodeParameter('one', at));
							if (plain !== NOT_PLAIN && Array.isArray(n8ns)) direct++;
							const isPlain = plain === NOT_PLAIN || !Array.isArray(n8ns);
							return ['one', 'options.two' as const].every(
								(name) =>
									isDeepStrictEqual(
										attempt(() => parameters.value(name as 'one', at)),
										attempt(() => context.getNodeParameter(name, at)),
									) &&
									(isPlain || isDeepStrictEqual([plain], n8ns)),
							);
						},
					);
					expect(readings).toEqual(items.map(() => ({ value: true })));
				},
			),
			{ numRuns: 60 },
		);
		// If no field had been read directly, the test would have compared nothing.
		expect(direct).toBeGreaterThan(0);
	},
	TIMEOUT_MS,
);
