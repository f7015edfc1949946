import { AT_HEADINGS, CREDENTIALS, model } from './parts/nodes';
import { node, note, workflow } from './parts/workflow';

export default workflow(
	'Agent with Search Ingest Tools',
	[
		note(
			'Note',
			`## Agent with search ingest tools

An AI agent that maintains the documents of a search index. Tell it in the chat what to add, change or delete.

**Change these**
1. *Chat Model*: choose your own model and select its credential.
2. *Add or Update Document* and *Delete Document*: select your credential.
3. *Split Text*: select your credential and enter your model.

In each tool, the model fills in the fields that say *Defined automatically by the model*. If a tool fails, the model receives the error and the run still succeeds, so read the agent's answer.

**Add or Update Document** uses *Documents From: Mapped Fields*. **Split Text** never returns vectors, because a model cannot use their hundreds of numbers.

To index long texts with vectors, give the agent a workflow with *Chunk Text* and *Push Documents* as a tool. Then neither chunks nor vectors pass through the model.`,
			[-500, -300],
			[420, 560],
			7,
		),
		note(
			'Note 2',
			`### What the agent may do
Disconnect the tools it must not use. A delete cannot be undone, so put n8n's *Human review* before that tool: a person then confirms each delete.`,
			[580, -300],
			[300, 190],
			5,
		),
		node(
			'Chat Message',
			'@n8n/n8n-nodes-langchain.chatTrigger',
			1.1,
			[0, -260],
			{ options: {} },
			{ webhookId: '9d2c9007-cbdf-503d-862d-ece1911aba27' },
		),
		node('AI Agent', '@n8n/n8n-nodes-langchain.agent', 3, [240, -260], {
			options: {
				systemMessage:
					'You maintain the documents of a search index with your tools. Make the ID of a new document from its title: lower case, words joined by hyphens. Never invent content that the user has not given. Delete a document only if the user asks for it, and say what you have done.',
			},
		}),
		node(
			'Chat Model',
			'@n8n/n8n-nodes-langchain.lmChatOpenAi',
			1.2,
			[60, 40],
			{ model: { __rl: true, mode: 'list', value: 'gpt-4.1-mini' }, options: {} },
			{ credentials: CREDENTIALS.chatModel },
		),
		node(
			'Add or Update Document',
			'pushDocumentsTool',
			1,
			[260, 40],
			{
				toolDescription:
					'Add a document to the search index, or update the one with the same ID. Always send all fields: omitted ones may be lost.',
				documentSource: 'fields',
				options: {},
			},
			{ credentials: CREDENTIALS.push, onError: 'continueRegularOutput' },
		),
		node(
			'Delete Document',
			'deleteDocumentTool',
			1,
			[440, 40],
			{
				toolDescription:
					'Delete one document from the search index. This cannot be undone.',
				commit: 'everyDelete',
				options: {},
			},
			{ credentials: CREDENTIALS.push, onError: 'continueRegularOutput' },
		),
		node(
			'Split Text',
			'chunkTextTool',
			1,
			[620, 40],
			{
				descriptionType: 'manual',
				toolDescription:
					'Split a long text into chunks, in their order. Use it to add each chunk as a document of its own.',
				modelId: model(),
				regex: AT_HEADINGS,
				options: {},
			},
			{ credentials: CREDENTIALS.ai, onError: 'continueRegularOutput' },
		),
	],
	[
		['Chat Message', 'AI Agent'],
		['Chat Model', 'ai_languageModel|AI Agent'],
		['Add or Update Document', 'ai_tool|AI Agent'],
		['Delete Document', 'ai_tool|AI Agent'],
		['Split Text', 'ai_tool|AI Agent'],
	],
);
