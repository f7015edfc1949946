import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { nameIn } from '../formats/fields';
import { InputError } from '../service/input-error';
import { quoted } from '../service/strings';

export type Reader = (itemIndex: number) => unknown;

/** Marks a value that only n8n can read, because it is not plain JSON. */
export const NOT_PLAIN = Symbol('not plain');

const STEP = String.raw`\.[\p{ID_Start}$_][\p{ID_Continue}$]*|\["[^"\\{}\p{Cc}\u2028\u2029]*"\]|\['[^'\\{}\p{Cc}\u2028\u2029]*'\]|\[(?:0|[1-9]\d{0,8})\]`;
/**
 * Matches a single `={{ ... }}` with nothing around it. If there were a space outside the braces, n8n would turn the
 * result into a string.
 */
const PLAIN_PATH = new RegExp(String.raw`^=\{\{\s*\$json((?:${STEP})*)\s*\}\}$`, 'u');
const STEPS = new RegExp(STEP, 'gu');

const ODD_KEYS = ['prototype', 'length'];
const INDEX = /^(?:0|[1-9]\d*)$/;

/**
 * Parses an expression that only reads a field from the item, such as `={{ $json.a }}`, `={{ $json.a.b }}`, `={{
 * $json["a b"] }}`, `={{ $json.list[0] }}`, or `={{ $json }}`.
 *
 * @param expression a parameter as n8n stores it, with the leading `=`
 * @returns the path from the item's JSON to the field, or undefined for any other expression
 */
export function parsePlainPath(expression: string): string[] | undefined {
	const steps = PLAIN_PATH.exec(expression)?.[1];
	if (steps === undefined) return undefined;
	const path = Array.from(steps.matchAll(STEPS), ([step]) => keyOf(step));
	// n8n's expression engines differ in how they treat fields that have the same name as an inherited property.
	const isOdd = path.some((key) => key in Object.prototype || ODD_KEYS.includes(key));
	return isOdd ? undefined : path;
}

function keyOf(step: string): string {
	if (step.startsWith('.')) return step.slice(1);
	const inner = step.slice(1, -1);
	return /^["']/.test(inner) ? inner.slice(1, -1) : inner;
}

/**
 * Reads a field in the same way as n8n's expressions. If a step of the path is missing, the value is undefined.
 *
 * @param json the item's JSON
 * @param path the path from `parsePlainPath`
 * @returns the value, which is part of the item and must not be changed. Returns NOT_PLAIN if a value along the path or
 *   at its end is not JSON, such as a date
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
 * Returns a reader for a parameter whose expression only reads a field. Returns undefined for any other parameter. n8n
 * evaluates the expression for the first item. If the result equals the field's value, the reader reads the field from
 * all other items without n8n.
 *
 * @param raw the parameter as the workflow stores it
 * @param initial the value that applies if the workflow does not set one
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
 * Throws if a field seems to be missing only because its name contains characters that cannot be seen. n8n's Extract
 * from File node leaves a byte order mark in the name of the first column, and no-break spaces in any.
 */
function refuseMarked(json: IDataObject, [name = '']: string[]): void {
	const other = nameIn(json, name);
	if (other === undefined || other === name) return;
	if (other === `\uFEFF${name}`)
		throw new InputError(
			`The field '${name}' begins with an invisible byte order mark`,
			"Turn on 'Exclude Byte Order Mark (BOM)' in Extract from File.",
		);
	throw new InputError(
		`There is no field ${quoted(name)}, but there is ${quoted(other)}, which looks the same`,
		"Drag the field from the node's input into the parameter.",
	);
}
