/**
 * Tests what counts in versions of the settings of Chunk Text and Push Documents. n8n adds the defaults of all parameters
 * to those in the workflow, so the nodes themselves count too.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';

import type { INode, INodeParameters, INodeType } from 'n8n-workflow';
import { NodeHelpers, Workflow } from 'n8n-workflow';

import { settingsText } from '../../../examples/src/code/shared/settings-text';
import { ChunkText } from '../../../nodes/ChunkText/ChunkText.node';
import { PushDocuments } from '../../../nodes/PushDocuments/PushDocuments.node';
import { ROOT } from '../../../support/manifest';
import { parametersOf } from './support/expressions';

const read = (...file: string[]): unknown =>
	JSON.parse(readFileSync(path.join(ROOT, ...file), 'utf8'));

/** The settings of each sync as they counted before syncs split texts at headings or by sentences. */
const FORMER = read('test/unit/examples/support/former-settings.json') as Record<string, string>;

const TYPES: Record<string, INodeType> = {
	'Chunk Text': new ChunkText(),
	'Push Documents': new PushDocuments(),
};

/** Returns the settings of a built example's nodes, as n8n has them. */
function settingsOf(example: string, change: INodeParameters = {}): string {
	const { nodes } = read('examples', `${example}.json`) as { nodes: INode[] };
	const placed = nodes
		.filter(({ name }) => Object.hasOwn(TYPES, name))
		.map((node) =>
			node.name === 'Chunk Text'
				? { ...node, parameters: { ...node.parameters, ...change } }
				: node,
		);
	const type = (name: string) =>
		TYPES[name.endsWith('chunkText') ? 'Chunk Text' : 'Push Documents'];
	const workflow = new Workflow({
		...{ nodes: placed, connections: {}, active: false },
		nodeTypes: {
			getByName: type,
			getByNameAndVersion: (name) => NodeHelpers.getVersionedNodeType(type(name)),
			getKnownTypes: () => ({}),
		},
	});
	const [chunks, push] = Object.keys(TYPES).map((name) => workflow.getNode(name)?.parameters);
	return JSON.stringify(chunks ? [chunks, push] : push);
}

/** How the built example says that texts were split before. */
function formerSplit(example: string): 'headings' | 'sentences' {
	if (example.includes('database')) return 'headings';
	const { jsCode } = parametersOf(`${example}.json`, 'Compute Versions') as { jsCode: string };
	const [, former = ''] = /const formerSplit = '(\w+)'/.exec(jsCode) ?? [];
	return former as 'headings' | 'sentences';
}

const SYNCS = Object.keys(FORMER);
const CHUNKED = SYNCS.filter((example) => FORMER[example].includes('"chunker"'));

test.each(SYNCS)('%s: an updated sync changes no version', (example) => {
	expect(settingsText(settingsOf(example), formerSplit(example))).toBe(FORMER[example]);
});

describe.each(CHUNKED)('%s: a new version is', (example) => {
	const former = formerSplit(example);
	const counted = (change: INodeParameters) => settingsText(settingsOf(example, change), former);

	test.each<[string, INodeParameters]>([
		['another model', { modelId: { __rl: true, mode: 'id', value: 'e5-small-v2' } }],
		['another chunker', { chunker: 'sentence' }],
		['another name of the chunker', { chunkerName: "={{ 'sentence' }}" }],
		['another configuration', { chunkerConfig: '={{ { regex: "x" } }}' }],
		[
			'the former way, if the user chooses it: headings',
			{
				...{ chunker: 'regex-splitter', regex: '\\r?\\n(?=#{1,6} )' },
			},
		],
		['the former way, if the user chooses it: sentences', { chunker: 'dynamic-sentence' }],
		['another choice of fields', { options: { documentFields: '={{ $json.mine }}' } }],
	])('%s', (_what, change) => {
		expect(counted(change)).not.toBe(FORMER[example]);
		expect(counted({})).toBe(FORMER[example]);
	});
});

test('a change of another parameter counts like before', () => {
	const [example] = CHUNKED;
	const change = { documentName: '={{ $json.title }}' };
	const former = FORMER[example].replace('$json.name', '$json.title');
	expect(settingsText(settingsOf(example, change), 'headings')).toBe(former);
});
