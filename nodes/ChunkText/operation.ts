import type { INodeProperties } from 'n8n-workflow';

import type { Run } from '../shared/n8n/run/run';

/** One operation of the node, complete: what the editor shows and what it does. */
export interface Operation {
	value: string;
	name: string;
	/** As n8n's search for nodes shows it. */
	action: string;
	description: string;
	/** Its parameters, in the order the editor shows them. Operations share those they have in common. */
	properties: INodeProperties[];
	execute: (run: Run) => Promise<void>;
}

/**
 * The parameters of a node with these operations: the dropdown, then everything the operations need,
 * each shown for the operations that list it.
 */
export function propertiesOf(operations: Operation[]): INodeProperties[] {
	const dropdown: INodeProperties = {
		displayName: 'Operation',
		name: 'operation',
		type: 'options',
		noDataExpression: true,
		options: operations.map(({ value, name, action, description }) => ({
			value,
			name,
			action,
			description,
		})),
		default: '',
	};
	const shown = inOrder(operations.map(({ properties }) => properties));
	const first = { ...dropdown, default: operations[0]?.value ?? '' };
	return [first, ...shown.map((property) => shownFor(property, operations))];
}

/**
 * The node's subtitle. n8n cuts it off after about 25 characters, so the default operation is not named.
 *
 * @param details an expression for what tells two nodes of an operation apart
 * @param has which operations these details belong to
 */
export function subtitleOf(
	operations: Operation[],
	details: string,
	has: (operation: Operation) => boolean,
): string {
	const texts = operations.map((operation, index) => {
		const { value, name } = operation;
		const start = index === 0 ? '""' : JSON.stringify(`${name}: `);
		const text = has(operation) ? `${start} + ${details}` : JSON.stringify(name);
		return `${JSON.stringify(value)}: ${text}`;
	});
	return `={{ { ${texts.join(', ')} }[$parameter["operation"]] || $parameter["operation"] }}`;
}

/** Merges the lists into one whose order agrees with each of them. */
function inOrder(lists: INodeProperties[][]): INodeProperties[] {
	const all: INodeProperties[] = [];
	for (const list of lists) {
		for (const [index, property] of list.entries()) {
			if (all.includes(property)) continue;
			const next = list.slice(index).find((other) => all.includes(other));
			all.splice(next ? all.indexOf(next) : all.length, 0, property);
		}
	}
	return all;
}

function shownFor(property: INodeProperties, operations: Operation[]): INodeProperties {
	const users = operations.filter(({ properties }) => properties.includes(property));
	if (users.length === operations.length) return property;
	const { show, hide } = property.displayOptions ?? {};
	const operation = users.map(({ value }) => value);
	return {
		...property,
		displayOptions: { show: { operation, ...show }, ...(hide && { hide }) },
	};
}
