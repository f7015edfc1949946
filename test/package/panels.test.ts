/**
 * Tests which fields the nodes' panels show. A panel must contain only fields that apply, and must not contain too many
 * fields.
 */
import type {
	INodeParameters,
	INodeProperties,
	INodePropertyOptions,
	INodeType,
} from 'n8n-workflow';
import { NodeHelpers } from 'n8n-workflow';

import { ChunkText } from '../../nodes/ChunkText/ChunkText.node';
import { DeleteDocument } from '../../nodes/DeleteDocument/DeleteDocument.node';
import { PushDocuments } from '../../nodes/PushDocuments/PushDocuments.node';
import { everyPair, type Factors } from '../../support/pairs';

const VERSION = { typeVersion: 1 };

/** Returns what the editor stores for a node with these values: all parameters that apply, with their defaults. */
const storedBy = ({ description }: INodeType, values: INodeParameters) =>
	NodeHelpers.getNodeParameters(
		description.properties,
		values,
		true,
		false,
		VERSION,
		description,
	) as INodeParameters;

/**
 * Returns what a panel with these values shows. While a panel is open, the editor keeps the values of parameters that it
 * no longer shows. So the values can contain more than the editor stores.
 */
function shownFor({ description }: INodeType, values: INodeParameters) {
	const shownBeside = (siblings: INodeParameters, list: INodeProperties[]) =>
		list.filter((property) =>
			NodeHelpers.displayParameter(siblings, property, VERSION, description, values),
		);
	const parameters = shownBeside(values, description.properties);
	const options = parameters.find(({ name }) => name === 'options')?.options ?? [];
	const shown = shownBeside(values.options as INodeParameters, options as INodeProperties[]);
	return { parameters, options: names(shown) };
}

const shownWith = (node: INodeType, values: INodeParameters) =>
	shownFor(node, storedBy(node, values));

const names = (properties: INodeProperties[]) => properties.map(({ name }) => name);

const allNames = ({ parameters, options }: ReturnType<typeof shownFor>) =>
	[...names(parameters), ...options].join(' ');

describe('the panel', () => {
	const BEFORE = 'operation textSource';
	const AFTER = 'modelId chunker regex output scope options';
	it.each<[string, INodeParameters, string]>([
		['a text', {}, `${BEFORE} text documentId documentName ${AFTER}`],
		[
			'a CSV file',
			{ textSource: 'file', fileFormat: 'csv' },
			`${BEFORE} binaryPropertyName fileFormat textField idField nameField ${AFTER}`,
		],
		[
			'a JSON list',
			{ textSource: 'file', fileFormat: 'jsonArray' },
			`${BEFORE} binaryPropertyName fileFormat listPath textField idField nameField ${AFTER}`,
		],
	])('of Chunk Text follows the choice of %s', (_case, values, expected) => {
		expect(names(shownWith(new ChunkText(), values).parameters).join(' ')).toBe(expected);
	});

	it('of Chunk Text is the same after a change as when it is opened again', () => {
		const node = new ChunkText();
		const choices = ['operation', 'textSource', 'output'].map((name) => {
			const all = node.description.properties.find((one) => one.name === name)?.options ?? [];
			return all.map((option) => ({ [name]: (option as INodePropertyOptions).value }));
		});
		const states = choices.reduce<INodeParameters[]>(
			(before, values) =>
				before.flatMap((one) => values.map((value) => ({ ...one, ...value }))),
			[{}],
		);
		const differences: unknown[] = [];
		for (const state of states)
			for (const change of choices.flat()) {
				const before = storedBy(node, state);
				const after = storedBy(node, { ...before, ...change });
				const open = allNames(shownFor(node, { ...before, ...after }));
				const again = allNames(shownWith(node, after));
				if (open !== again) differences.push({ state, change, open, again });
			}
		expect(states).toHaveLength(27);
		expect(differences).toEqual([]);
	});

	it('of Chunk Text lists the known models before the choice of an ID', () => {
		const { parameters } = shownWith(new ChunkText(), {});
		const model = parameters.find(({ name }) => name === 'modelId');
		expect(model?.default).toEqual({ mode: 'list', value: '' });
		expect(model?.modes?.map(({ name }) => name)).toEqual(['list', 'id']);
	});
});

const NODES = [new PushDocuments(), new DeleteDocument(), new ChunkText()].map(
	(node) => [node.description.displayName, node] as const,
);

/** Returns the names of all parameters and options that decide whether other ones are shown. */
const deciding = (properties: INodeProperties[]): string[] =>
	properties.flatMap(({ displayOptions: { show = {}, hide = {} } = {}, options = [] }) => [
		...Object.keys({ ...show, ...hide }).filter((name) => !name.startsWith('@')),
		...deciding(options as INodeProperties[]),
	]);

/** Returns the values of each deciding parameter by its path. A slash before a name means the top level. */
function choicesOf({ description: { properties } }: INodeType): Factors {
	const options = properties.find(({ name }) => name === 'options')?.options as INodeProperties[];
	const valuesOf = (property?: INodeProperties) => [
		...new Set((property?.options as INodePropertyOptions[]).map(({ value }) => String(value))),
	];
	return Object.fromEntries(
		[...new Set(deciding(properties).map((name) => name.replace('/', '')))].map((name) => {
			const isSame = (one: INodeProperties) => one.name === name;
			return [name, valuesOf(properties.find(isSame) ?? options.find(isSame))];
		}),
	);
}

describe('approved: after a change, run Jest with -u and read the difference', () => {
	it.each(NODES)('what the panel of %s shows for each two choices', (_name, node) => {
		const factors = choicesOf(node);
		const isTop = (name: string) =>
			node.description.properties.some((one) => one.name === name);
		const panels = ['', 'Tool'].flatMap((suffix) => {
			const description = { ...node.description, name: node.description.name + suffix };
			const variant = Object.assign(Object.create(node) as INodeType, { description });
			return everyPair(factors, 'panels').map((choice) => {
				const all = Object.entries(choice);
				const values = {
					...Object.fromEntries(all.filter(([name]) => isTop(name))),
					options: Object.fromEntries(all.filter(([name]) => !isTop(name))),
				};
				const { parameters, options } = shownFor(variant, values);
				const chosen = all.map(([name, value]) => `${name}: ${value}`).join(', ');
				const shown = parameters
					.filter(({ name }) => name !== 'options')
					.map(({ name, default: value }) => `${name} ${JSON.stringify(value)}`);
				return [`${suffix} ${chosen}`, ...shown, `options: ${options.join(' ')}`].join(
					'\n',
				);
			});
		});
		expect(panels.join('\n\n')).toMatchSnapshot();
	});
});

const FILE_OPTIONS = ['delimiter', 'skipRecords', 'maxRecords', 'bytesPerFile'];

describe('the options', () => {
	it.each<[string, INodeType, INodeParameters, readonly string[]]>([
		['Push Documents with items', new PushDocuments(), {}, []],
		[
			'Push Documents with files',
			new PushDocuments(),
			{ documentSource: 'file' },
			FILE_OPTIONS,
		],
		['Delete Document with items', new DeleteDocument(), {}, []],
		['Delete Document with files', new DeleteDocument(), { idSource: 'file' }, FILE_OPTIONS],
		// With items as input, Chunk Text can also return its chunks in files.
		['Chunk Text with items', new ChunkText(), {}, ['bytesPerFile']],
		['Chunk Text with files', new ChunkText(), { textSource: 'file' }, FILE_OPTIONS],
		['Get Results', new ChunkText(), { operation: 'getResults' }, ['bytesPerFile']],
	])('of %s omit the file options without files', (_case, node, values, expected) => {
		const { options } = shownWith(node, values);
		expect(new Set(options).size).toBe(options.length);
		expect(options.filter((name) => FILE_OPTIONS.includes(name))).toEqual(expected);
	});

	it.each<[string, INodeParameters]>([
		['from items to files', { options: { outputTo: 'files' } }],
		['from files to items', { textSource: 'file' }],
		['from files to files', { textSource: 'file', options: { outputTo: 'files' } }],
		[
			'of earlier requests to files',
			{ operation: 'getResults', options: { outputTo: 'files' } },
		],
		['that are submitted from files', { operation: 'submit', textSource: 'file' }],
	])('contain the size of returned files only once: texts %s', (_case, values) => {
		const { options } = shownWith(new ChunkText(), values);
		expect(options.filter((name) => name === 'bytesPerFile')).toHaveLength(1);
	});

	it.each(['previousChunkCount', 'documentUrl', 'documentDescription', 'documentFields'])(
		'of Chunk Text with texts from files omit fields that are read from items: %s',
		(name) => {
			expect(shownWith(new ChunkText(), {}).options).toContain(name);
			expect(shownWith(new ChunkText(), { textSource: 'file' }).options).not.toContain(name);
		},
	);

	it('of Get Results omit fields that are submitted', () => {
		const { options } = shownWith(new ChunkText(), { operation: 'getResults' });
		const submitted = [
			'dataType',
			'dimReductionSize',
			'additionalBodyFields',
			'textsPerRequest',
		];
		expect(options.filter((name) => submitted.includes(name))).toEqual([]);
	});
});
