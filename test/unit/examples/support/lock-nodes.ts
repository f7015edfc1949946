/**
 * The nodes of a sync that renew and release its lock, and that end a run after an outage, with the expressions of the example. So the model of a sync uses
 * the conditions that n8n uses, and not others that only look the same.
 */
import { scheduled, sync } from '../../../../examples/src/parts/sync';
import type { Row } from '../../../../examples/src/parts/types';
import type { WorkflowNode } from '../../../../examples/src/parts/workflow';
import { codeOf, evaluate as evaluateIn, runCode } from './expressions';

/** What an expression can read. Each node's output is a list of JSON objects. */
export interface Scope {
	/** Returns the time in so many minutes as an ISO string. */
	inMinutes: (minutes: number) => string;
	input: object[];
	outputs: Record<string, object>;
}

interface Condition {
	keyName: 'id' | 'lockedUntil';
	condition: 'eq' | 'lte' | 'gt';
	keyValue: string;
}

interface Parameters {
	matchType: 'allConditions' | 'anyCondition';
	filters: { conditions: Condition[] };
	columns?: { value: { lockedUntil: string } };
	conditions: { conditions: Array<{ leftValue: string }> };
}

const { nodes } = sync({
	...{ name: 'A sync', about: { content: '', protection: '', height: 100 }, ...scheduled() },
	...{ list: { nodes: [], documents: '[]' }, isChunked: true },
});

/** @throws Error if there is no such node */
function parametersOf(name: string): Parameters {
	const found = nodes.find((node: WorkflowNode) => node.name === name);
	if (found === undefined) throw new Error(`There is no node '${name}'`);
	return found.parameters as Parameters;
}

/** Evaluates an expression such as `={{ $json.id }}`. */
function evaluate(expression: string, { inMinutes, input, outputs }: Scope): unknown {
	const time = (minutes: number) => ({ toISO: () => inMinutes(minutes) });
	const now = { ...time(0), plus: ({ minutes }: { minutes: number }) => time(minutes) };
	const itemsOf = (all: object[]) => {
		const items = all.map((json) => ({ json }));
		return { all: () => items, first: () => items[0] };
	};
	return runCode(codeOf(expression), {
		...{ $json: input[0] ?? {}, $input: itemsOf(input), $now: now },
		$: (name: string) => itemsOf([outputs[name] ?? {}]),
	});
}

const COMPARISONS: Record<Condition['condition'], (one: number, other: number) => boolean> = {
	eq: (one, other) => one === other,
	lte: (one, other) => one <= other,
	gt: (one, other) => one > other,
};

/** A value of a row or a condition as a number. An empty value is not a number, so no condition is true for it. */
const numberOf = (value: unknown): number =>
	typeof value === 'string' ? new Date(value).getTime() : Number(value ?? NaN);

/** Returns whether a data table node applies to a row. */
function applies(name: string, row: Row, scope: Scope): boolean {
	const { matchType, filters } = parametersOf(name);
	const results = filters.conditions.map(({ keyName, condition, keyValue }) =>
		COMPARISONS[condition](numberOf(row[keyName]), numberOf(evaluate(keyValue, scope))),
	);
	return matchType === 'allConditions' ? results.every(Boolean) : results.some(Boolean);
}

/**
 * Renews the lock of a run.
 *
 * @returns the rows after that, and whether the run goes on
 */
export function renewed<R extends Row>(
	rows: R[],
	[renew, filter]: [renew: string, filter: string],
	scope: Scope,
): { rows: R[]; goesOn: boolean } {
	const { columns } = parametersOf(renew);
	const lockedUntil = evaluate(columns?.value.lockedUntil ?? '', scope) as string;
	const updated: R[] = [];
	const all = rows.map((row) => {
		if (!applies(renew, row, scope)) return row;
		const changed = { ...row, lockedUntil };
		updated.push(changed);
		return changed;
	});
	const { conditions } = parametersOf(filter).conditions;
	const goesOn = conditions.every(({ leftValue }) =>
		// With Always Output Data, nothing becomes one empty item.
		evaluate(leftValue, { ...scope, input: updated.length > 0 ? updated : [{}] }),
	);
	return { rows: all, goesOn };
}

/** Releases the lock. Returns the rows that stay. */
export const unlocked = <R extends Row>(rows: R[], scope: Scope): R[] =>
	rows.filter((row) => !applies('Unlock', row, scope));

/** Returns whether a run goes on after the batches that returned these rows. */
export function serviceAnswers(rows: object[]): boolean {
	const processedItems = rows.map((json) => ({ json }));
	const contexts = { 'Loop Over Batches': { processedItems } };
	const { conditions } = parametersOf('Service Answers').conditions;
	return conditions.every(({ leftValue }) => evaluateIn(leftValue, { contexts }));
}
