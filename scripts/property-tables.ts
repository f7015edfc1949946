/** Tables of parameters, options and choices, made from the properties of nodes and credentials. */
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

/** Types that store no value, and collections, which have a table of their own. */
const NOT_LISTED = ['notice', 'hidden', 'callout', 'collection'];

/** Options whose default applies only after a user has added them. Otherwise the node sends or does nothing. */
const ONLY_IF_ADDED = [
	'dataType',
	'dimReductionSize',
	'keepSourceFields',
	'vectorQuantizationMethod',
];

/** A cell has as many whole sentences of the description as fit, and at least one. */
const MAX_WORDS = 25;

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

/** Reads the properties of all nodes and credentials, by their class. */
export async function allProperties(): Promise<Properties> {
	const propertiesOf = (type: INodeType | ICredentialType) =>
		'description' in type ? type.description.properties : type.properties;
	const types = await shippedTypes();
	return new Map([...types].map(([className, type]) => [className, propertiesOf(type)]));
}

/** Returns whether a table can list a property. Variants for AI agents repeat another property. */
const isListed = ({ type, name, displayOptions }: INodeProperties) =>
	!NOT_LISTED.includes(type) && name !== 'operation' && !displayOptions?.show?.['@tool'];

const choicesOf = ({ type, options = [] }: INodeProperties): INodePropertyOptions[] =>
	type === 'options' ? (options as INodePropertyOptions[]) : [];

/**
 * Makes a table in Markdown.
 *
 * @param argument `Class` or `Class.collection` for parameters or options, followed by the names of some of them if
 *   the table does not list all. `Class.parameter` or `Class.collection.option` for choices.
 * @throws Error for anything else
 */
export function tableOf(all: Properties, argument: string): string {
	const choices = choicesNamed(all, argument);
	const rows =
		choices === undefined
			? [
					[argument.includes('.') ? 'Option' : 'Parameter', 'Default', 'Meaning'],
					['---', '---', '---'],
					...propertiesNamed(all, argument).map(rowOf),
				]
			: [
					['Choice', 'Meaning'],
					['---', '---'],
					...choices.map(({ name, description = '' }) => [name, lineOf(description)]),
				];
	return rows.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

/** Names the parameters and options that no table lists. What several nodes share is listed once. */
export function missingProperties(all: Properties, tables: readonly string[]): string[] {
	const keyOf = ({ displayName, description }: INodeProperties) =>
		`${displayName}: ${description}`;
	const listed = new Set(
		tables
			.filter((table) => choicesNamed(all, table) === undefined)
			.flatMap((table) => propertiesNamed(all, table).map(keyOf)),
	);
	return [...all].flatMap(([className, properties]) => {
		const collections = properties.filter(({ type }) => type === 'collection');
		return [className, ...collections.map(({ name }) => `${className}.${name}`)].flatMap(
			(group) =>
				propertiesNamed(all, group)
					.filter((property) => !listed.has(keyOf(property)))
					.map(({ displayName }) => `${group}: ${displayName}`),
		);
	});
}

/** Finds what a dotted path such as `ChunkText.options` leads to, with the variants for AI agents left out. */
function membersAt(all: Properties, dotted: string): INodeProperties[] {
	const [className = '', ...names] = dotted.split('.');
	return names.reduce<INodeProperties[]>(
		(members, name) =>
			members
				.filter((member) => member.name === name && !member.displayOptions?.show?.['@tool'])
				.flatMap(({ options = [] }) => options as INodeProperties[]),
		all.get(className) ?? [],
	);
}

function choicesNamed(all: Properties, argument: string): INodePropertyOptions[] | undefined {
	const dotted = argument.trim();
	const name = dotted.split('.').at(-1);
	const parent = membersAt(all, dotted.replace(/\.\w+$/, ''));
	const isChoice =
		dotted.includes('.') &&
		parent.some((one) => one.name === name && choicesOf(one).length > 0);
	return isChoice ? (membersAt(all, dotted) as unknown as INodePropertyOptions[]) : undefined;
}

function propertiesNamed(all: Properties, argument: string): INodeProperties[] {
	const [dotted = '', ...names] = argument.trim().split(/\s+/);
	const members = membersAt(all, dotted).filter(isListed);
	const found = names.map((name) => members.find((member) => member.name === name));
	if (members.length === 0 || found.includes(undefined))
		throw new Error(`'${argument}' names something that does not exist`);
	return names.length === 0 ? members : (found as INodeProperties[]);
}

function rowOf(property: INodeProperties): string[] {
	const value = defaultOf(property);
	const { minValue, maxValue } = property.typeOptions ?? {};
	const range =
		maxValue === undefined ? '' : `. ${numberText(minValue ?? 0)} to ${numberText(maxValue)}`;
	return [
		property.displayName,
		ONLY_IF_ADDED.includes(property.name) ? `None; ${value} when added` : value,
		lineOf(property.description ?? '') + range,
	];
}

function lineOf(description: string): string {
	const sentences = description.split(/(?<=\.) (?=[A-Z'])/);
	const wordsOf = (count: number) => sentences.slice(0, count).join(' ').split(' ').length;
	let count = sentences.length;
	while (count > 1 && wordsOf(count) > MAX_WORDS) count -= 1;
	const text = sentences.slice(0, count).join(' ');
	return text.replace(/\.$/, '').replace(/[_|]/g, '\\$&');
}

const numberText = (value: number) => value.toLocaleString('en-US');

function defaultOf(property: INodeProperties): string {
	const { default: value } = property;
	if (typeof value === 'boolean') return value ? 'on' : 'off';
	if (typeof value === 'number') return numberText(value);
	const choice = choicesOf(property).find((each) => each.value === value);
	if (choice !== undefined) return choice.name;
	const isText = typeof value === 'string' && value !== '';
	return isText ? `\`${value.replace(/^=/, '')}\`` : '';
}
