import { CREDENTIALS, manualTrigger, model, samples } from './parts/nodes';
import { code, node, note, workflow } from './parts/workflow';

export default workflow(
	'Chunks With Context',
	[
		note(
			'Note',
			`## Chunks with context

A paragraph often does not say what it is about. This workflow puts the title and the heading in front of each chunk *before* the chunk is embedded, so its vector reflects them too.

**Change these**
1. *Two Documents*: replace this node with one that reads your documents. Each item needs an **id**, a **name** and a **text**.
2. *Split*: select your credential and enter your model. A chunk begins after each blank line (*Regex*).
3. *Add Context*: choose the text in front of each chunk. Here, it is \`name\` and the Markdown heading above the chunk.
4. *Embed*: select your credential and enter the same model. Its *Regex* matches nothing, so each chunk stays whole.
5. *Push Documents*: select your credential.

**Try it:** click *Execute workflow*.

**What it costs:** each text is sent to the AI service twice, which doubles the tokens. *Embed* sends each chunk as a text, so with three chunks per document, it needs three times as many requests as *Split*. The context of each chunk adds a few more tokens. *Split* returns no vectors, but the service computes them anyway.

If a document becomes shorter, its old last chunks stay in the index: see **Updates by Webhook**. If two documents have the same ID, the later one replaces the earlier one.`,
			[-500, -280],
			[420, 840],
			7,
		),
		manualTrigger('Run by Hand', [0, 0]),
		samples(
			'Two Documents',
			[220, 0],
			[
				{
					id: 'context/kettle',
					name: 'Kettle K1',
					url: 'https://example.com/k1',
					text: '# Cleaning\nUse vinegar.\n\nRinse it twice.\n\n# Warranty\nIt covers two years.',
				},
				{
					id: 'context/toaster',
					name: 'Toaster T1',
					url: 'https://example.com/t1',
					text: '# Cleaning\nEmpty the crumb tray.\n\nNever use water.\n\n# Warranty\nIt covers one year.',
				},
			],
		),
		node(
			'Split',
			'chunkText',
			1,
			[440, 0],
			{
				modelId: model('id'),
				output: 'documents',
				options: { vectors: 'none', vectorQuantizationMethod: 'max-scale' },
			},
			{ credentials: CREDENTIALS.ai },
		),
		code('Add Context', 'add-context', [660, 0], {
			chunks: '$input.all().map(({ json }) => json)',
		}),
		node(
			'Embed',
			'chunkText',
			1,
			[880, 0],
			{
				modelId: model('id'),
				regex: '(?!)',
				output: 'chunks',
				options: { keepSourceFields: 'all', vectorQuantizationMethod: 'max-scale' },
			},
			{ credentials: CREDENTIALS.ai },
		),
		node(
			'Push Documents',
			'pushDocuments',
			1,
			[1100, 0],
			{ documentSource: 'wholeItem', options: {} },
			{ credentials: CREDENTIALS.push },
		),
	],
	[['Run by Hand', 'Two Documents', 'Split', 'Add Context', 'Embed', 'Push Documents']],
);
