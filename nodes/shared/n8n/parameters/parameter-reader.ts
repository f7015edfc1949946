import type { IExecuteFunctions, INodeExecutionData, INodeProperties } from 'n8n-workflow';

import { isRecord } from '../../service/json';
import { definitionsOf, type Definitions } from './parameter-definitions';
import { ParameterSource, type SourceOptions } from './parameter-source';

/** A value as n8n gives it, and what the node says about it. */
export interface Read {
	value: unknown;
	definition: INodeProperties;
}

/** Reads the parameters of a node as n8n gives them; see `Parameters` for their names. */
export class ParameterReader {
	readonly items: INodeExecutionData[];
	private readonly definitions: Definitions;
	private readonly sources = new Map<string, ParameterSource>();
	private readonly addedMembers = new Map<string, string[]>();

	constructor(
		private readonly context: IExecuteFunctions,
		properties: INodeProperties[],
	) {
		this.items = context.getInputData();
		this.definitions = definitionsOf(context.getNode(), properties);
	}

	definition(path: string): INodeProperties {
		const definition = this.definitions.get(path);
		if (definition) return definition;
		throw new Error(`The node has no parameter '${path}'`);
	}

	/** The value for an item; of a resource locator what was chosen with it. */
	read(path: string, itemIndex: number): Read {
		const definition = this.definition(path);
		const source = this.sources.get(path) ?? this.open(path, optionsOf(path, definition));
		const value = source.read(itemIndex);
		const isLocator = definition.type === 'resourceLocator' && isRecord(value);
		return { value: isLocator && '__rl' in value ? value.value : value, definition };
	}

	/** The rows of a fixedCollection, or its only one where it does not allow several. */
	rows(path: string, itemIndex: number): unknown[] {
		const source = this.sources.get(path) ?? this.open(path, { name: path, fallback: [] });
		const rows = source.read(itemIndex);
		return Array.isArray(rows) ? rows : [rows];
	}

	/** Names of the members of a collection. */
	members(collection: string): string[] {
		const begin = `${collection}.`;
		const paths = [...this.definitions.keys()].filter((path) => path.startsWith(begin));
		return paths.map((path) => path.slice(begin.length));
	}

	/** Names of those that were added, the same for all items. */
	membersAdded(collection: string): string[] {
		const known = this.addedMembers.get(collection);
		if (known) return known;
		const how = { rawExpressions: true };
		const raw: unknown = this.context.getNodeParameter(collection, 0, {}, how);
		const members = isRecord(raw) ? Object.keys(raw) : [];
		this.addedMembers.set(collection, members);
		return members;
	}

	private open(path: string, options: SourceOptions): ParameterSource {
		const source = new ParameterSource(this.context, this.items, options);
		this.sources.set(path, source);
		return source;
	}
}

/** How to read a parameter so that the result is n8n's. */
function optionsOf(name: string, definition: INodeProperties): SourceOptions {
	const { default: initial, modes, validateType } = definition;
	const isMember = name.includes('.');
	const isSuggestion = isMember && typeof initial === 'string' && initial.startsWith('=');
	const extractValue = modes?.some((mode) => mode.extractValue !== undefined) ?? false;
	return {
		name,
		fallback: isSuggestion ? '' : initial,
		extractValue,
		onlyEngine: extractValue || validateType !== undefined,
	};
}
