/**
 * What workflows rely on: parameters, defaults, option values and output fields. Each release commits
 * its interface, and what differs from the last one must be announced.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

import type { INodeProperties, INodePropertyCollection } from 'n8n-workflow';

/** Where the interfaces of all releases are, one file each. */
export const RELEASED = 'test/package/released';

/** A parameter under one condition: several of a name differ in when they are shown. */
export interface Parameter {
	label: string;
	type: string;
	default: unknown;
	/** The values of a dropdown. */
	values?: unknown[];
	required?: true;
	/** n8n's `displayOptions`. */
	shown?: unknown;
}

/** A node or a credential. */
export interface TypeInterface {
	kind: 'node' | 'credential';
	label: string;
	/** The versions of a node; credentials have none. */
	versions: number[];
	/** By path, such as `options.batchSize`. */
	parameters: Record<string, Parameter[]>;
	/** Types of the output's fields by path, such as `getResults: chunks[].text`. */
	output: Record<string, string>;
}

export interface PackageInterface {
	version: string;
	/** By n8n's name. */
	types: Record<string, TypeInterface>;
}

/** A difference to the last release. */
export interface Change {
	/** n8n's name of the node or credential. */
	type: string;
	/** What a line of the changelog must name, beside the node or credential. */
	mention: string;
	what: string;
	/** Whether a workflow made with the last release could do something else now. */
	breaks: boolean;
}

interface Description {
	name: string;
	displayName: string;
	version?: number | number[];
	properties: INodeProperties[];
}

interface Schema {
	type?: string | string[];
	properties?: Record<string, Schema>;
	items?: Schema;
}

const readJson = <T>(file: string) => JSON.parse(readFileSync(file, 'utf8')) as T;

/** Fields that only show a text. */
const NOT_FIELDS = new Set(['notice', 'callout']);

function parametersOf(
	properties: INodeProperties[],
	prefix = '',
	found: Record<string, Parameter[]> = {},
): Record<string, Parameter[]> {
	for (const property of properties) {
		const { name, displayName, type, options = [], modes, required, displayOptions } = property;
		if (NOT_FIELDS.has(type)) continue;
		const where = `${prefix}${name}`;
		const choices = modes ?? (/^(options|multiOptions)$/.test(type) ? options : undefined);
		const values = choices?.map((choice) => ('value' in choice ? choice.value : choice.name));
		(found[where] ??= []).push({
			label: displayName,
			type,
			default: property.default,
			...(values && { values }),
			...(required && { required }),
			...(displayOptions && { shown: displayOptions }),
		});
		if (type === 'collection') parametersOf(options as INodeProperties[], `${where}.`, found);
		if (type === 'fixedCollection') {
			for (const group of options as INodePropertyCollection[]) {
				parametersOf(group.values, `${where}.${group.name}.`, found);
			}
		}
	}
	return found;
}

function fieldsOf(schema: Schema, where: string, found: Record<string, string>): void {
	if (schema.type !== undefined) found[where] = [schema.type].flat().sort().join(' or ');
	for (const [name, inner] of Object.entries(schema.properties ?? {})) {
		fieldsOf(inner, `${where}.${name}`, found);
	}
	if (schema.items) fieldsOf(schema.items, `${where}[]`, found);
}

/** The output fields of a node, of the schemas beside its built file. */
function outputOf(folder: string): Record<string, string> {
	const schemas = path.join(folder, '__schema__');
	const found: Record<string, string> = {};
	if (!existsSync(schemas)) return found;
	const files = readdirSync(schemas, { recursive: true }).map(String).sort();
	for (const file of files.filter((name) => name.endsWith('.json'))) {
		const { properties = {} } = readJson<Schema>(path.join(schemas, file));
		const operation = file
			.split(path.sep)
			.join('/')
			.replace(/\.json$/, '');
		for (const [name, field] of Object.entries(properties)) {
			fieldsOf(field, `${operation}: ${name}`, found);
		}
	}
	return found;
}

/**
 * The interface of a built package.
 * @param folder with its package.json and dist
 */
export function interfaceOf(folder: string): PackageInterface {
	const { version, n8n } = readJson<{ version: string; n8n: { nodes: string[] } }>(
		path.join(folder, 'package.json'),
	);
	const folders = new Map(
		n8n.nodes.map((file) => {
			const className = path.basename(file).split('.')[0];
			return [className.toLowerCase(), path.join(folder, path.dirname(file))];
		}),
	);
	const described = (kind: string) =>
		readJson<Description[]>(path.join(folder, 'dist', 'types', `${kind}.json`));
	const types: Record<string, TypeInterface> = {};
	for (const { name, displayName, version: versions = [], properties } of described('nodes')) {
		types[name] = {
			kind: 'node',
			label: displayName,
			versions: [versions].flat(),
			parameters: parametersOf(properties),
			output: outputOf(folders.get(name.toLowerCase()) ?? folder),
		};
	}
	for (const { name, displayName, properties } of described('credentials')) {
		types[name] = {
			kind: 'credential',
			label: displayName,
			versions: [],
			parameters: parametersOf(properties),
			output: {},
		};
	}
	return { version, types };
}

const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);

/** Parameters of one name, each released one with what it is now: first by condition, then by order. */
function pairs(before: Parameter[], now: Parameter[]) {
	const left = [...now];
	const take = (matches: (parameter: Parameter) => boolean) => {
		const at = left.findIndex(matches);
		return at < 0 ? undefined : left.splice(at, 1)[0];
	};
	const exact = before.map((was) => ({ was, is: take((is) => same(is.shown, was.shown)) }));
	const paired = exact.map(({ was, is }) => ({ was, is: is ?? take(() => true) }));
	return { paired, added: left };
}

function parameterChanges(type: string, where: string, before: Parameter[], now: Parameter[]) {
	const changes: Change[] = [];
	const { paired, added } = pairs(before, now);
	const add = (mention: string, what: string, breaks: boolean) =>
		changes.push({ type, mention, what: `${where}: ${what}`, breaks });
	for (const { was, is } of paired) {
		if (!is) {
			add(was.label, 'parameter removed', true);
			continue;
		}
		if (is.label !== was.label) add(is.label, `was labeled "${was.label}"`, false);
		if (is.type !== was.type) add(is.label, `type ${was.type} is now ${is.type}`, true);
		if (!same(is.default, was.default)) {
			const [from, to] = [was.default, is.default].map((value) => JSON.stringify(value));
			add(is.label, `default ${from} is now ${to}`, true);
		}
		if (is.required && !was.required) add(is.label, 'is now required', true);
		if (!same(is.shown, was.shown)) add(is.label, 'is shown under other conditions', false);
		const gone = was.values?.filter((value) => !is.values?.includes(value)) ?? [];
		const fresh = is.values?.filter((value) => !was.values?.includes(value)) ?? [];
		for (const value of gone) add(is.label, `value ${JSON.stringify(value)} removed`, true);
		for (const value of fresh) add(is.label, `value ${JSON.stringify(value)} added`, false);
	}
	for (const parameter of added) add(parameter.label, 'parameter added', false);
	return changes;
}

function typeChanges(type: string, before: TypeInterface, now: TypeInterface): Change[] {
	const changes: Change[] = [];
	const names = new Set([...Object.keys(before.parameters), ...Object.keys(now.parameters)]);
	for (const where of names) {
		const [was, is] = [before.parameters[where] ?? [], now.parameters[where] ?? []];
		changes.push(...parameterChanges(type, where, was, is));
	}
	for (const where of new Set([...Object.keys(before.output), ...Object.keys(now.output)])) {
		const [was, is] = [before.output[where], now.output[where]];
		const mention = where.split(/[ .]/).at(-1)?.replace(/\[\]/g, '') ?? where;
		const add = (what: string, breaks: boolean) =>
			changes.push({ type, mention, what: `${where}: ${what}`, breaks });
		if (is === undefined) add('output field removed', true);
		else if (was === undefined) add('output field added', false);
		else if (was !== is) add(`output field of type ${was} is now ${is}`, true);
	}
	return changes;
}

/** Everything in which an interface differs from the one of an earlier release. */
export function changesSince(released: PackageInterface, current: PackageInterface): Change[] {
	const names = new Set([...Object.keys(released.types), ...Object.keys(current.types)]);
	return [...names].flatMap((type): Change[] => {
		const [before, now] = [released.types[type], current.types[type]];
		if (!now)
			return [{ type, mention: before.label, what: `${before.kind} removed`, breaks: true }];
		if (!before)
			return [{ type, mention: now.label, what: `${now.kind} added`, breaks: false }];
		return typeChanges(type, before, now);
	});
}

/**
 * Changes that users would not know of, or that would break their workflows.
 * @param lines of the changelog that were written after the release
 * @returns one text per fault: what changed, and what to do about it
 */
export function unannouncedChanges(
	released: PackageInterface,
	current: PackageInterface,
	lines: string[],
): string[] {
	return changesSince(released, current).flatMap(({ type, mention, what, breaks }) => {
		const [before, now] = [released.types[type], current.types[type]];
		const { label, kind } = now ?? before;
		const subject = `${label}: ${what}`;
		const faults: string[] = [];
		if (!lines.some((line) => line.includes(label) && line.includes(mention))) {
			faults.push(
				`${subject}. Announce it: a line of CHANGELOG.md with "${label}" and "${mention}"`,
			);
		}
		const hasNewVersion =
			before && now && Math.max(...now.versions) > Math.max(...before.versions);
		if (breaks && kind === 'credential') {
			faults.push(
				`${subject}. Stored credentials would break: keep it, or add a new credential`,
			);
		} else if (breaks && !hasNewVersion) {
			faults.push(`${subject}. Workflows would break: keep it, or add a version of the node`);
		}
		return faults;
	});
}

/**
 * The interface of the last release.
 * @param folder the repository
 * @param before only releases before this version
 * @returns undefined if there is none yet
 */
export function lastReleased(folder: string, before?: string): PackageInterface | undefined {
	const released = path.join(folder, RELEASED);
	if (!existsSync(released)) return undefined;
	const versions = readdirSync(released)
		.filter((file) => file.endsWith('.json'))
		.map((file) => file.replace(/\.json$/, ''))
		.filter((version) => version !== before)
		.sort((a, b) => a.localeCompare(b, 'en', { numeric: true }));
	const last = versions.at(-1);
	return last === undefined ? undefined : readJson(path.join(released, `${last}.json`));
}
