import { CREDENTIALS, manualTrigger, model, samples } from './parts/nodes';
import { node, note, workflow } from './parts/workflow';

export default workflow(
	'Getting Started',
	[
		note(
			'Note',
			`## Getting started

Splits three documents into chunks with vectors, and pushes the chunks to the index.

**Change these**
1. *Chunk Text*: select your credential and enter your model. A chunk begins after each blank line.
2. *Push Documents*: select your credential.

**Try it:** click *Execute workflow*.

**Your own documents**

3. *Three Documents*: replace this node with one that reads your documents. Each item needs an **id**, a **name** and a **text**. If your fields have other names, change *Text*, *Document ID* and *Document Name* in *Chunk Text*.

**Run it again** with another chunker or shorter texts: the index keeps old chunks that no new chunk replaces. The option *Previous Chunk Count* finds them, and the syncs delete them.`,
			[-460, -200],
			[400, 500],
			7,
		),
		manualTrigger('Run by Hand', [0, -60]),
		samples(
			'Three Documents',
			[220, -60],
			[
				{
					id: 'handbook/returns.md',
					name: 'Returns',
					url: 'https://example.com/handbook/returns',
					text: 'Goods may be returned within thirty days, without a receipt as well.\n\nA refund takes five working days.',
				},
				{
					id: 'handbook/shipping.md',
					name: 'Shipping',
					url: 'https://example.com/handbook/shipping',
					text: 'Orders that arrive before noon leave the warehouse on the same day.\n\nPackages to islands take two days longer.',
				},
				{
					id: 'handbook/warranty.md',
					name: 'Warranty',
					url: 'https://example.com/handbook/warranty',
					text: 'The warranty covers two years.\n\nBatteries are covered for one year.\n\nRepairs are free in that time.',
				},
			],
		),
		node(
			'Chunk Text',
			'chunkText',
			1,
			[440, -60],
			{ modelId: model('id'), options: { vectorQuantizationMethod: 'max-scale' } },
			{ credentials: CREDENTIALS.ai },
		),
		node(
			'Push Documents',
			'pushDocuments',
			1,
			[660, -60],
			{ options: {} },
			{ credentials: CREDENTIALS.push },
		),
	],
	[['Run by Hand', 'Three Documents', 'Chunk Text', 'Push Documents']],
);
