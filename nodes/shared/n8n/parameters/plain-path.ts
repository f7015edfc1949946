import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { InputError } from '../../service/input-error';

/** Gives a value of an item. */
export type Reader = (itemIndex: number) => unknown;

/** Stands for "only n8n can tell": what is no plain JSON, or may not be reached this way. */
export const NOT_PLAIN = Symbol('not plain');

const STEP = String.raw`\.[\p{ID_Start}$_][\p{ID_Continue}$]*|\["[^"\\{}\p{Cc}\u2028\u2029]*"\]|\['[^'\\{}\p{Cc}\u2028\u2029]*'\]|\[(?:0|[1-9]\d{0,8})\]`;
/** One `={{ ... }}` and nothing around it: with a space outside, n8n makes a text of the result. */
const PLAIN_PATH = new RegExp(String.raw`^=\{\{\s*\$json((?:${STEP})*)\s*\}\}$`, 'u');
const STEPS = new RegExp(STEP, 'gu');

const ODD_KEYS = ['prototype', 'length'];
const INDEX = /^(?:0|[1-9]\d*)$/;

/**
 * Parses an expression that does nothing but read a field of the item: `={{ $json.a }}`,
 * `={{ $json.a.b }}`, `={{ $json["a b"] }}`, `={{ $json.list[0] }}`, `={{ $json }}`.
 *
 * @param expression a parameter as n8n stores it, with the leading `=`
 * @returns the steps from the item's JSON to the field, or undefined for any other expression
 */
export function parsePlainPath(expression: string): string[] | undefined {
	const steps = PLAIN_PATH.exec(expression)?.[1];
	if (steps === undefined) return undefined;
	const path = Array.from(steps.matchAll(STEPS), ([step]) => keyOf(step));
	// n8n's engines differ on fields with the names of inherited members; some refuse them.
	const isOdd = path.some((key) => key in Object.prototype || ODD_KEYS.includes(key));
	return isOdd ? undefined : path;
}

function keyOf(step: string): string {
	if (step.startsWith('.')) return step.slice(1);
	const inner = step.slice(1, -1);
	return /^["']/.test(inner) ? inner.slice(1, -1) : inner;
}

/**
 * Reads a field as n8n's expressions do: a missing step gives undefined, however many follow.
 *
 * @param json the item's JSON
 * @param path steps from `parsePlainPath`
 * @returns the value, which is a part of the item and must not be changed; NOT_PLAIN where a step
 * leads through, or ends in, something that JSON does not have, such as a date
 */
export function readPlainPath(json: unknown, path: readonly string[]): unknown {
	let value = json;
	for (const key of path) {
		if (value === undefined || value === null) return undefined;
		if (!isContainer(value) || (Array.isArray(value) && !INDEX.test(key))) return NOT_PLAIN;
		value = Object.hasOwn(value, key) ? value[key] : undefined;
	}
	const isLeaf = value === undefined || value === null || LEAVES.has(typeof value);
	return isLeaf || Number.isFinite(value) || isContainer(value) ? value : NOT_PLAIN;
}

const LEAVES = new Set(['string', 'boolean']);

function isContainer(value: unknown): value is Record<string, unknown> {
	if (typeof value !== 'object' || value === null) return false;
	const prototype: unknown = Object.getPrototypeOf(value);
	if (Array.isArray(value)) return prototype === Array.prototype;
	return prototype === Object.prototype || prototype === null;
}

/**
 * Returns how to read an expression that only reads a field directly from the items, once n8n has given the same for
 * the first one; undefined for any other parameter.
 *
 * @param raw the parameter as the workflow has it
 * @param initial its value if the workflow has none
 */
export function plainReader(
	context: IExecuteFunctions,
	path: string,
	raw: unknown,
	initial: unknown,
): Reader | undefined {
	const steps = typeof raw === 'string' ? parsePlainPath(raw) : undefined;
	if (steps === undefined) return undefined;
	const items = context.getInputData();
	let agrees: boolean | undefined;
	return (itemIndex) => {
		const { json = {} } = items[itemIndex] ?? {};
		const direct = agrees === false ? NOT_PLAIN : readPlainPath(json, steps);
		if (direct === undefined) refuseMarked(json, steps);
		if (agrees && direct !== NOT_PLAIN) return direct;
		const value: unknown = context.getNodeParameter(path, itemIndex, initial);
		if (direct !== NOT_PLAIN) agrees ??= isSame(direct, value);
		return value;
	};
}

const isSame = (one: unknown, other: unknown): boolean =>
	Object.is(one, other) || JSON.stringify(one) === JSON.stringify(other);

/**
 * Refuses to take a field for missing that begins with a byte order mark, as n8n's Extract from File leaves
 * it in the name of the first column.
 */
function refuseMarked(json: IDataObject, [name = '']: string[]): void {
	if (!Object.hasOwn(json, `\uFEFF${name}`)) return;
	throw new InputError(
		`The field '${name}' begins with an invisible byte order mark`,
		"Turn on 'Exclude Byte Order Mark (BOM)' in Extract from File.",
	);
}
