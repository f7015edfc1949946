/**
 * Parses the format in which n8n returns execution data (npm package `flatted`). It is a JSON array, and its first
 * entry is the value. Inside an object or array, each string is the index of the entry that belongs there.
 */
export function parseFlatted(text: string): unknown {
	const entries = JSON.parse(text) as unknown[];
	const done = new Map<string, unknown>();
	const resolve = (value: unknown): unknown => {
		if (typeof value !== 'string') return value;
		if (done.has(value)) return done.get(value);
		const entry = entries[Number(value)];
		if (typeof entry !== 'object' || entry === null) {
			done.set(value, entry);
			return entry;
		}
		const target: Record<string, unknown> | unknown[] = Array.isArray(entry) ? [] : {};
		done.set(value, target);
		for (const [key, inner] of Object.entries(entry)) {
			(target as Record<string, unknown>)[key] = resolve(inner);
		}
		return target;
	};
	return resolve('0');
}
