import type { INodeProperties } from 'n8n-workflow';

/** A migration reads and writes every manifest; how long that takes is not documented. */
export const DEFAULT_MIGRATION_TIMEOUT_SECONDS = 3600;

/** Parameters of Migrate Blobs. */
export const properties: INodeProperties[] = [
	{
		displayName:
			'The service has marked this operation as deprecated. It changes all blob manifests at once and is meant to run one time, after an upgrade from 3.x to 4.x.',
		name: 'deprecationNotice',
		type: 'notice',
		default: '',
	},
	{
		displayName: 'Confirm Migration',
		name: 'confirm',
		type: 'boolean',
		default: false,
		required: true,
		description: 'Whether the manifests may be converted now. There is no way back.',
	},
	{
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		placeholder: 'Add Option',
		default: {},
		options: [
			{
				displayName: 'Once per Item',
				name: 'oncePerItem',
				type: 'boolean',
				default: false,
				description:
					'Whether to migrate again for each input item, instead of once per run',
			},
			{
				displayName: 'Request Timeout',
				name: 'timeoutSeconds',
				type: 'number',
				typeOptions: { minValue: 1 },
				default: DEFAULT_MIGRATION_TIMEOUT_SECONDS,
				description:
					'Seconds to wait for the reply. The migration goes on in the service when the time is up.',
			},
		],
	},
];
