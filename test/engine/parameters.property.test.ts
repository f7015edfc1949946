/**
 * Nodes read simple expressions such as `{{ $json.a }}` without n8n's expression engine. For random items
 * and paths, these tests compare the values with the engine's values.
 */
import { isDeepStrictEqual } from 'node:util';

import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';

import { nameIn } from '../../nodes/shared/formats/fields';
import { NOT_PLAIN, parsePlainPath, readPlainPath } from '../../nodes/shared/parameters/plain-path';
import { properties } from '../../nodes/shared/parameters/property';
import { readOnEngine } from '../../support/parameters';
import { runs } from '../../support/runs';
import { occurring, Variations } from '../../support/variations';

jest.setTimeout(120_000);

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

const INHERITED = ['length', 'constructor', '__proto__', 'prototype', 'toString', 'arguments'];
const ODD_KEYS = ['', ' ', '-1', '00', '1.5', '4294967295', "it's", 'x"y', 'a{b', '}}'];
/** Keys that look like 'a', but are not. */
const LOOKALIKES = ['\ufeffa', 'a\u00a0', '\u200ba'];
const anyKey = fc.oneof(
	{ weight: 12, arbitrary: fc.constantFrom('a', 'b', 'c') },
	{ weight: 2, arbitrary: fc.constantFrom('0', '1', 'a b', 'größe', 'a.b', '$', '_', 'class') },
	{ weight: 5, arbitrary: fc.constantFrom(...INHERITED) },
	fc.constantFrom(...ODD_KEYS),
	fc.constantFrom(...LOOKALIKES),
	fc.string({ unit: 'binary', maxLength: 4 }),
);
/** Values that JSON does not contain. */
const NOT_JSON: Record<string, unknown> = {
	NaN,
	Infinity,
	'a bigint': 10n,
	'a date': new Date(0),
	bytes: Buffer.from('ab'),
};
const { value: anyValue } = fc.letrec<{ value: unknown }>((tie) => ({
	value: fc.oneof(
		{ depthSize: 'small', withCrossShrink: true },
		{ weight: 4, arbitrary: fc.oneof(fc.string(), fc.integer(), fc.boolean()) },
		{ weight: 6, arbitrary: fc.constantFrom<unknown>(null, undefined, '') },
		{ weight: 8, arbitrary: fc.constantFrom<unknown>(...Object.values(NOT_JSON)) },
		fc.constant<unknown>(JSON.parse('{"__proto__":{"a":1},"a":2}')),
		{ weight: 4, arbitrary: fc.dictionary(anyKey, tie('value'), { maxKeys: 5 }) },
		{ weight: 2, arbitrary: fc.array(tie('value'), { maxLength: 3 }) },
	),
}));
const anyItem = fc.dictionary(anyKey, anyValue, { minKeys: 1, maxKeys: 6, noNullPrototype: true });

const PLAIN_STEPS = ['.a', '.b', '.c', '["a"]', "['b']", '[0]', '[1]'];
const ODD_STEPS = ['?.a', '[-1]', '[00]', '[a]', ' .a', '.a()', '[`a`]', '["\\x61"]'];
const anyStep = fc.oneof(
	{ weight: 10, arbitrary: fc.constantFrom(...PLAIN_STEPS) },
	{ weight: 2, arbitrary: anyKey.map((key) => `.${key}`) },
	{ weight: 2, arbitrary: anyKey.map((key) => `["${key}"]`) },
	{ weight: 2, arbitrary: fc.constantFrom(...ODD_STEPS) },
);
const BEGINNINGS = ['={{ ', '={{', '={{\n', '= {{ ', '=x{{ '];
const ENDS = [' }}', '}}', ' }}\n', ' + 1 }}', ''];
const anyExpression = fc.record({
	before: fc.oneof({ weight: 4, arbitrary: fc.constant('={{ ') }, fc.constantFrom(...BEGINNINGS)),
	steps: fc.array(anyStep, { maxLength: 3 }),
	after: fc.oneof({ weight: 4, arbitrary: fc.constant(' }}') }, fc.constantFrom(...ENDS)),
});

/** Describes a value that was read without n8n. */
function kindOf(value: unknown): string {
	if (value === null) return 'null';
	return Array.isArray(value) ? 'list' : typeof value;
}
const KINDS = ['string', 'number', 'boolean', 'null', 'undefined', 'list', 'object'];

const FIELDS = [
	...Object.keys(NOT_JSON),
	...['a name in a list', 'a name in a text', 'a field with the name of an inherited property'],
];

/** Returns what is special about the field that an expression reads. */
function specialOf(json: unknown, steps: string[]): string[] {
	const names = steps.map((step) => step.replace(/^\.|^\["?|"?\]$/g, ''));
	const parents: unknown[] = [json];
	for (const name of names) {
		const parent = parents.at(-1);
		const isOwn = typeof parent === 'object' && parent && Object.hasOwn(parent, name);
		parents.push(isOwn ? (parent as Record<string, unknown>)[name] : undefined);
	}
	const isIn = (at: number, found: boolean, keys: RegExp) => found && keys.test(names[at] ?? '');
	return [
		...Object.keys(NOT_JSON).filter((name) => Object.is(NOT_JSON[name], parents.at(-1))),
		...parents.flatMap((parent, at) => {
			if (isIn(at, Array.isArray(parent), /^[a-c]$|^length$/)) return 'a name in a list';
			return isIn(at, typeof parent === 'string', /./) ? 'a name in a text' : [];
		}),
		...names.flatMap((name, at) =>
			INHERITED.includes(name) && parents[at + 1] !== undefined
				? 'a field with the name of an inherited property'
				: [],
		),
	];
}

const OTHER_WAYS = [
	...['an expression that only n8n can read', 'a value that only n8n can read'],
	...['an expression that fails', 'a field whose name looks the same'],
];

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
		const variations = new Variations();
		await fc.assert(
			fc.asyncProperty(
				fc.array(anyItem, { minLength: 1, maxLength: 4 }),
				anyExpression,
				anyExpression,
				async (items, ...expressions) => {
					const occurred = new Set<string>();
					const [one = '', two = ''] = expressions.map(
						({ before, steps, after }) => `${before}$json${steps.join('')}${after}`,
					);
					const readings = await readOnEngine(
						READING,
						{
							parameters: { one, options: { two } },
							items: items.map((json) => ({ json: json as IDataObject })),
						},
						(parameters, at, context) => {
							const { json } = context.getInputData()[at];
							for (const { steps } of expressions)
								for (const name of specialOf(json, steps)) occurred.add(name);
							const isAsInN8n = (name: 'one' | 'options.two', expression: string) => {
								const path = parsePlainPath(expression);
								// For the first item, the Parameters class compares its own result with n8n's. The
								// test reads the field without that class, so that the check is independent.
								const plain = path ? readPlainPath(json, path) : NOT_PLAIN;
								const n8ns = attempt(() => context.getNodeParameter(name, at));
								const found = attempt(() => parameters.value(name as 'one', at));
								const [field = ''] = path ?? [];
								const isLookalike =
									plain === undefined &&
									nameIn(json, field) !== undefined &&
									!Object.hasOwn(json, field);
								if (!path) occurred.add(OTHER_WAYS[0]);
								else if (plain === NOT_PLAIN) occurred.add(OTHER_WAYS[1]);
								else if (Array.isArray(n8ns)) occurred.add(kindOf(plain));
								if (!Array.isArray(n8ns)) occurred.add(OTHER_WAYS[2]);
								if (isLookalike) {
									occurred.add(OTHER_WAYS[3]);
									return (
										(!Array.isArray(n8ns) ||
											isDeepStrictEqual(n8ns, [undefined])) &&
										/byte order mark|looks the same/.test(String(found))
									);
								}
								const isPlain = plain === NOT_PLAIN || !Array.isArray(n8ns);
								return (
									isDeepStrictEqual(found, n8ns) &&
									(isPlain || isDeepStrictEqual([plain], n8ns))
								);
							};
							return isAsInN8n('one', one) && isAsInN8n('options.two', two);
						},
					);
					expect(readings).toEqual(items.map(() => ({ value: true })));
					const steps = expressions.flatMap((each) => each.steps);
					const isKey = (keys: string[]) =>
						steps.some((step) =>
							keys.some((key) => [`.${key}`, `["${key}"]`].includes(step)),
						);
					variations.note({
						...occurring([...PLAIN_STEPS, ...ODD_STEPS], (step) =>
							steps.includes(step),
						),
						...occurring(BEGINNINGS, (begin) =>
							expressions.some(({ before }) => before === begin),
						),
						...occurring(ENDS, (end) => expressions.some(({ after }) => after === end)),
						...occurring([...KINDS, ...FIELDS, ...OTHER_WAYS], (kind) =>
							occurred.has(kind),
						),
						'a step to an inherited property': isKey(INHERITED),
						'a step to an odd key': isKey(ODD_KEYS),
					});
				},
			),
			{ numRuns: runs(800) },
		);
		expect(variations.rarerThan(0)).toEqual([]);
	},
	TIMEOUT_MS,
);
