/** What the panels of the nodes show: only what applies, and no more than a panel can hold. */
import type { INodeParameters, INodeProperties, INodeType } from 'n8n-workflow';
import { NodeHelpers } from 'n8n-workflow';

import { ChunkText } from '../../nodes/ChunkText/ChunkText.node';
import { DeleteDocument } from '../../nodes/DeleteDocument/DeleteDocument.node';
import { PushDocuments } from '../../nodes/PushDocuments/PushDocuments.node';

/** What a node shows with these values, all others being the defaults. */
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
	const isShown = (property: INodeProperties): boolean =>
		NodeHelpers.displayParameter(all, property, { typeVersion: 1 }, description, all);
	const parameters = properties.filter(isShown);
	const options = parameters.find(({ name }) => name === 'options')?.options ?? [];
	return {
		parameters,
		options: (options as INodeProperties[]).filter(isShown).map(({ name }) => name),
	};
}

const names = (properties: INodeProperties[]) => properties.map(({ name }) => name);

describe('the panel', () => {
	it('of Chunk Text has at most 13 parameters, the scope last', () => {
		const shown = names(shownWith(new ChunkText(), {}).parameters);
		expect(shown.length).toBeLessThanOrEqual(13);
		expect(shown.slice(-2)).toEqual(['scope', 'options']);
	});

	it.each([
		['items', ['compact', 'list', 'none']],
		['files', ['compact', 'none']],
	])('of Chunk Text has the vectors that are possible in %s', (outputTo, expected) => {
		const node = new ChunkText();
		const vectors = shownWith(node, { outputTo }).parameters.find(
			({ name }) => name === 'vectors',
		);
		const isShown = (option: object) =>
			NodeHelpers.displayParameter({ outputTo }, option as never, null, node.description);
		const offered = (vectors?.options ?? []).filter(isShown) as Array<{ value: unknown }>;
		expect(offered.map(({ value }) => value)).toEqual(expected);
	});
});

const FILE_OPTIONS = ['delimiter', 'skipRecords', 'maxRecords', 'bytesPerFile'];

describe('the options', () => {
	it.each<[string, INodeType, INodeParameters, boolean]>([
		['Push Documents with items', new PushDocuments(), {}, false],
		['Push Documents with files', new PushDocuments(), { documentSource: 'file' }, true],
		['Delete Document with items', new DeleteDocument(), {}, false],
		['Delete Document with files', new DeleteDocument(), { idSource: 'file' }, true],
		['Chunk Text with items', new ChunkText(), {}, false],
		['Chunk Text with files', new ChunkText(), { textSource: 'file' }, true],
		['Get Results', new ChunkText(), { operation: 'getResults' }, false],
	])('of %s are for files only if it reads some', (_case, node, values, hasFiles) => {
		const { options } = shownWith(node, values);
		expect(new Set(options).size).toBe(options.length);
		expect(options.filter((name) => FILE_OPTIONS.includes(name))).toEqual(
			hasFiles ? FILE_OPTIONS : [],
		);
	});

	it.each<[string, INodeParameters]>([
		['from items to files', { outputTo: 'files' }],
		['from files to items', { textSource: 'file' }],
		['from files to files', { textSource: 'file', outputTo: 'files' }],
		['of earlier requests to files', { operation: 'getResults', outputTo: 'files' }],
		['that are submitted from files', { operation: 'submit', textSource: 'file' }],
	])('have the size of returned files once: texts %s', (_case, values) => {
		const { options } = shownWith(new ChunkText(), values);
		expect(options.filter((name) => name === 'bytesPerFile')).toHaveLength(1);
	});

	it.each(['previousChunkCount', 'resumeChunkingId', 'documentUrl', 'documentDescription'])(
		'of Chunk Text with texts from files have nothing that is read from items: %s',
		(name) => {
			expect(shownWith(new ChunkText(), {}).options).toContain(name);
			expect(shownWith(new ChunkText(), { textSource: 'file' }).options).not.toContain(name);
		},
	);

	it('of Get Results have nothing that is submitted', () => {
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
