/** Makes tables of parameters and options from the properties of nodes and credentials. */
import path from 'node:path';

import type {
	ICredentialType,
	INodeProperties,
	INodePropertyOptions,
	INodeType,
} from 'n8n-workflow';

import { manifest, ROOT } from '../support/manifest';

type Properties = ReadonlyMap<string, INodeProperties[]>;

/** Matches a table in a page, between its two comments. */
export const PART = /(<!-- options: ([^>]*?)-->\n)([\s\S]*?)(<!-- end -->)/g;

/** Types without a row: texts without a value, and collections, which have tables of their own. */
const NOT_LISTED = ['notice', 'hidden', 'callout', 'collection'];

/**
 * Options whose default applies only once they are added. Until then the node sends nothing for them, or does something
 * else.
 */
const ONLY_IF_ADDED = [
	'dataType',
	'dimReductionSize',
	'keepSourceFields',
	'vectorQuantizationMethod',
];

/** Loads the nodes and credentials of package.json by class name. */
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

/** Reads the properties that a person sees, of all nodes and credentials by class name. */
export async function allProperties(): Promise<Properties> {
	const propertiesOf = (type: INodeType | ICredentialType) =>
		'description' in type ? type.description.properties : type.properties;
	const types = await shippedTypes();
	return new Map([...types].map(([className, type]) => [className, propertiesOf(type)]));
}

/**
 * Reads the properties that a table contains.
 *
 * @param argument `Class` or `Class.collection`. For a part of the properties, ` only ` or ` except ` and
 * `property=value` follow
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
		// The variants for AI agents would repeat the same rows.
		if (NOT_LISTED.includes(property.type) || property.name === 'operation' || show['@tool'])
			return false;
		const values = show[name] ?? show[`/${name}`] ?? [];
		return kind === 'only'
			? values.includes(value)
			: kind === undefined || values.join() !== value;
	});
}

/**
 * Returns the members of a collection. A member that several variants of the collection contain is shown for all of
 * them.
 */
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

/** Finds parameters and options that no table contains. If several nodes share a parameter, one table is enough. */
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

/** Describes the values of other parameters for which this parameter is shown, such as `For Semantic`. */
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

/** A longer list of choices shows only names, so that cells stay short. */
const MAX_EXPLAINED = 12;

/** Describes the values that a user can choose or enter. */
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
