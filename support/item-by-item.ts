/**
 * Compares a run over two items, whose parameter is an expression with a value for each item, with runs whose parameter
 * is a constant. In this way, tests notice a parameter that is read for the wrong item.
 */
import {
	NodeHelpers,
	type IDataObject,
	type INodeExecutionData,
	type INodeParameters,
	type INodeProperties,
	type INodeType,
	type NodeParameterValueType,
} from 'n8n-workflow';

import { Parameters } from '../nodes/shared/parameters/parameters';
import type { Sandbox } from '../sandbox';
import type { TestFiles } from './binary-data';
import type { RunResult } from './engine';
import { TO_ERROR_OUTPUT, type nodeRunner } from './sandbox';

/** One way in which a node gets its entries. */
export interface Road {
	name: string;
	parameters: INodeParameters;
	/** Returns the first or second item. */
	item: (at: number) => Promise<INodeExecutionData>;
}

/** Two values of a parameter with different effects, and what these effects need. */
export interface Row {
	/** `each`: every item has its own value. `first`: the first item's value holds for the whole run. */
	applies: 'each' | 'first';
	values: readonly [unknown, unknown];
	/** Parameters without which the values would have no effect. */
	needs?: INodeParameters;
	/** Returns the file of the first or second item, if the road's own file does not show the effect. */
	file?: (at: number) => { content: string | Buffer; name: string };
	/** Returns the parameters that contain a value. By default, the parameter is found by its path. */
	set?: (value: NodeParameterValueType) => INodeParameters;
	/** Returns an expression from the source code of a value. By default, the value stands alone. */
	expression?: (source: string) => string;
	prepare?: (sandbox: Sandbox) => void;
}

export type Rows = Record<string, Row>;

/** Merges parameters. The members of collections are merged as well. */
export function merged(one: INodeParameters, other: INodeParameters): INodeParameters {
	const all = { ...one };
	for (const [name, value] of Object.entries(other)) {
		const before = all[name];
		all[name] =
			isObject(before) && isObject(value) && !('__rl' in value)
				? merged(before, value)
				: value;
	}
	return all;
}

const isObject = (value: unknown): value is INodeParameters =>
	typeof value === 'object' && value !== null && !Array.isArray(value);

const at = (path: string, value: NodeParameterValueType): INodeParameters =>
	path
		.split('.')
		.reduceRight<NodeParameterValueType>((inner, name) => ({ [name]: inner }), value) as never;

/** Returns the paths of all parameters that can contain an expression. Members of a collection have a path each. */
export const pathsOf = ({ description }: INodeType): string[] => [
	...new Set(description.properties.flatMap((property) => pathsIn(property))),
];

function pathsIn(property: INodeProperties, before = ''): string[] {
	const { name, type, noDataExpression, options = [] } = property;
	if (type === 'notice' || noDataExpression) return [];
	const path = before + name;
	if (type === 'collection')
		return (options as INodeProperties[]).flatMap((each) => pathsIn(each, `${path}.`));
	if (type !== 'fixedCollection') return [path];
	return (options as Array<{ name: string; values: INodeProperties[] }>).flatMap((group) =>
		group.values.flatMap((each) => pathsIn(each, `${path}.${group.name}.`)),
	);
}

/** Returns whether the editor shows a parameter if the others have these values. */
export function isShown(
	{ description }: INodeType,
	path: string,
	parameters: INodeParameters,
): boolean {
	const { properties } = description;
	const node = { typeVersion: 1 };
	const all = NodeHelpers.getNodeParameters(
		properties,
		parameters,
		true,
		false,
		node,
		description,
	) as INodeParameters;
	const shown = (siblings: INodeParameters, list: INodeProperties[], name?: string) =>
		list.find(
			(each) =>
				each.name === name &&
				NodeHelpers.displayParameter(siblings, each, node, description, all),
		);
	const [name, member] = path.split('.');
	const property = shown(all, properties, name);
	if (property?.type !== 'collection') return property !== undefined;
	const siblings = (all[name ?? ''] ?? {}) as INodeParameters;
	return shown(siblings, property.options as INodeProperties[], member) !== undefined;
}

export interface Seen {
	sent: unknown[];
	/** Results of each item. */
	results: unknown[][];
	error: string | undefined;
}

/** Makes runs for one road and one row, and returns what was sent and returned. */
export class Trial {
	constructor(
		private readonly run: ReturnType<typeof nodeRunner>,
		private readonly sandbox: Sandbox,
		private readonly files: TestFiles,
		private readonly road: Road,
		private readonly path: string,
		private readonly row: Row,
	) {}

	/** Returns both items, of which each contains its value. */
	async items(values: readonly unknown[]): Promise<INodeExecutionData[]> {
		const { file } = this.row;
		this.row.prepare?.(this.sandbox);
		const items: INodeExecutionData[] = [];
		for (const [index, setting] of values.entries()) {
			const item = await this.road.item(index);
			const { content = '', name = '' } = file?.(index) ?? {};
			const own = file && (await this.files.item(content, name)).binary;
			const json = { ...item.json, setting: setting as IDataObject };
			items.push({ ...item, json, ...(own && { binary: own }) });
		}
		return items;
	}

	/** Returns what is sent for each text. It does not matter which texts share a request. */
	async sentForEachText(items: INodeExecutionData[]): Promise<string[]> {
		await this.withExpression(items);
		const submits = this.sandbox.requests.filter(({ route }) => route === 'submit');
		return submits
			.flatMap(({ path, body }) => {
				const { batch, ...others } = body as { batch: unknown[] };
				return batch.map((text) => JSON.stringify([path, others, text]));
			})
			.sort();
	}

	async withExpression(items: INodeExecutionData[]): Promise<Seen> {
		const { expression = (source: string) => `={{ ${source} }}` } = this.row;
		return await this.see(items, expression('$json.setting'));
	}

	async withConstant(items: INodeExecutionData[], value: unknown): Promise<Seen> {
		const constant = this.row.expression?.(JSON.stringify(value)) ?? value;
		return await this.see(items, constant as NodeParameterValueType);
	}

	private async see(items: INodeExecutionData[], value: NodeParameterValueType): Promise<Seen> {
		const { road, row, path, sandbox } = this;
		const needed = merged(road.parameters, row.needs ?? {});
		const parameters = merged(needed, row.set?.(value) ?? at(path, value));
		sandbox.requests.length = 0;
		const result = await this.run(items, parameters, TO_ERROR_OUTPUT);
		return {
			sent: sandbox.requests
				.filter(({ route }) => SENDING.has(route))
				.map(sentOf)
				.sort(),
			results: await this.resultsOf(result, items.length),
			error: result.error?.message,
		};
	}

	private async resultsOf(result: RunResult, count: number): Promise<unknown[][]> {
		const results: unknown[][] = Array.from({ length: count }, () => []);
		for (const { json, binary = {}, pairedItem } of [...result.output, ...result.errorOutput]) {
			const { item } = pairedItem as { item: number };
			const stored = await Promise.all(
				Object.entries(binary).map(async ([name, file]) => [
					name,
					file.fileName,
					await this.files.text(file),
				]),
			);
			results[item]?.push(plain([json, ...stored]));
		}
		return results;
	}
}

const SENDING = new Set<string>(['push', 'delete', 'submit', 'convert']);

const sentOf = ({ method, path, query, body }: Sandbox['requests'][number]): string =>
	JSON.stringify([method, path, query, body]);

const RANDOM = /[\da-f]{8}-[\da-f-]{27}/g;

/** Returns a value without what differs from run to run: chunking IDs, times and the numbers of requests. */
const plain = (value: unknown): unknown =>
	JSON.parse(
		JSON.stringify(value, (name, each: unknown) =>
			['stats', 'request'].includes(name) ? undefined : each,
		).replace(RANDOM, 'chunking ID'),
	);

/** Records what the code itself treats as constant, and which members of Options may differ from item to item. */
export function watchReads() {
	const perItem = new Set<string>();
	const constant = new Set<string>();
	const { prototype } = Parameters<INodeProperties[]>;
	const { collection, areConstant } = prototype;
	jest.spyOn(prototype, 'collection').mockImplementation(function (
		this: Parameters<INodeProperties[]>,
		name,
		members = [],
	) {
		for (const member of members) perItem.add(`${String(name)}.${String(member)}`);
		return collection.call(this, name, members) as never;
	});
	jest.spyOn(prototype, 'areConstant').mockImplementation(function (
		this: Parameters<INodeProperties[]>,
		...names
	) {
		for (const name of names) constant.add(name);
		return areConstant.apply(this, names);
	});
	return { perItem, constant };
}
