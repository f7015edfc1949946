import type { Run } from './run';

/**
 * `JSON.stringify` of an object as JSON has them, which may be large: one long list in it, say, is written
 * entry by entry.
 *
 * @param levels how deep lists and objects are written in steps
 * @param yieldToOthers called between two steps
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
	// Joined only when it is used: each level would copy all of it.
	let json = '';
	for (const [name, part] of Object.entries(value)) {
		if (part === undefined && !isList) continue;
		json += `${json === '' ? '' : ','}${isList ? '' : `${JSON.stringify(name)}:`}`;
		json += await jsonInSteps(part, levels - 1, yieldToOthers);
	}
	return isList ? `[${json}]` : `{${json}}`;
}

/** `map` of a list that may be long; breathes between two entries. */
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
