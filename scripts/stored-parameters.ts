/**
 * Keeps lists of what saved workflows and credentials rely on: names, types, defaults and choices of all parameters. A
 * saved workflow contains only the values that differ from the default, so a new default changes what the workflow
 * does. If a parameter was renamed or removed, n8n silently drops its value.
 *
 * `test/package/stored-parameters` contains a list for each version of a node, and for each credential. `npm run docs`
 * adds new lines to the lists, but never removes lines. If a line no longer occurs in the code,
 * `test/package/stored-parameters.test.ts` fails (CONTRIBUTING.md, Versions of nodes).
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import {
	NodeHelpers,
	type ICredentialType,
	type INode,
	type INodeProperties,
	type INodePropertyCollection,
	type INodePropertyOptions,
	type INodeType,
	type INodeTypeDescription,
} from 'n8n-workflow';

import { ROOT } from '../support/manifest';
import { shippedTypes } from './property-tables';

const FOLDER = path.join(ROOT, 'test', 'package', 'stored-parameters');

const WITHOUT_VALUE = ['notice', 'callout'];

/** The lines of each list, keyed by the list's name, such as `chunkText.1`. */
type Lists = Map<string, string[]>;

export async function currentLists(): Promise<Lists> {
	const types = [...(await shippedTypes()).values()];
	return new Map(types.flatMap((type) => [...listsOf(type)]));
}

export function listsOf(type: Pick<INodeType, 'description'> | ICredentialType): Lists {
	if (!('description' in type)) return new Map([[type.name, linesOf(type.properties)]]);
	const { description } = type;
	const credentials = description.credentials ?? [];
	const versions = [description.version].flat();
	return new Map(
		versions.map((version) => {
			const isShown = (property: INodeProperties) =>
				hasVersion(property, version, description);
			const lines = linesOf(description.properties, isShown);
			lines.push(...credentials.map(({ name }) => `(credential ${name})`));
			return [`${description.name}.${version}`, lines.sort()] as const;
		}),
	);
}

/**
 * Returns true if a node version contains a property, according to n8n's rules. Conditions other than the version are
 * ignored.
 */
function hasVersion(
	{ displayOptions, ...property }: INodeProperties,
	typeVersion: number,
	description: INodeTypeDescription,
): boolean {
	const ofVersion = (conditions: object = {}) =>
		Object.fromEntries(
			Object.entries(conditions).filter(([name]) => ['@version', '@feature'].includes(name)),
		);
	const { show, hide } = displayOptions ?? {};
	const reduced = {
		...property,
		displayOptions: { show: ofVersion(show), hide: ofVersion(hide) },
	};
	return NodeHelpers.displayParameter({}, reduced, { typeVersion } as INode, description);
}

function linesOf(
	properties: INodeProperties[],
	isShown: (one: INodeProperties) => boolean = () => true,
) {
	// Some parameters are declared several times, each time for a different choice. These declarations often result in
	// the same line, which the list contains only once.
	const lines = new Set<string>();
	const add = (list: INodeProperties[], prefix: string) => {
		for (const property of list.filter(isShown)) {
			const { type, options = [], modes = [] } = property;
			if (WITHOUT_VALUE.includes(type)) continue;
			const name = `${prefix}${property.name}`;
			const initial = withoutWords(property.default);
			const forAgents = property.displayOptions?.show?.['@tool'] ? ' for agents' : '';
			lines.add(`${name}${forAgents}: ${type}, default ${JSON.stringify(initial)}`);
			for (const mode of modes) lines.add(`${name}: mode ${mode.name}`);
			if (type === 'collection') add(options as INodeProperties[], `${name}.`);
			else if (type === 'fixedCollection')
				for (const group of options as INodePropertyCollection[])
					add(group.values, `${name}.${group.name}.`);
			else
				for (const { value } of options as INodePropertyOptions[])
					lines.add(`${name}: choice ${JSON.stringify(value)}`);
		}
	};
	add(properties, '');
	return [...lines].sort();
}

/** Removes the instructions for the model from a `$fromAI` default, because their wording can change. */
const withoutWords = (initial: unknown): unknown =>
	typeof initial === 'string' ? initial.replace(/.*\$fromAI\('(\w+)',.*/s, 'fromAI $1') : initial;

export function storedLists(): Lists {
	const files = existsSync(FOLDER) ? readdirSync(FOLDER) : [];
	const linesIn = (file: string) =>
		readFileSync(path.join(FOLDER, file), 'utf8').split('\n').filter(Boolean);
	return new Map(files.map((file) => [file.replace(/\.txt$/, ''), linesIn(file)]));
}

export function missingLines(lists: Lists, from: Lists): string[] {
	return [...lists].flatMap(([name, lines]) => {
		const others = new Set(from.get(name));
		return lines.filter((line) => !others.has(line)).map((line) => `${name}: ${line}`);
	});
}

/**
 * Adds the lines that the lists do not contain yet.
 *
 * @returns the files that were written
 */
export async function addToStoredLists(): Promise<string[]> {
	const stored = storedLists();
	mkdirSync(FOLDER, { recursive: true });
	const written: string[] = [];
	for (const [name, lines] of await currentLists()) {
		const before = stored.get(name) ?? [];
		const all = [...new Set([...before, ...lines])].sort();
		if (all.length === before.length) continue;
		writeFileSync(path.join(FOLDER, `${name}.txt`), `${all.join('\n')}\n`);
		written.push(path.relative(ROOT, path.join(FOLDER, `${name}.txt`)));
	}
	return written;
}
