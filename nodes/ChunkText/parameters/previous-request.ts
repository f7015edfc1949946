import { filledByModel, properties } from '../../shared/n8n/parameters/properties';

/** Which earlier request to fetch. */
export const previousRequestProperties = properties([
	...filledByModel(
		{
			displayName: 'Chunking ID',
			name: 'chunkingId',
			type: 'string',
			default: '={{ $json.chunkingId }}',
			required: true,
			placeholder: 'e.g. 3f0a5c1e-7a0f-4b60-9d65-1f4f0c2b7a11',
			description: "As returned by the operation 'Submit'",
		},
		'Chunking ID of the request, as it was returned when the text was submitted',
	),
	...filledByModel(
		{
			displayName: 'Text Position',
			name: 'textPosition',
			type: 'string',
			default: '={{ $json.textPosition }}',
			placeholder: 'e.g. 0',
			description:
				"Which text of the request this item stands for, counted from 0, as returned by 'Submit'. May be empty if the request has one text.",
		},
		'Position of the text in the request, as it was returned when the text was submitted',
		true,
	),
	{
		displayName: 'Wait for Results',
		name: 'wait',
		type: 'boolean',
		default: false,
		description:
			'Whether to wait until the chunks are ready. If off, items whose chunks are not ready are returned with their status.',
	},
]);
