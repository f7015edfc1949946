export const NOT_OVER: ReadonlySet<string> = new Set(['new', 'running', 'waiting']);

export interface Item {
	json: Record<string, unknown>;
	binary?: Record<string, { fileName?: string; mimeType?: string; id?: string }>;
}

export interface Execution {
	id: string;
	status: string;
	milliseconds: number;
	message?: string;
	/** Returns a node's items from all of its outputs and runs. */
	items(nodeName: string): Item[];
}

export interface ExecutionSummary {
	id: string;
	status: string;
	startedAt: string | null;
	stoppedAt: string | null;
}

export interface StoredExecution {
	id: string;
	status: string;
	startedAt: string;
	stoppedAt?: string;
	/** Execution data, serialized with `flatted`. */
	data: string;
}

interface ExecutionData {
	resultData: {
		runData?: Record<string, Array<{ data?: Record<string, Array<Item[] | null>> }>>;
		error?: { message?: string; description?: string };
	};
}

/** Returns true once an execution has ended and its data is stored. n8n stores the status before the data. */
export function isOver({ status, data }: StoredExecution): boolean {
	if (NOT_OVER.has(status)) return false;
	const stored = parseFlatted(data) as Partial<ExecutionData> | undefined;
	const { error, runData = {} } = stored?.resultData ?? {};
	return error !== undefined || Object.keys(runData).length > 0;
}

export function readExecution(stored: StoredExecution): Execution {
	const { resultData } = parseFlatted(stored.data) as ExecutionData;
	const { error, runData } = resultData;
	const end = stored.stoppedAt ?? stored.startedAt;
	const reason = [error?.message, error?.description].filter((text) => text).join(' - ');
	return {
		id: stored.id,
		status: stored.status,
		milliseconds: Date.parse(end) - Date.parse(stored.startedAt),
		...(reason === '' ? {} : { message: reason }),
		items: (nodeName) =>
			(runData?.[nodeName] ?? [])
				.flatMap(({ data }) => Object.values(data ?? {}).flat())
				.flatMap((output) => output ?? []),
	};
}

/**
 * Parses the format in which n8n returns execution data (npm package `flatted`). The data is a JSON array, and the
 * first entry is the value. Inside an object or array, each string is the index of the entry that belongs there.
 */
function parseFlatted(text: string): unknown {
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
