/** Makes tables of parameters, options and choices from the properties of nodes and credentials. */
import path from 'node:path';

import type { ICredentialType, INodeProperties, INodeType } from 'n8n-workflow';

import { manifest, ROOT } from '../support/manifest';

type Properties = ReadonlyMap<string, INodeProperties[]>;

/** A parameter, an option, or a choice. Choices have no type. */
type Member = Pick<INodeProperties, 'name' | 'description' | 'displayOptions'> &
	Partial<INodeProperties>;

export const PART = /(<!-- options: ([^>]*?)-->\n)([\s\S]*?)(<!-- end -->)/g;

/** Types that store no value, and collections. Collections have their own tables. */
const NOT_LISTED = ['notice', 'hidden', 'callout', 'collection'];

/** Options whose default applies only after a user has added the option. Until then, the node ignores the default. */
const ONLY_IF_ADDED = [
	'dataType',
	'dimReductionSize',
	'keepSourceFields',
	'vectorQuantizationMethod',
];

/**
 * Maximum number of words in a cell. A cell contains whole sentences of the description. It always contains at least
 * one sentence.
 */
const MAX_WORDS = 25;

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

export async function allProperties(): Promise<Properties> {
	const propertiesOf = (type: INodeType | ICredentialType) =>
		'description' in type ? type.description.properties : type.properties;
	const types = await shippedTypes();
	return new Map([...types].map(([className, type]) => [className, propertiesOf(type)]));
}

/**
 * Makes a table in Markdown.
 *
 * @param argument what to list. `Class` lists its parameters, `Class.collection` lists the options in the collection,
 *   and the dotted path of a parameter or an option lists its choices. To list only some of these, append their names,
 *   separated by spaces
 * @throws Error if the argument does not exist
 */
export function tableOf(all: Properties, argument: string): string {
	const members = membersOf(all, argument);
	const isOfChoices = members.every(({ type }) => type === undefined);
	const title = argument.includes('.') ? 'Option' : 'Parameter';
	const rows = isOfChoices
		? [
				['Choice', 'Meaning'],
				['---', '---'],
				...members.map(({ name, description }) => [name, lineOf(description)]),
			]
		: [[title, 'Default', 'Meaning'], ['---', '---', '---'], ...members.map(rowOf)];
	// A parameter that two operations declare is listed once.
	return [...new Set(rows.map((cells) => `| ${cells.join(' | ')} |`))].join('\n');
}

/**
 * Returns the parameters and options that no table lists. A definition that several nodes share needs to be listed only
 * once.
 */
export function missingProperties(all: Properties, tables: readonly string[]): string[] {
	const keyOf = ({ displayName, description }: Member) => `${displayName}: ${description}`;
	const listed = new Set(tables.flatMap((table) => membersOf(all, table)).map(keyOf));
	const groups = [...all].flatMap(([className, properties]) => [
		className,
		...properties
			.filter(({ type }) => type === 'collection')
			.map(({ name }) => `${className}.${name}`),
	]);
	return groups.flatMap((group) =>
		membersOf(all, group)
			.filter((member) => !listed.has(keyOf(member)))
			.map(({ displayName }) => `${group}: ${displayName}`),
	);
}

function membersOf(all: Properties, argument: string): Member[] {
	const [dotted = '', ...selected] = argument.trim().split(/\s+/);
	const [className = '', ...path] = dotted.split('.');
	const forPeople = (members: Member[]) =>
		members.filter(({ displayOptions }) => !displayOptions?.show?.['@tool']);
	const members = path
		.reduce<
			Member[]
		>((parents, name) => forPeople(parents.filter((parent) => parent.name === name)).flatMap(({ options = [] }) => options as Member[]), all.get(className) ?? [])
		.filter(({ type = '', name }) => !NOT_LISTED.includes(type) && name !== 'operation');
	const found = forPeople(members).filter(
		({ name }) => selected.length === 0 || selected.includes(name),
	);
	if (found.length < Math.max(1, selected.length))
		throw new Error(`'${argument}' names something that does not exist`);
	const placeOf = ({ name }: Member) => selected.indexOf(name);
	return found.sort((one, other) => placeOf(one) - placeOf(other));
}

function rowOf({
	displayName = '',
	name,
	description,
	typeOptions,
	...property
}: Member): string[] {
	const value = defaultOf(property);
	const { minValue = 0, maxValue } = typeOptions ?? {};
	const range =
		maxValue === undefined ? '' : `. Range: ${numberText(minValue)} to ${numberText(maxValue)}`;
	const shown = ONLY_IF_ADDED.includes(name) ? `Not set. When added: ${value}` : value;
	return [displayName, shown, lineOf(description) + range];
}

function lineOf(description = ''): string {
	const sentences = description.split(/(?<=\.) (?=[A-Z'])/);
	const upTo = (count: number) => sentences.slice(0, count).join(' ');
	let count = sentences.length;
	while (count > 1 && upTo(count).split(' ').length > MAX_WORDS) count -= 1;
	return upTo(count).replace(/\.$/, '').replace(/[_|]/g, '\\$&');
}

const numberText = (value: number) => value.toLocaleString('en-US');

function defaultOf({ default: value, options = [] }: Pick<Member, 'default' | 'options'>): string {
	if (typeof value === 'boolean') return value ? 'on' : 'off';
	if (typeof value === 'number') return numberText(value);
	const choice = options.find((each) => 'value' in each && each.value === value);
	if (choice !== undefined) return choice.name;
	return typeof value === 'string' && value !== '' ? `\`${value.replace(/^=/, '')}\`` : '';
}
