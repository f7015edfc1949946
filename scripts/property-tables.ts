/** Tables of parameters and options, made from the properties of nodes and credentials. */
import path from 'node:path';

import type {
	ICredentialType,
	INodeProperties,
	INodePropertyCollection,
	INodePropertyOptions,
	INodeType,
} from 'n8n-workflow';

import { manifest, ROOT } from '../support/manifest';

/** Which properties a table has. */
export interface TableOf {
	/** Class of a node or a credential. */
	className: string;
	/** A collection of it; its own properties unless given. */
	collection?: string;
	/** Those that are shown for one value of another property: only these, or all but these. */
	filter?: { isOnly: boolean; name: string; value: string };
	/** Where a property is explained: links by the name of the property. */
	links: ReadonlyMap<string, string>;
}

/** A table in a page, between two comments. */
export const PART = /(<!-- options: ([^>]*?)-->\n)([\s\S]*?)(<!-- end -->)/g;

/**
 * Reads what a table of options is to have.
 *
 * @param argument `Class` or `Class.collection`, then ` only ` or ` except ` and `property=value`, if it
 *   does not have all of them; on further lines `property: link`
 * @throws Error for anything else
 */
export function parseTable(argument: string): TableOf {
	const [first, ...others] = argument.trim().split('\n');
	const parts = /^(\w+)(?:\.(\w+))?(?: (only|except) (\w+)=(\w+))?$/.exec(first.trim());
	if (parts === null) throw new Error(`'${first}' does not say what table it is`);
	const [, className, collection, kind, name, value] = parts;
	const links = others.map((line): [string, string] => {
		const [property, link] = line.split(': ');
		return [property.trim(), link.trim()];
	});
	return {
		className,
		...(collection !== undefined && { collection }),
		...(kind !== undefined && { filter: { isOnly: kind === 'only', name, value } }),
		links: new Map(links),
	};
}

/** Types that show a text, and have no value to choose. */
const NO_VALUES = new Set(['notice', 'hidden', 'callout']);

const sources = [...manifest.n8n.nodes, ...manifest.n8n.credentials].map((file) =>
	file.replace(/^dist\//, '').replace(/\.js$/, ''),
);

/** The classes of all nodes and credentials, in the order of package.json. */
export const CLASS_NAMES = sources.map((source) => path.basename(source).split('.')[0]);

/** The properties that a person sees, of all nodes and credentials by their class. */
export async function allProperties(): Promise<Map<string, INodeProperties[]>> {
	const all = new Map<string, INodeProperties[]>();
	for (const [at, source] of sources.entries()) {
		const classes = (await import(path.join(ROOT, `${source}.ts`))) as Record<
			string,
			new () => INodeType | ICredentialType
		>;
		const made = new classes[CLASS_NAMES[at]]();
		all.set(
			CLASS_NAMES[at],
			'description' in made ? made.description.properties : made.properties,
		);
	}
	return all;
}

/**
 * The properties of a table.
 *
 * @throws Error for a class, a collection or a link that leads to no property
 */
export function propertiesOf(
	all: ReadonlyMap<string, INodeProperties[]>,
	{ className, collection, filter, links }: TableOf,
): INodeProperties[] {
	let found = all.get(className);
	if (found === undefined) throw new Error(`There is no class ${className}`);
	if (collection !== undefined) {
		const parents = found.filter(({ name }) => name === collection);
		if (parents.length === 0) throw new Error(`${className} has no collection ${collection}`);
		found = parents.flatMap(membersOf(parents.length > 1));
	}
	const names = new Set(found.map(({ name }) => name));
	for (const name of links.keys()) {
		if (!names.has(name))
			throw new Error(`${className} has no property ${name}: correct the links of the table`);
	}
	return found.filter(
		(property) =>
			!NO_VALUES.has(property.type) &&
			property.name !== 'operation' &&
			// These have tables of their own.
			property.type !== 'collection' &&
			// The same again, as AI agents see it.
			property.displayOptions?.show?.['@tool'] === undefined &&
			(filter === undefined || isIn(property, filter)),
	);
}

/** Whether a property belongs to the table: of `except` are those that are shown for nothing else. */
function isIn(
	{ displayOptions }: INodeProperties,
	{ name, value, isOnly }: { name: string; value: string; isOnly: boolean },
): boolean {
	const show = displayOptions?.show ?? {};
	const values = show[name] ?? show[`/${name}`] ?? [];
	return isOnly ? values.includes(value) : values.length !== 1 || values[0] !== value;
}

/** Options without which the nodes send nothing, or do something else than with their first value. */
const ONLY_IF_ADDED = new Set([
	'dataType',
	'dimReductionSize',
	'keepSourceFields',
	'vectorQuantizationMethod',
]);

/** The table in Markdown. */
export function tableOf(all: ReadonlyMap<string, INodeProperties[]>, table: TableOf): string {
	const labels = labelsOf(all);
	const siblings = all.get(table.className) ?? [];
	const others = siblings.flatMap((property) => [property, ...membersOf(false)(property)]);
	const rows = merged(propertiesOf(all, table)).map((property) => {
		const meaning = [
			...conditionsOf(property, others, table),
			withLabels(property.description ?? '', labels),
			valuesOf(property, labels),
			boundsOf(property),
		]
			.map((part) => part.replace(/\.$/, ''))
			.filter((part) => part !== '');
		const link = table.links.get(property.name);
		const more = link === undefined ? [] : [`[More](${link})`];
		const value = ONLY_IF_ADDED.has(property.name)
			? `None; ${defaultOf(property)} when added`
			: defaultOf(property);
		return [property.displayName, value, [...meaning, ...more].join('. ')];
	});
	const head = table.collection === undefined ? 'Parameter' : 'Option';
	const isAllAdded = table.collection === 'chunkerSettings';
	return [
		[head, isAllAdded ? 'Value when added' : 'Default', 'Meaning'],
		['---', '---', '---'],
		...rows,
	]
		.map((cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`)
		.join('\n');
}

/** The members of a collection; with its conditions, if there are several of its name. */
const membersOf =
	(withConditions: boolean) =>
	({ type, options, displayOptions }: INodeProperties): INodeProperties[] => {
		if (type !== 'collection') return [];
		const members = options as INodeProperties[];
		return withConditions ? members.map((member) => ({ ...member, displayOptions })) : members;
	};

/** Properties that differ in their conditions only, as one that is shown for the conditions of each. */
function merged(properties: INodeProperties[]): INodeProperties[] {
	const rows = new Map<string, INodeProperties>();
	for (const property of properties) {
		const { displayOptions, ...rest } = property;
		const key = JSON.stringify(rest);
		const before = rows.get(key);
		const both = before ? eitherOf(before.displayOptions, displayOptions) : displayOptions;
		rows.set(key, { ...rest, displayOptions: both });
	}
	return [...rows.values()];
}

type Conditions = INodeProperties['displayOptions'];

/** Where one or the other applies; conditions that only one of them has are left out. */
function eitherOf(one: Conditions, other: Conditions): Conditions {
	const show = Object.keys(one?.show ?? {})
		.filter((key) => other?.show?.[key] !== undefined)
		.map((key) => [
			key,
			[...new Set([...(one?.show?.[key] ?? []), ...(other?.show?.[key] ?? [])])],
		]);
	return { show: Object.fromEntries(show) } as Conditions;
}

const choicesOf = ({ type, options }: INodeProperties): INodePropertyOptions[] =>
	type === 'options' ? ((options ?? []) as INodePropertyOptions[]) : [];

/** All names that the editor shows. */
export function labelsOf(all: ReadonlyMap<string, INodeProperties[]>): Set<string> {
	const labels = new Set<string>();
	const add = (property: INodeProperties) => {
		labels.add(property.displayName);
		for (const { name } of choicesOf(property)) labels.add(name);
		membersOf(false)(property).forEach(add);
	};
	for (const properties of all.values()) properties.forEach(add);
	return labels;
}

/** Names of the editor in italics, everything else in quotes as code. */
export const withLabels = (text: string, labels: ReadonlySet<string>): string =>
	text.replace(
		/(?<!\w)'([^']+)'(?!\w)|([A-Z0-9]+(?:_[A-Z0-9]+)+)|_/g,
		(_all, name?: string, variable?: string) => {
			const code = name ?? variable;
			if (code === undefined) return '\\_';
			return labels.has(code) ? `_${code}_` : `\`${code}\``;
		},
	);

/** For which values of other properties it is shown, e.g. `_Texts From: File_`. */
function conditionsOf(
	{ displayOptions = {} }: INodeProperties,
	siblings: INodeProperties[],
	{ filter }: TableOf,
): string[] {
	const worded = (conditions: object = {}) =>
		Object.entries(conditions)
			.map(([key, values]) => [key.replace(/^\//, ''), values as unknown[]] as const)
			.filter(([name]) => name !== '@tool' && !(filter?.isOnly && name === filter.name))
			.map(([name, values]) => {
				const others = siblings.filter((other) => other.name === name);
				const names = values.map(
					(value) =>
						others.flatMap(choicesOf).find((choice) => choice.value === value)?.name ??
						(typeof value === 'boolean' ? onOff(value) : String(value)),
				);
				const label = name === 'operation' ? '' : `${others[0]?.displayName ?? name}: `;
				return `_${label}${names.join(', ')}_`;
			});
	const shown = worded(displayOptions.show);
	const hidden = worded(displayOptions.hide);
	return [
		...(shown.length > 0 ? [`For ${shown.join(' and ')}`] : []),
		...(hidden.length > 0 ? [`Not for ${hidden.join(' or ')}`] : []),
	];
}

const onOff = (value: boolean): string => (value ? 'on' : 'off');

/** What can be chosen, with what each means. */
function valuesOf(property: INodeProperties, labels: ReadonlySet<string>): string {
	const choices = choicesOf(property).map(({ name, description = '' }) => {
		const text = withLabels(description, labels).replace(/\.$/, '');
		return text === '' ? `_${name}_` : `_${name}_: ${text}`;
	});
	const rows = property.type === 'fixedCollection' ? (property.options ?? []) : [];
	const members = rows.flatMap((row) =>
		(row as INodePropertyCollection).values.map(({ displayName }) => `_${displayName}_`),
	);
	const entries = members.length === 0 ? '' : `Each has ${members.join(' and ')}`;
	return choices.length === 0 ? entries : choices.join('; ');
}

function boundsOf({ typeOptions = {} }: INodeProperties): string {
	const { minValue, maxValue } = typeOptions;
	if (minValue !== undefined && maxValue !== undefined)
		return `${written(minValue)} to ${written(maxValue)}`;
	// A size or a time is not negative anyway.
	return maxValue === undefined ? '' : `Up to ${written(maxValue)}`;
}

const written = (number: number): string => number.toLocaleString('en-US');

function defaultOf(property: INodeProperties): string {
	const { default: value, type } = property;
	if (typeof value === 'boolean') return onOff(value);
	if (typeof value === 'number') return written(value);
	const choice = choicesOf(property).find((each) => each.value === value);
	if (choice !== undefined) return choice.name;
	if (typeof value !== 'string' || value === '' || type === 'resourceLocator') return '';
	return `\`${value.replace(/^=/, '')}\``;
}
