/** Stands for "only n8n can tell": what is no plain JSON, or may not be reached this way. */
export const NOT_PLAIN = Symbol('not plain');

const STEP = String.raw`\.[\p{ID_Start}$_][\p{ID_Continue}$]*|\["[^"\\{}\p{Cc}\u2028\u2029]*"\]|\['[^'\\{}\p{Cc}\u2028\u2029]*'\]|\[(?:0|[1-9]\d{0,8})\]`;
/** One `={{ ... }}` and nothing around it: with a space outside, n8n makes a text of the result. */
const PLAIN_PATH = new RegExp(String.raw`^=\{\{\s*\$json((?:${STEP})*)\s*\}\}$`, 'u');
const STEPS = new RegExp(STEP, 'gu');

const INDEX = /^(?:0|[1-9]\d*)$/;

/** More levels than any real item has; deeper values are left to n8n. */
const MAX_DEPTH = 100;

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
	return path.every(isOrdinary) ? path : undefined;
}

function keyOf(step: string): string {
	if (step.startsWith('.')) return step.slice(1);
	const inner = step.slice(1, -1);
	return /^["']/.test(inner) ? inner.slice(1, -1) : inner;
}

/** n8n's engines differ on fields with such a name; some refuse them. */
const isInherited = (key: string): boolean => key in Object.prototype;

const isOrdinary = (key: string): boolean =>
	!isInherited(key) && key !== 'prototype' && key !== 'length';

/**
 * Reads a field as n8n's expressions do: a missing step gives undefined, however many follow.
 *
 * @param json the item's JSON
 * @param path steps from `parsePlainPath`
 * @returns the value, which is a part of the item and must not be changed; NOT_PLAIN where a step
 * leads through, or ends in, something other than plain JSON
 */
export function readPlainPath(json: unknown, path: readonly string[]): unknown {
	let value = json;
	if (typeof value !== 'object' || value === null) return NOT_PLAIN;
	for (const key of path) {
		if (value === undefined || value === null) return undefined;
		if (!isPlainContainer(value)) return NOT_PLAIN;
		if (Array.isArray(value) && !INDEX.test(key)) return NOT_PLAIN;
		value = Object.hasOwn(value, key) ? value[key] : undefined;
	}
	return value === undefined || isPlainJson(value, []) ? value : NOT_PLAIN;
}

function isPlainContainer(value: unknown): value is Record<string, unknown> {
	if (typeof value !== 'object' || value === null) return false;
	const prototype: unknown = Object.getPrototypeOf(value);
	if (Array.isArray(value)) return prototype === Array.prototype;
	return prototype === Object.prototype || prototype === null;
}

/** Whether a value is made of nothing but JSON's types; undefined members of objects count as absent. */
function isPlainJson(value: unknown, ancestors: readonly unknown[]): boolean {
	switch (typeof value) {
		case 'string':
		case 'boolean':
		case 'undefined':
			return true;
		case 'number':
			return Number.isFinite(value);
		case 'object':
			break;
		default:
			return false;
	}
	if (value === null) return true;
	if (!isPlainContainer(value)) return false;
	if (ancestors.length >= MAX_DEPTH || ancestors.includes(value)) return false;
	const path = [...ancestors, value];
	if (Array.isArray(value)) {
		return !value.includes(undefined) && value.every((entry) => isPlainJson(entry, path));
	}
	return Object.entries(value).every(
		([key, member]) => !isInherited(key) && isPlainJson(member, path),
	);
}
