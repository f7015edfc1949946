import type { Run } from './run';

/**
 * Serializes a large JSON value like `JSON.stringify`, but in small steps that do not block other executions.
 *
 * @param levels depth down to which lists and objects are written entry by entry
 * @param yieldToOthers is called between steps
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
	// V8 joins these strings only when the result is used. Joining a list at each level would copy the string each
	// time.
	let json = '';
	for (const [name, part] of Object.entries(value)) {
		if (part === undefined && !isList) continue;
		json += `${json === '' ? '' : ','}${isList ? '' : `${JSON.stringify(name)}:`}`;
		json += await jsonInSteps(part, levels - 1, yieldToOthers);
	}
	return isList ? `[${json}]` : `{${json}}`;
}

/** Maps a list that may be long. Between entries, lets other executions run. */
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
