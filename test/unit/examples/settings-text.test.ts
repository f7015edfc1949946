/**
 * Tests which changes of Chunk Text are a new version of each document. That an updated sync changes no version is
 * tested with the tables of earlier versions in updated.test.ts.
 */
import type { INodeParameters } from 'n8n-workflow';

import { settingsText } from '../../../examples/src/code/shared/settings-text';
import { ChunkText } from '../../../nodes/ChunkText/ChunkText.node';
import { PushDocuments } from '../../../nodes/PushDocuments/PushDocuments.node';
import { parametersOf } from './support/expressions';
import { withDefaults } from './support/node-parameters';

const CHUNKED = [
	...['sync-chunks-by-source', 'sync-from-an-api', 'sync-of-a-website'],
	...['sync-of-a-folder', 'sync-from-google-drive', 'sync-chunks-of-a-database'],
];

/** Returns the settings of a built example's nodes, as n8n has them. */
function settingsOf(example: string, change: INodeParameters = {}): string {
	const file = `${example}.json`;
	const push = withDefaults(new PushDocuments(), parametersOf(file, 'Push Documents'));
	const chunkText = { ...parametersOf(file, 'Chunk Text'), ...change };
	return JSON.stringify([withDefaults(new ChunkText(), chunkText), push]);
}

/** How the built example says that texts were split before. */
function formerSplit(example: string): 'headings' | 'sentences' {
	if (example.includes('database')) return 'headings';
	const { jsCode } = parametersOf(`${example}.json`, 'Compute Versions') as { jsCode: string };
	const [, former = ''] = /const formerSplit = '(\w+)'/.exec(jsCode) ?? [];
	return former as 'headings' | 'sentences';
}

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
			{ chunker: 'regex-splitter', regex: '\\r?\\n(?=#{1,6} )' },
		],
		['the former way, if the user chooses it: sentences', { chunker: 'dynamic-sentence' }],
		['another choice of fields', { options: { documentFields: '={{ $json.mine }}' } }],
	])('%s', (_what, change) => {
		expect(counted(change)).not.toBe(counted({}));
	});
});
