import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { NOT_PLAIN, parsePlainPath, readPlainPath } from './plain-path';

/** What to read, and what it is where the workflow says nothing. */
export interface SourceOptions {
	name: string;
	fallback: unknown;
	/** Lets n8n take the value out of a resource locator, by the pattern of its mode. */
	extractValue?: boolean;
	/** Leaves every evaluation to n8n. */
	onlyEngine?: boolean;
}

/** Takes a value out of an item's JSON. */
type Reader = (json: unknown) => unknown;

/**
 * One parameter of a node, for all items. An evaluation by n8n costs 0.1 to 0.7 ms and blocks
 * everything else, so a parameter without expressions is evaluated once, and expressions that only
 * read a field are answered from the item itself. For the first item n8n evaluates them as well: only
 * if both agree, the others are read directly.
 */
export class ParameterSource {
	private readonly reader: Reader | undefined;
	private readonly isConstant: boolean;
	private constant: { value: unknown } | undefined;
	private agrees: boolean | undefined;

	constructor(
		private readonly context: IExecuteFunctions,
		private readonly items: INodeExecutionData[],
		private readonly options: SourceOptions,
	) {
		const { name, fallback, onlyEngine } = options;
		const raw: unknown = context.getNodeParameter(name, 0, fallback, { rawExpressions: true });
		this.isConstant = !hasExpression(raw);
		this.reader = onlyEngine ? undefined : readerOf(raw);
	}

	/**
	 * The value for an item, as n8n would give it.
	 *
	 * @returns a value that may belong to the item or to all items: it must not be changed
	 * @throws what n8n throws for an expression that fails
	 */
	read(itemIndex: number): unknown {
		if (this.isConstant) {
			this.constant ??= { value: this.evaluate(itemIndex) };
			return this.constant.value;
		}
		if (this.reader === undefined || this.agrees === false) return this.evaluate(itemIndex);
		const direct = this.reader(this.items[itemIndex]?.json);
		if (direct === NOT_PLAIN) return this.evaluate(itemIndex);
		return this.agrees ? direct : this.compared(direct, itemIndex);
	}

	private compared(direct: unknown, itemIndex: number): unknown {
		// Stays so if n8n refuses the expression.
		this.agrees = false;
		const value = this.evaluate(itemIndex);
		this.agrees = isSame(direct, value);
		return value;
	}

	private evaluate(itemIndex: number): unknown {
		const { name, fallback, extractValue = false } = this.options;
		return this.context.getNodeParameter(name, itemIndex, fallback, { extractValue });
	}
}

const isExpression = (raw: unknown): raw is string =>
	typeof raw === 'string' && raw.startsWith('=');

const hasExpression = (raw: unknown): boolean =>
	typeof raw === 'object' && raw !== null
		? Object.values(raw).some(hasExpression)
		: isExpression(raw);

/** Reads a parameter, or a collection with its members; undefined if only n8n can. */
function readerOf(raw: unknown): Reader | undefined {
	if (isExpression(raw)) {
		const path = parsePlainPath(raw);
		return path && ((json) => readPlainPath(json, path));
	}
	if (typeof raw !== 'object' || raw === null) return () => raw;
	const members: Array<[string, Reader]> = [];
	for (const [key, value] of Object.entries(raw)) {
		const reader = readerOf(value);
		if (reader === undefined) return undefined;
		members.push([key, reader]);
	}
	return (json) => {
		const entries = members.map(([key, reader]) => [key, reader(json)] as const);
		if (entries.some(([, value]) => value === NOT_PLAIN)) return NOT_PLAIN;
		return Array.isArray(raw) ? entries.map(([, value]) => value) : Object.fromEntries(entries);
	};
}

function isSame(one: unknown, other: unknown): boolean {
	if (Object.is(one, other)) return true;
	const areObjects = typeof one === 'object' && typeof other === 'object';
	return areObjects && JSON.stringify(one) === JSON.stringify(other);
}
