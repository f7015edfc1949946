import type { INodeProperties } from 'n8n-workflow';

import {
	concurrencyProperty,
	maxAttemptsProperty,
	timeoutProperty,
} from '../../shared/n8n/bulk-requests';
import { DEFAULT_RESULTS_PATH } from '../../shared/service/chunking';
import { MAX_CHUNK_TEXT_BYTES } from '../../shared/service/limits';

const submits = { show: { '/operation': ['submitAndWait', 'submit'] } };
const waits = { show: { '/operation': ['submitAndWait', 'getResults'] } };
const onlySubmitAndWait = { show: { '/operation': ['submitAndWait'] } };

/** Rare settings, each shown only for the operations it applies to. */
export const optionsProperties: INodeProperties[] = [
	{
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		placeholder: 'Add Option',
		default: {},
		options: [
			{
				displayName: 'Additional Body Fields',
				name: 'additionalFields',
				type: 'json',
				default: '',
				placeholder: 'e.g. {"modelConfig": {"newSetting": true}}',
				description:
					'JSON object whose members are sent beside those of this node, also within modelConfig, useCaseConfig and chunkerConfig',
				displayOptions: submits,
			},
			{
				displayName: 'Bytes per Request',
				name: 'bytesPerRequest',
				type: 'number',
				typeOptions: { minValue: 1000 },
				default: MAX_CHUNK_TEXT_BYTES,
				description:
					'Most bytes of text in one request, the JSON around it not counted. The service takes about 1 MB.',
				displayOptions: submits,
			},
			concurrencyProperty(8),
			{
				displayName: 'First Poll Interval',
				name: 'firstIntervalSeconds',
				type: 'number',
				typeOptions: { minValue: 0.02, numberPrecision: 2 },
				default: 0.5,
				description:
					'Seconds between the first two checks of a job. Each further wait is longer.',
				displayOptions: waits,
			},
			{
				displayName: 'Former Chunk Count',
				name: 'formerChunkCount',
				type: 'number',
				typeOptions: { minValue: 0 },
				default: 0,
				description:
					"How many chunks the document had when it was last pushed. Those that no longer exist come out as items with 'removed' set, for Delete Document. Used with Documents Ready to Push.",
				displayOptions: {
					show: {
						'/operation': ['submitAndWait', 'getResults'],
						'/output': ['documents'],
					},
				},
			},
			{
				displayName: 'Include Vectors',
				name: 'includeVectors',
				type: 'boolean',
				default: true,
				description: 'Whether chunks carry their vectors. They are most of the data.',
				displayOptions: { ...waits, hide: { '/output': ['raw'] } },
			},
			{
				displayName: 'Longest Poll Interval',
				name: 'longestIntervalSeconds',
				type: 'number',
				typeOptions: { minValue: 0.02, numberPrecision: 2 },
				default: 10,
				description:
					'Most seconds between two checks of a job, unless the service asks for more or a check fails',
				displayOptions: waits,
			},
			maxAttemptsProperty,
			{
				displayName: 'Max Wait',
				name: 'maxWaitSeconds',
				type: 'number',
				typeOptions: { minValue: 1 },
				default: 300,
				description: 'Seconds to wait for chunks, from the last submission on',
				displayOptions: waits,
			},
			timeoutProperty,
			{
				displayName: 'Results Path',
				name: 'resultsPath',
				type: 'string',
				default: DEFAULT_RESULTS_PATH,
				placeholder: 'e.g. /ai/results/{chunkingId}',
				description: 'Where the AI service keeps the chunks. {chunkingId} is filled in.',
				displayOptions: waits,
			},
			{
				displayName: 'Resume Chunking ID',
				name: 'resumeChunkingId',
				type: 'string',
				default: '={{ $json.chunkingId }}',
				placeholder: 'e.g. {{ $json.chunkingId }}',
				description:
					"Where this is not empty, the item is not submitted again: its chunks are fetched by this ID. 'textPosition' of the item says which text of the request it is.",
				displayOptions: onlySubmitAndWait,
			},
			{
				displayName: 'Source Fields',
				name: 'sourceFields',
				type: 'options',
				options: [
					{ name: 'All', value: 'all', description: 'Every field of the input item' },
					{
						name: 'Listed',
						value: 'listed',
						description: "Those in 'Source Fields to Keep'",
					},
					{ name: 'None', value: 'none', description: 'Only what this node makes' },
				],
				default: 'all',
				description:
					'Which fields of the input item the output items keep. If unset, Submit keeps all and the other operations none.',
			},
			{
				displayName: 'Source Fields to Keep',
				name: 'listedFields',
				type: 'string',
				default: '',
				placeholder: 'e.g. name, category',
				description: 'Separated by commas',
				requiresDataPath: 'multiple',
				displayOptions: { show: { sourceFields: ['listed'] } },
			},
			{
				displayName: 'Texts per Request',
				name: 'textsPerRequest',
				type: 'number',
				typeOptions: { minValue: 1 },
				default: 10,
				description: 'Most texts of one request. Fewer spread the work over more jobs.',
				displayOptions: submits,
			},
			{
				displayName: 'When Time Runs Out',
				name: 'whenTimeRunsOut',
				type: 'options',
				options: [
					{
						name: 'Fail With Chunking ID',
						value: 'fail',
						description:
							'Texts that are not finished fail, their chunking ID in the message',
					},
					{
						name: 'Output With Chunking ID',
						value: 'output',
						description:
							'Texts that are not finished come out with their status, for Get Results',
					},
				],
				default: 'fail',
				description: 'What becomes of texts whose chunks are not there in time',
				displayOptions: waits,
			},
		],
	},
];
