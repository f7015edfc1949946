/** Tables of parameters and options, made from the properties of nodes and credentials. */
import path from 'node:path';

import type {
	ICredentialType,
	INodeProperties,
	INodePropertyOptions,
	INodeType,
} from 'n8n-workflow';

import { manifest, ROOT } from '../support/manifest';

type Properties = ReadonlyMap<string, INodeProperties[]>;

/** A table in a page, between two comments. */
export const PART = /(<!-- options: ([^>]*?)-->\n)([\s\S]*?)(<!-- end -->)/g;

/** Types that show a text and have no value, the choice of the operation, and what has a table of its own. */
const NOT_LISTED = ['notice', 'hidden', 'callout', 'collection'];

/** Options without which the nodes send nothing, or do something else than with their first value. */
const ONLY_IF_ADDED = [
	'dataType',
	'dimReductionSize',
	'keepSourceFields',
	'vectorQuantizationMethod',
];

/** Loads the nodes and credentials of package.json, by their class. */
export async function shippedTypes(): Promise<Map<string, INodeType | ICredentialType>> {
	const all = new Map<string, INodeType | ICredentialType>();
	for (const built of [...manifest.n8n.nodes, ...manifest.n8n.credentials]) {
		const source = built.replace(/^dist\//, '').replace(/\.js$/, '');
		const className = path.basename(source).split('.')[0];
		const classes = (await import(path.join(ROOT, `${source}.ts`))) as Record<
			string,
			new () => INodeType | ICredentialType
		>;
		all.set(className, new classes[className]());
	}
	return all;
}

/** Reads the properties that a person sees, of all nodes and credentials by their class. */
export async function allProperties(): Promise<Properties> {
	const propertiesOf = (type: INodeType | ICredentialType) =>
		'description' in type ? type.description.properties : type.properties;
	const types = await shippedTypes();
	return new Map([...types].map(([className, type]) => [className, propertiesOf(type)]));
}

/**
 * Reads what a table is to have.
 *
 * @param argument `Class` or `Class.collection`, then ` only ` or ` except ` and `property=value`, if it does not
 *   have all of them
 * @throws Error for anything else
 */
function propertiesOf(all: Properties, argument: string): INodeProperties[] {
	const parts = /^(\w+)(?:\.(\w+))?(?: (only|except) (\w+)=(\w+))?$/.exec(argument.trim());
	const properties = parts && all.get(parts[1]);
	if (!properties) throw new Error(`'${argument}' does not say what table it is`);
	const [, , collection, kind, name, value] = parts;
	const found = collection === undefined ? properties : membersOf(properties, collection);
	if (found.length === 0) throw new Error(`'${argument}' names no properties`);
	return found.filter((property) => {
		const { show = {} } = property.displayOptions ?? {};
		// The variants for AI agents say the same again.
		if (NOT_LISTED.includes(property.type) || property.name === 'operation' || show['@tool'])
			return false;
		const values = show[name] ?? show[`/${name}`] ?? [];
		return kind === 'only'
			? values.includes(value)
			: kind === undefined || values.join() !== value;
	});
}

/** The members of a collection; one that several of its variants have belongs to all of these. */
function membersOf(properties: readonly INodeProperties[], collection: string): INodeProperties[] {
	const variants = properties.filter(({ name }) => name === collection);
	if (variants.length === 1) return variants[0].options as INodeProperties[];
	const members = new Map<string, INodeProperties>();
	for (const { options = [], displayOptions } of variants) {
		for (const member of options as INodeProperties[]) {
			const own = { ...member, displayOptions };
			const key = `${member.name} ${member.description}`;
			const show: Record<string, unknown[]> = {};
			for (const one of [members.get(key), own]) {
				for (const [name, values = []] of Object.entries(one?.displayOptions?.show ?? {}))
					show[name] = [...(show[name] ?? []), ...values];
			}
			members.set(key, { ...own, displayOptions: { ...own.displayOptions, show } as never });
		}
	}
	return [...members.values()];
}

/** Makes a table in Markdown. */
export function tableOf(all: Properties, argument: string): string {
	const isCollection = /^\w+\./.test(argument);
	const siblings = (all.get(/^\w+/.exec(argument)?.[0] ?? '') ?? []).flatMap((property) =>
		property.type === 'collection'
			? [property, ...(property.options as INodeProperties[])]
			: [property],
	);
	const rows = propertiesOf(all, argument).map((property) => {
		const meaning = [conditionsOf(property, siblings), property.description, valuesOf(property)]
			.flatMap((part) => part?.replace(/\.$/, '') || [])
			.join('. ');
		const value = defaultOf(property);
		const shown = ONLY_IF_ADDED.includes(property.name) ? `None; ${value} when added` : value;
		return [property.displayName, shown, meaning.replace(/[_|]/g, '\\$&')];
	});
	return [
		[isCollection ? 'Option' : 'Parameter', 'Default', 'Meaning'],
		['---', '---', '---'],
	]
		.concat(rows)
		.map((cells) => `| ${cells.join(' | ')} |`)
		.join('\n');
}

/** Names the parameters and options that none of the tables has. What several nodes share is described once. */
export function missingProperties(all: Properties, tables: readonly string[]): string[] {
	const described = new Set(tables.flatMap((table) => propertiesOf(all, table)).map(keyOf));
	return [...all].flatMap(([className, properties]) => {
		const collections = properties.filter(({ type }) => type === 'collection');
		return [className, ...collections.map(({ name }) => `${className}.${name}`)].flatMap(
			(table) =>
				propertiesOf(all, table)
					.filter((property) => !described.has(keyOf(property)))
					.map(({ displayName }) => `${table}: ${displayName}`),
		);
	});
}

const keyOf = ({ displayName, description }: INodeProperties) => `${displayName}: ${description}`;

const choicesOf = ({ type, options = [] }: INodeProperties): INodePropertyOptions[] =>
	type === 'options' ? (options as INodePropertyOptions[]) : [];

/** For which choices of others it is shown, such as `For Semantic`. */
function conditionsOf({ displayOptions }: INodeProperties, siblings: INodeProperties[]): string {
	const names = Object.entries(displayOptions?.show ?? {}).map(([key, values = []]) => {
		const others = siblings.filter(({ name }) => name === key.replace(/^\//, ''));
		const choices = others.flatMap(choicesOf);
		const shown = values.map((value) => choices.find((choice) => choice.value === value)?.name);
		return shown.every(Boolean)
			? [...new Set(shown)].join(', ')
			: (others[0]?.displayName ?? key);
	});
	return names.length === 0 ? '' : `For ${names.join(', with ')}`;
}

/** Longer lists of choices have only their names, so that cells stay short. */
const MAX_EXPLAINED = 12;

/** What can be chosen or entered. */
function valuesOf(property: INodeProperties): string {
	const { minValue, maxValue } = property.typeOptions ?? {};
	const choices = choicesOf(property).map(({ name, description = '' }) =>
		description === '' || choicesOf(property).length > MAX_EXPLAINED
			? name
			: `${name}: ${description.replace(/\.$/, '')}`,
	);
	if (maxValue === undefined) return choices.join('; ');
	return `${minValue === undefined ? 'Up' : minValue.toLocaleString('en-US')} to ${maxValue.toLocaleString('en-US')}`;
}

function defaultOf(property: INodeProperties): string {
	const { default: value } = property;
	if (typeof value === 'boolean') return value ? 'on' : 'off';
	if (typeof value === 'number') return value.toLocaleString('en-US');
	const choice = choicesOf(property).find((each) => each.value === value);
	if (choice !== undefined) return choice.name;
	const isText = typeof value === 'string' && value !== '';
	return isText ? `\`${value.replace(/^=/, '')}\`` : '';
}
