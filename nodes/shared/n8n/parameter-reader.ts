import type { IExecuteFunctions, INodeExecutionData, INodeProperties } from 'n8n-workflow';

import { ParameterSource, type SourceOptions } from './parameter-source';

/** The definitions of a node's parameters, and their values as n8n gives them. */
export class ParameterReader {
	readonly items: INodeExecutionData[];
	private readonly definitions = new Map<string, INodeProperties>();
	private readonly sources = new Map<string, ParameterSource>();
	private readonly addedMembers = new Map<string, string[]>();

	constructor(
		private readonly context: IExecuteFunctions,
		properties: INodeProperties[],
	) {
		this.items = context.getInputData();
		for (const declared of properties) {
			this.define(declared.name, declared);
			if (declared.type !== 'collection') continue;
			for (const member of (declared.options ?? []) as INodeProperties[]) {
				this.define(`${declared.name}.${member.name}`, member);
			}
		}
	}

	/** Of parameters with the same name, shown for different choices, the first one counts. */
	private define(path: string, declared: INodeProperties): void {
		if (!this.definitions.has(path)) this.definitions.set(path, declared);
	}

	/** The property of a parameter, or of a member of a collection as `collection.member`. */
	definition(path: string): INodeProperties {
		const definition = this.definitions.get(path);
		if (definition) return definition;
		throw new Error(`The node has no parameter '${path}'`);
	}

	/** Names of all members that a collection may have. */
	members(collection: string): string[] {
		const prefix = `${collection}.`;
		const paths = [...this.definitions.keys()].filter((path) => path.startsWith(prefix));
		return paths.map((path) => path.slice(prefix.length));
	}

	/** Names of the members of a collection that were added, the same for all items. */
	added(collection: string): string[] {
		const known = this.addedMembers.get(collection);
		if (known) return known;
		const raw: unknown = this.context.getNodeParameter(
			collection,
			0,
			{},
			{ rawExpressions: true },
		);
		const members = isRecord(raw) ? Object.keys(raw) : [];
		this.addedMembers.set(collection, members);
		return members;
	}

	/** The value for an item; of a resource locator what was chosen with it. */
	value(path: string, itemIndex: number): unknown {
		const definition = this.definition(path);
		const source = this.sources.get(path) ?? this.open(path, optionsOf(path, definition));
		const value = source.read(itemIndex);
		if (definition.type !== 'resourceLocator') return value;
		return isRecord(value) && '__rl' in value ? value.value : value;
	}

	/** The rows of a group of a fixedCollection, `parameter.group`. */
	rows(path: string, itemIndex: number): unknown[] {
		const source = this.sources.get(path) ?? this.open(path, { name: path, fallback: [] });
		const rows = source.read(itemIndex);
		// A single object where the collection does not allow several.
		return Array.isArray(rows) ? rows : [rows];
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

/** Whether a value is an object, lists included. */
export const isRecord = (value: unknown): value is Record<string, unknown> =>
	typeof value === 'object' && value !== null;
