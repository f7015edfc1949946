import type { Run } from './run';

/**
 * Works like `JSON.stringify` for large values, but in small steps that do not block other executions.
 *
 * @param levels number of nesting levels at which lists and objects are written entry by entry
 * @param yieldToOthers function that is called between steps
 */
export async function jsonInSteps(
	value: unknown,
	levels: number,
	yieldToOthers: () => Promise<void> | undefined,
): Promise<string> {
	await yieldToOthers();
	if (levels === 0 || typeof value !== 'object' || value === null)
		return JSON.stringify(value) ?? 'null';
	const isList = Array.isArray(value);
	// With `+=`, V8 does not copy the strings until the result is used. `join` would copy them at each level.
	let json = '';
	for (const [name, part] of Object.entries(value)) {
		if (part === undefined && !isList) continue;
		json += `${json === '' ? '' : ','}${isList ? '' : `${JSON.stringify(name)}:`}`;
		json += await jsonInSteps(part, levels - 1, yieldToOthers);
	}
	return isList ? `[${json}]` : `{${json}}`;
}

/** Maps a list that may be long. Other executions can run between entries. */
export async function mapInSlices<T, R>(
	list: readonly T[],
	run: Run,
	step: (entry: T, index: number) => R,
): Promise<R[]> {
	const mapped: R[] = [];
	for (const [index, entry] of list.entries()) {
		await run.yieldToOthers();
		mapped.push(step(entry, index));
	}
	return mapped;
}
