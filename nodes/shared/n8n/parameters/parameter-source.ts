import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { NOT_PLAIN, parsePlainPath, readPlainPath } from './plain-path';

/** Which parameter to read, and its value if the workflow has none. */
export interface SourceOptions {
	name: string;
	fallback: unknown;
	/** Lets n8n take the value out of a resource locator, by the pattern of its mode. */
	extractValue?: boolean;
	/** Whether n8n has to evaluate every expression. */
	onlyEngine?: boolean;
}

/** Gives a value of an item. */
type Reader = (itemIndex: number) => unknown;

/**
 * One parameter of a node, for all items. An evaluation by n8n costs 0.1 to 0.7 ms and blocks
 * everything else, so a parameter without expressions is evaluated once, and expressions that only
 * read a field are answered from the item itself. For the first item n8n evaluates them as well: only
 * if both agree, the others are read directly.
 */
export class ParameterSource {
	private readonly isConstant: boolean;
	private readonly direct: Reader | undefined;
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
		if (this.isConstant || onlyEngine || !hasPlainPath(raw) || needsSiblings(raw)) return;
		this.direct = this.readerOf(raw, name);
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
		if (this.direct === undefined || this.agrees === false) return this.evaluate(itemIndex);
		return this.agrees ? this.direct(itemIndex) : this.compared(this.direct, itemIndex);
	}

	private compared(direct: Reader, itemIndex: number): unknown {
		// Stays so if n8n refuses the expression.
		this.agrees = false;
		const value = this.evaluate(itemIndex);
		this.agrees = isSame(direct(itemIndex), value);
		return value;
	}

	/** Reads a parameter, or a collection member by member. */
	private readerOf(raw: unknown, path: string): Reader {
		if (isExpression(raw)) return this.expressionReader(raw, path);
		if (typeof raw !== 'object' || raw === null) return () => raw;
		if (Array.isArray(raw)) {
			const entries = raw.map((entry, at) => this.readerOf(entry, `${path}[${at}]`));
			return (itemIndex) => entries.map((entry) => entry(itemIndex));
		}
		const members = Object.entries(raw).map(
			([key, member]) => [key, this.readerOf(member, `${path}.${key}`)] as const,
		);
		return (itemIndex) =>
			Object.fromEntries(members.map(([key, member]) => [key, member(itemIndex)]));
	}

	private expressionReader(expression: string, path: string): Reader {
		const steps = parsePlainPath(expression);
		return (itemIndex) => {
			const json = this.items[itemIndex]?.json;
			const value = steps === undefined ? NOT_PLAIN : readPlainPath(json, steps);
			return value === NOT_PLAIN ? this.evaluate(itemIndex, path) : value;
		};
	}

	/** @param path a part of the parameter; the whole unless given */
	private evaluate(itemIndex: number, path = this.options.name): unknown {
		const { fallback, extractValue = false } = this.options;
		return this.context.getNodeParameter(path, itemIndex, fallback, { extractValue });
	}
}

const isExpression = (raw: unknown): raw is string =>
	typeof raw === 'string' && raw.startsWith('=');

/** Whether any expression within a parameter meets a condition. */
const someExpression = (raw: unknown, meets: (expression: string) => boolean): boolean =>
	typeof raw === 'object' && raw !== null
		? Object.values(raw).some((member) => someExpression(member, meets))
		: isExpression(raw) && meets(raw);

const hasExpression = (raw: unknown): boolean => someExpression(raw, () => true);

const hasPlainPath = (raw: unknown): boolean =>
	someExpression(raw, (expression) => parsePlainPath(expression) !== undefined);

/** `$parameter["&name"]` is a member beside the expression: n8n must evaluate both together. */
const needsSiblings = (raw: unknown): boolean =>
	someExpression(raw, (expression) => /parameter/i.test(expression) && expression.includes('&'));

function isSame(one: unknown, other: unknown): boolean {
	if (Object.is(one, other)) return true;
	const areObjects = typeof one === 'object' && typeof other === 'object';
	return areObjects && JSON.stringify(one) === JSON.stringify(other);
}
