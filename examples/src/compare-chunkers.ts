import { CREDENTIALS, manualTrigger, samples } from './parts/nodes';
import { code, node, note, workflow } from './parts/workflow';

const allOf = (name: string): string => `$('${name}').all().map(({ json }) => json)`;

const VARIANTS = `const model = 'gte-small';

return [
	{ variant: 'Blank lines', chunker: 'regex-splitter', config: { regex: '\\\\r?\\\\n\\\\s*\\\\n' } },
	{ variant: 'Headings', chunker: 'regex-splitter', config: { regex: '\\\\r?\\\\n(?=#{1,6} )' } },
	{ variant: 'Lines up to 256 tokens', chunker: 'dynamic-newline', config: { maxChunkSize: 256 } },
	{ variant: '3 sentences', chunker: 'sentence', config: { chunkSize: 3, overlapSize: 0 } },
	{ variant: '3 sentences, 1 shared', chunker: 'sentence', config: { chunkSize: 3, overlapSize: 1 } },
	{
		variant: 'Sentences up to 256 tokens',
		chunker: 'dynamic-sentence',
		config: { maxChunkSize: 256, overlapSize: 1 },
	},
	{ variant: 'Semantic', chunker: 'semantic', config: { maxChunkSize: 128, overlapSize: 0 } },
].map((variant) => ({ json: { ...variant, model } }));`;

export default workflow(
	'Compare Chunkers',
	[
		note(
			'Note',
			`## Compare chunkers

Asks your questions of your documents, once for each way to split them, and shows which way finds the answers.

**Change these**
1. *Documents*: 5 to 50 items with **id** and **text**.
2. *Questions*: 5 to 50 items with **question**, the ID of the **document** that answers it, and words of the answer as **phrase** (optional). If you replace this node or *Variants*, turn on *Execute Once*.
3. *Variants*: chunkers, their settings as the service calls them, and your model.
4. *Chunk Text*: select your credential.

**Try it:** click *Execute workflow*, then open *Table*, and *View* in *Page*.

**What it costs:** each variant sends all documents and questions to the AI service. Nothing is pushed.

If a text of a variant fails, its row says why, and the other variants go on.`,
			[-520, -280],
			[440, 640],
			7,
		),
		manualTrigger('Run by Hand', [0, 0]),
		samples(
			'Documents',
			[220, 0],
			[
				{
					id: 'returns',
					text: '# Returns\n\nYou can send back any product within 30 days. It must be unused and in its box.\n\n## Refunds\n\nWe inspect each parcel when it arrives. Your money is back on your card after five working days. Shipping costs are not refunded.\n\n## Exchanges\n\nTo exchange a product for another color, order the new one first. Then send back the old one.',
				},
				{
					id: 'shipping',
					text: '# Shipping\n\nOrders before noon leave the warehouse on the same day. Later orders leave on the next working day.\n\n## Countries\n\nWe deliver to Austria, France, Germany and Poland. Islands take two more days.\n\n## Costs\n\nA parcel costs 4.90. Orders above 60 are delivered free of charge. Ladders are sent by freight, which costs 29.',
				},
				{
					id: 'kettle',
					text: '# Kettle K1\n\nThe kettle holds 1.7 liters and boils them in four minutes. Never fill it above the mark.\n\n## Cleaning\n\nDescale it once a month. Fill it with water and half a cup of vinegar, boil it, and wait an hour. Rinse it twice.\n\n## Faults\n\nIf the lamp blinks, the kettle is too hot. Let it cool for ten minutes. If it blinks again, send it to our workshop.',
				},
				{
					id: 'toaster',
					text: '# Toaster T1\n\nThe toaster has two slots and six levels. Level three suits most bread.\n\n## Cleaning\n\nUnplug it and let it cool. Empty the crumb tray once a week. Never use water or vinegar.\n\n## Faults\n\nIf the lever does not stay down, check the plug. If a slice is stuck, unplug the toaster before you remove it with a wooden spoon.',
				},
				{
					id: 'ladder',
					text: '# Ladder L2\n\nThe ladder is made of aluminum and has eight steps. It carries up to 150 kilograms.\n\n## Safety\n\nPut it on level ground. Lock both hinges before you climb. Never stand on the top step.\n\n## Spare parts\n\nRubber feet and hinges are sold in pairs. Tell us the number on the label below the third step.',
				},
				{
					id: 'warranty',
					text: '# Warranty\n\nThe warranty of kettles and toasters covers two years. The warranty of ladders covers ten years.\n\n## What is not covered\n\nDamage by limescale, rust or a fall is not covered. A repair by somebody else ends the warranty.\n\n## How to claim\n\nSend us a photo of the damage and the invoice. We answer within two days and repair or replace the product.',
				},
			],
		),
		samples(
			'Questions',
			[440, 0],
			[
				{
					question: 'How many days do I have to send a product back?',
					document: 'returns',
					phrase: 'within 30 days',
				},
				{
					question: 'When is the refund back on my card?',
					document: 'returns',
					phrase: 'five working days',
				},
				{
					question: 'How do I exchange a product for another color?',
					document: 'returns',
					phrase: 'order the new one first',
				},
				{
					question: 'Which countries do you deliver to?',
					document: 'shipping',
					phrase: 'Austria, France, Germany and Poland',
				},
				{
					question: 'What are the shipping costs of a ladder?',
					document: 'shipping',
					phrase: 'freight, which costs 29',
				},
				{
					question: 'How do I descale the kettle with vinegar?',
					document: 'kettle',
					phrase: 'wait an hour. Rinse it twice',
				},
				{
					question: 'What does it mean if the lamp of the kettle blinks?',
					document: 'kettle',
					phrase: 'too hot',
				},
				{
					question: 'How often do I empty the crumb tray of the toaster?',
					document: 'toaster',
					phrase: 'once a week',
				},
				{
					question: 'How many kilograms does the ladder carry?',
					document: 'ladder',
					phrase: '150 kilograms',
				},
				{
					question: 'How long is the warranty of ladders?',
					document: 'warranty',
					phrase: 'ten years',
				},
				{
					question: 'Does the warranty cover limescale in a kettle?',
					document: 'warranty',
					phrase: 'not covered',
				},
			],
		),
		node('Variants', 'code', 2, [660, 0], { jsCode: VARIANTS }),
		code('Check Input', 'compare-variants', [880, 0], {
			documents: allOf('Documents'),
			questions: allOf('Questions'),
			variants: '$input.all().map(({ json }) => json)',
		}),
		node('Loop Over Variants', 'splitInBatches', 3, [1100, 0], { batchSize: 1, options: {} }),
		code('Texts', 'compare-texts', [1320, 200], {
			variant: '$input.first().json',
			documents: allOf('Documents'),
			questions: allOf('Questions'),
			now: 'Date.now()',
		}),
		node(
			'Chunk Text',
			'chunkText',
			1,
			[1540, 200],
			{
				modelId: { __rl: true, mode: 'id', value: '={{ $json.model }}' },
				chunker: 'custom',
				chunkerName: '={{ $json.chunker }}',
				chunkerConfig: '={{ $json.config }}',
				output: 'chunks',
				options: {
					dataType: '={{ $json.dataType }}',
					chunkDetails: true,
					keepSourceFields: 'listed',
					sourceFieldsToKeep: 'entry',
					vectorQuantizationMethod: 'max-scale',
				},
			},
			{ credentials: CREDENTIALS.ai, onError: 'continueRegularOutput' },
		),
		code('Score', 'compare-score', [1760, 200], {
			documents: allOf('Documents'),
			questions: allOf('Questions'),
			texts: allOf('Texts'),
			results: '$input.all().map(({ json }) => json)',
			now: 'Date.now()',
		}),
		code('Table', 'compare-table', [1320, -60], {
			scores: '$input.all().map(({ json }) => json)',
		}),
		code('Page', 'compare-page', [1540, -60], {
			rows: '$input.all().map(({ json }) => json)',
			documents: "$('Documents').all().length",
			questions: "$('Questions').all().length",
		}),
	],
	[
		['Run by Hand', 'Documents', 'Questions', 'Variants', 'Check Input', 'Loop Over Variants'],
		['Loop Over Variants', 'Table', 'Page'],
		['Loop Over Variants|1', 'Texts', 'Chunk Text', 'Score', 'Loop Over Variants'],
	],
);
