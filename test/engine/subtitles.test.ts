/** Tests the text below a node's name on the canvas. n8n creates this text from an expression. */
import type { INodeParameters, INodeType } from 'n8n-workflow';
import { NodeHelpers, Workflow } from 'n8n-workflow';

import { ChunkText } from '../../nodes/ChunkText/ChunkText.node';
import { DeleteDocument } from '../../nodes/DeleteDocument/DeleteDocument.node';
import { PushDocuments } from '../../nodes/PushDocuments/PushDocuments.node';

const MODEL = { modelId: { __rl: true, mode: 'list', value: 'gte-small' } };

function subtitleOf(node: INodeType, parameters: INodeParameters): unknown {
	const { description } = node;
	const workflow = new Workflow({
		nodes: [
			{
				id: '1',
				name: 'Node',
				type: description.name,
				typeVersion: 1,
				position: [0, 0],
				parameters,
			},
		],
		connections: {},
		active: false,
		nodeTypes: {
			getByName: () => node,
			getByNameAndVersion: () => NodeHelpers.getVersionedNodeType(node),
			getKnownTypes: () => ({}),
		},
	});
	const placed = workflow.nodes.Node;
	return workflow.expression.getSimpleParameterValue(
		placed,
		description.subtitle,
		'internal',
		{},
	);
}

it.each<[string, INodeParameters]>([
	['Regex Splitter', {}],
	['Regex Splitter, gte-small', MODEL],
	['Sentence, gte-small', { ...MODEL, chunker: 'sentence' }],
	['Submit: Regex Splitter, gte-small', { ...MODEL, operation: 'submit' }],
	['Get Results', { operation: 'getResults' }],
])('Chunk Text: %s', (expected, parameters) => {
	expect(subtitleOf(new ChunkText(), parameters)).toBe(expected);
});

it.each<[string, INodeParameters]>([
	['Each item is a document', {}],
	['Dry run: Each item is a document', { options: { dryRun: true } }],
	['Documents from a file', { documentSource: 'file' }],
])('Push Documents: %s', (expected, parameters) => {
	expect(subtitleOf(new PushDocuments(), parameters)).toBe(expected);
});

it.each<[string, INodeParameters]>([
	['Commit within about a minute', {}],
	['Dry run: Commit with every delete', { commit: 'everyDelete', options: { dryRun: true } }],
])('Delete Document: %s', (expected, parameters) => {
	expect(subtitleOf(new DeleteDocument(), parameters)).toBe(expected);
});
