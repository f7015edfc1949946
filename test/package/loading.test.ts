import 'reflect-metadata';

import { readFile } from 'node:fs/promises';
import path from 'node:path';

import { LazyPackageDirectoryLoader, loadOutputSchema, PackageDirectoryLoader } from 'n8n-core';
import type {
	ICredentialType,
	INodeProperties,
	INodePropertyOptions,
	INodeTypeDescription,
} from 'n8n-workflow';

import { ownDocsLinks } from '../../scripts/owner';
import { credentialClasses, nodeNames } from '../../support/manifest';
import { packPackage, type PackedPackage } from '../../support/packed-package';
import { SEARCH_TERMS, SHARED_SEARCH_TERMS } from '../../support/search-terms';

const CREDENTIALS = [...credentialClasses.keys()];

/** The categories in n8n's node panel (https://docs.n8n.io, "Node codex files"). */
const CATEGORIES = [
	'Data & Storage',
	'Finance & Accounting',
	'Marketing & Content',
	'Productivity',
	'Miscellaneous',
	'Sales',
	'Development',
	'Analytics',
	'Communication',
	'Utility',
];

let packed: PackedPackage;
let full: PackageDirectoryLoader;

/** Creates a new loader for each test, because a loader remembers which classes were used. */
async function loadLazily(): Promise<LazyPackageDirectoryLoader> {
	const lazy = new LazyPackageDirectoryLoader(packed.folder);
	await lazy.loadAll();
	return lazy;
}

beforeAll(async () => {
	packed = await packPackage();
	full = new PackageDirectoryLoader(packed.folder);
	await full.loadAll();
});
afterAll(async () => await packed?.remove());

const byName = <T extends { name: string }>(types: T[]): Map<string, T> =>
	new Map(types.map((type) => [type.name, type]));

const slug = (words: string): string => words.toLowerCase().replace(/[^a-z0-9]+/g, '-');

const asJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value)) as unknown;

describe('loading', () => {
	it('loads all nodes and credentials from the files', () => {
		expect(Object.keys(full.nodeTypes).sort()).toEqual(nodeNames);
		expect(Object.keys(full.credentialTypes).sort()).toEqual(CREDENTIALS);
	});

	it('loads all of them from the metadata, without requiring a file', async () => {
		const lazy = await loadLazily();
		expect(lazy.isLazyLoaded).toBe(true);
		expect(lazy.types.nodes.map(({ name }) => name).sort()).toEqual(nodeNames);
		expect(lazy.types.credentials.map(({ name }) => name).sort()).toEqual(CREDENTIALS);
		expect(lazy.nodeTypes).toEqual({});
		expect(lazy.credentialTypes).toEqual({});
	});

	it('finds the class of each when it is used', async () => {
		const lazy = await loadLazily();
		for (const name of nodeNames) {
			const { type } = lazy.getNode(name);
			expect(type).toHaveProperty('execute');
		}
		for (const name of CREDENTIALS) expect(lazy.getCredential(name).type.name).toBe(name);
	});

	it('contains metadata that matches the files', async () => {
		const lazy = await loadLazily();
		expect(lazy.known).toEqual(asJson(full.known));
		const nodes = byName(lazy.types.nodes as INodeTypeDescription[]);
		for (const description of full.types.nodes as INodeTypeDescription[]) {
			const { __loadOptionsMethods, ...expected } = description;
			expect(nodes.get(description.name)).toEqual(asJson(expected));
		}
		const credentials = byName(lazy.types.credentials);
		for (const type of full.types.credentials) {
			expect(credentials.get(type.name)).toEqual(asJson(type));
		}
	});

	it('knows which nodes use which credential, and each is used', () => {
		const nodes = full.types.nodes as INodeTypeDescription[];
		for (const credential of CREDENTIALS) {
			const users = nodes.filter(({ credentials = [] }) =>
				credentials.some(({ name }) => name === credential),
			);
			expect(users).not.toEqual([]);
			const names = users.map(({ name }) => name);
			expect(full.known.credentials[credential].supportedNodes).toEqual(names);
		}
	});
});

describe.each(nodeNames)('%s', (name) => {
	let description: INodeTypeDescription;
	let folder: string;

	beforeAll(() => {
		const { type, sourcePath } = full.nodeTypes[name];
		description = type.description as INodeTypeDescription;
		folder = path.join(packed.folder, path.dirname(sourcePath));
	});

	it('has a codex n8n can read, with links to our pages once the owner is set', async () => {
		const { codex } = description;
		expect(codex?.categories?.length).toBeGreaterThan(0);
		expect(codex?.categories?.filter((one) => !CATEGORIES.includes(one))).toEqual([]);
		expect(codex?.subcategories).toBeUndefined();
		expect(codex?.alias?.length).toBeGreaterThan(3);
		expect(new Set(codex?.alias).size).toBe(codex?.alias?.length);
		const source = `nodes/${path.basename(folder)}/${path.basename(folder)}.node.json`;
		const resources = ownDocsLinks(source, JSON.stringify(codex?.resources), '');
		expect(JSON.parse(resources)).toEqual({
			primaryDocumentation: [
				{ url: expect.stringMatching(`/docs/${slug(description.displayName)}\\.md$`) },
			],
			credentialDocumentation: [{ url: expect.stringContaining('/docs/credentials.md#') }],
		});
		const file = full.nodeTypes[name].sourcePath.replace(/\.js$/, '.json');
		const { node } = JSON.parse(await packed.read(file)) as { node: string };
		expect(node).toBe(`${packed.manifest.name}.${name}`);
	});

	it('has an output schema for every operation, where the editor looks for it', () => {
		const operation = description.properties.find((property) => property.name === 'operation');
		const operations = (operation?.options ?? [{ value: undefined }]) as INodePropertyOptions[];
		for (const { value } of operations) {
			const schema = loadOutputSchema({
				nodeDir: folder,
				version: [description.version].flat().at(-1) ?? 1,
				...(value !== undefined && { operation: String(value) }),
			});
			expect({ operation: value, schema }).toMatchObject({ schema: { type: 'object' } });
		}
	});

	it('declares no option twice, except options of one name for different choices', () => {
		const names = (properties: INodeProperties[]) =>
			properties.map(({ name, displayOptions }) => JSON.stringify([name, displayOptions]));
		for (const property of description.properties) {
			if (property.type !== 'collection') continue;
			const inner = names(property.options as INodeProperties[]);
			expect(new Set(inner).size).toBe(inner.length);
		}
	});
});

describe('credentials', () => {
	it("contain the vendor's name in their own, because the dialog for a new credential searches only names", () => {
		for (const { displayName } of full.types.credentials) {
			expect(displayName.toLowerCase()).toContain('lucidworks');
		}
	});

	it('contain only fields, because rare cases are explained in the docs', () => {
		const kinds = full.types.credentials.flatMap(({ properties }) =>
			properties.map(({ type }) => type),
		);
		expect(kinds.filter((type) => ['notice', 'callout'].includes(type))).toEqual([]);
	});

	it('link to their section of docs/credentials.md once the owner is set', () => {
		for (const { name, displayName, documentationUrl = '' } of full.types.credentials) {
			const source = `credentials/${name[0].toUpperCase()}${name.slice(1)}.credentials.ts`;
			expect(ownDocsLinks(source, documentationUrl, '')).toMatch(
				new RegExp(`/docs/credentials\\.md#${slug(displayName)}$`),
			);
		}
	});
});

describe("the editor's search for nodes", () => {
	/**
	 * Returns the nodes that the editor lists first for a search term. The editor compares the term with display
	 * names and aliases, but not with descriptions. Names that begin with the term come first.
	 */
	const finds = (term: string): string[] =>
		(full.types.nodes as INodeTypeDescription[])
			.filter(({ displayName, codex }) =>
				[displayName, ...(codex?.alias ?? [])].some((words) =>
					words.toLowerCase().startsWith(term),
				),
			)
			.map(({ name }) => name)
			.sort();

	it.each(Object.entries({ ...SEARCH_TERMS, ...SHARED_SEARCH_TERMS }))(
		'finds by "%s": %s',
		(term, nodes) => {
			expect(finds(term)).toEqual(expect.arrayContaining([...nodes]));
		},
	);
});

describe('icons', () => {
	type Themed = { light: string; dark: string };
	const iconsOf = (type: INodeTypeDescription | ICredentialType) => type.iconUrl as Themed;
	const fileOf = (iconUrl: string) =>
		path.join(packed.folder, iconUrl.replace(`icons/${packed.manifest.name}/`, ''));

	const all = () => [
		...(full.types.nodes as INodeTypeDescription[]),
		...(full.types.credentials as ICredentialType[]),
	];

	it('exist for both themes and differ', async () => {
		for (const type of all()) {
			const { light, dark } = iconsOf(type);
			const texts = [
				await readFile(fileOf(light), 'utf8'),
				await readFile(fileOf(dark), 'utf8'),
			];
			expect(texts[0]).not.toBe(texts[1]);
		}
	});
});
