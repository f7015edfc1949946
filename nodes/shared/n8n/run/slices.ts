import type { Run } from './run';

/**
 * Writes a large JSON value like `JSON.stringify`, but in small steps that do not block other executions.
 *
 * @param levels depth to which lists and objects are written entry by entry
 * @param yieldToOthers is called between two steps
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
	// V8 joins these strings when the result is used. Joining a list at each level would copy the text each time.
	let json = '';
	for (const [name, part] of Object.entries(value)) {
		if (part === undefined && !isList) continue;
		json += `${json === '' ? '' : ','}${isList ? '' : `${JSON.stringify(name)}:`}`;
		json += await jsonInSteps(part, levels - 1, yieldToOthers);
	}
	return isList ? `[${json}]` : `{${json}}`;
}

/** Maps a list that may be long. Lets other executions run between two entries. */
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
