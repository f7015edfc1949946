/**
 * Tests what counts in versions of the settings of Chunk Text and Push Documents. n8n adds the defaults of all parameters
 * to those in the workflow, so the nodes themselves count too.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';

import type { INodeParameters } from 'n8n-workflow';

import { settingsText } from '../../../examples/src/code/shared/settings-text';
import { ChunkText } from '../../../nodes/ChunkText/ChunkText.node';
import { PushDocuments } from '../../../nodes/PushDocuments/PushDocuments.node';
import { ROOT } from '../../../support/manifest';
import { parametersOf } from './support/expressions';
import { withDefaults } from './support/node-parameters';

/** The settings of each sync as they counted before syncs split texts at headings or by sentences. */
const FORMER = JSON.parse(
	readFileSync(path.join(ROOT, 'test/unit/examples/support/former-settings.json'), 'utf8'),
) as Record<string, string>;

/** Returns the settings of a built example's nodes, as n8n has them. */
function settingsOf(example: string, change: INodeParameters = {}): string {
	const file = `${example}.json`;
	const push = withDefaults(new PushDocuments(), parametersOf(file, 'Push Documents'));
	if (!FORMER[example].includes('"chunker"')) return JSON.stringify(push);
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
