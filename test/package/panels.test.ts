/**
 * Tests which fields the nodes' panels show. A panel must contain only fields that apply, and must not contain too many
 * fields.
 */
import type { INodeParameters, INodeProperties, INodeType } from 'n8n-workflow';
import { NodeHelpers } from 'n8n-workflow';

import { ChunkText } from '../../nodes/ChunkText/ChunkText.node';
import { DeleteDocument } from '../../nodes/DeleteDocument/DeleteDocument.node';
import { PushDocuments } from '../../nodes/PushDocuments/PushDocuments.node';

function shownWith({ description }: INodeType, values: INodeParameters) {
	const { properties } = description;
	const all = NodeHelpers.getNodeParameters(
		properties,
		values,
		true,
		false,
		{ typeVersion: 1 },
		description,
	) as INodeParameters;
	const shownBeside = (siblings: INodeParameters, list: INodeProperties[]) =>
		list.filter((property) =>
			NodeHelpers.displayParameter(siblings, property, { typeVersion: 1 }, description, all),
		);
	const parameters = shownBeside(all, properties);
	const options = parameters.find(({ name }) => name === 'options')?.options ?? [];
	const shown = shownBeside(all.options as INodeParameters, options as INodeProperties[]);
	return { parameters, options: names(shown) };
}

const names = (properties: INodeProperties[]) => properties.map(({ name }) => name);

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

	it.each(['file', 'textFile'])(
		'of Chunk Text shows the same for Get Results, whatever Texts From was before: %s',
		(textSource) => {
			// While the panel is open, the editor keeps the values of parameters that it no longer shows.
			const { description } = new ChunkText();
			const shown = (values: INodeParameters) =>
				description.properties.filter((property) =>
					NodeHelpers.displayParameter(values, property, { typeVersion: 1 }, description),
				);
			const values = { operation: 'getResults', output: 'documents' };
			expect(names(shown({ ...values, textSource }))).toEqual(names(shown(values)));
			expect(names(shown(values))).toEqual(
				expect.arrayContaining(['documentId', 'documentName']),
			);
		},
	);

	it('of Chunk Text lists the known models before the choice of an ID', () => {
		const { parameters } = shownWith(new ChunkText(), {});
		const model = parameters.find(({ name }) => name === 'modelId');
		expect(model?.default).toEqual({ mode: 'list', value: '' });
		expect(model?.modes?.map(({ name }) => name)).toEqual(['list', 'id']);
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

	it.each(['previousChunkCount', 'documentUrl', 'documentDescription'])(
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
