import { AT_HEADINGS, CREDENTIALS, isTrue, manualTrigger, model, samples } from './parts/nodes';
import { node, note, workflow } from './parts/workflow';

export default workflow(
	'Submit, Wait, Get Results',
	[
		note(
			'Note',
			`## Chunk large texts without occupying a worker

*Submit and Wait* polls for the results while the execution runs and occupies a worker. For texts that take minutes, use these three nodes instead.

**Change these**
1. *Sample Texts*: replace this node with one that reads your texts.
2. *Submit Texts*: select your credential and enter your model. A chunk begins at each Markdown heading. To start a chunk after each blank line instead, set *Regex* to \`\\r?\\n\\s*\\n\`.
3. *Wait*: enter 65 seconds or more. Then n8n removes the execution from memory while it waits, and the execution occupies no worker. In the demo, it waits only 3 seconds.
4. *Get Results*: select your credential.
5. *Chunks*: replace this node with Push Documents, or with whatever you want to do with the chunks.

**Try it:** click *Execute workflow*.

If chunks are not ready after 200 waits, the run fails and its error names the chunking ID.`,
			[-460, -260],
			[380, 620],
			7,
		),
		note(
			'Note 3',
			`### 1. Submit
Each item contains its request's chunking ID.`,
			[-40, -220],
			[700, 400],
			5,
		),
		note(
			'Note 2',
			`### 2. Wait, 3. get results
Items whose chunks are not ready contain a *status* and wait again. Chunks leave the loop.`,
			[700, -220],
			[1280, 620],
			4,
		),
		manualTrigger('Run by Hand', [0, -60]),
		samples(
			'Sample Texts',
			[220, -60],
			[
				{
					text: '# Returns\nGoods may be returned within thirty days.\n# Refunds\nA refund takes five working days.',
				},
				{ text: '# Shipping\nOrders leave the warehouse the same day.' },
			],
		),
		node(
			'Submit Texts',
			'chunkText',
			1,
			[460, -60],
			{
				operation: 'submit',
				modelId: model(),
				textSource: 'item',
				text: '={{ $json.text }}',
				regex: AT_HEADINGS,
				options: { vectorQuantizationMethod: 'max-scale' },
			},
			{ credentials: CREDENTIALS.ai },
		),
		node(
			'Wait',
			'wait',
			1.1,
			[760, -60],
			{ amount: 3, unit: 'seconds' },
			{ webhookId: '49256b98-19ab-4cbb-ae6e-031a03abe81b' },
		),
		node(
			'Get Results',
			'chunkText',
			1,
			[1000, -60],
			{ operation: 'getResults', chunkingId: '={{ $json.chunkingId }}', output: 'chunks' },
			{ credentials: CREDENTIALS.ai },
		),
		node('Not Ready Yet?', 'if', 2.2, [1240, -60], {
			conditions: {
				options: {
					caseSensitive: true,
					leftValue: '',
					typeValidation: 'loose',
					version: 2,
				},
				conditions: [
					{
						id: '26542fb1-8a8b-44c9-a75a-a475f23c909f',
						leftValue: '={{ $json.status }}',
						rightValue: '',
						operator: { type: 'string', operation: 'exists', singleValue: true },
					},
				],
				combinator: 'and',
			},
			looseTypeValidation: true,
			options: {},
		}),
		node('Chunks', 'noOp', 1, [1500, -60], {}),
		node('Waits On?', 'if', 2.2, [1500, 160], isTrue('={{ $runIndex < 199 }}')),
		node('Fail the Run', 'stopAndError', 1, [1740, 240], {
			errorMessage:
				'={{ `The chunks were not ready after 200 waits: the status of ${$json.chunkingId} is ${$json.status}. Get them later with Get Results.` }}',
		}),
	],
	[
		[
			'Run by Hand',
			'Sample Texts',
			'Submit Texts',
			'Wait',
			'Get Results',
			'Not Ready Yet?',
			'Waits On?',
			'Wait',
		],
		['Not Ready Yet?|1', 'Chunks'],
		['Waits On?|1', 'Fail the Run'],
	],
);
