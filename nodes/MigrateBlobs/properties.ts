import { optionsProperty, properties } from '../shared/parameters/property';

export const migrateProperties = properties([
	{
		displayName:
			"The service has deprecated this operation. It converts all blob manifests from the 3.x to the 4.x format. This can't be undone, so back up first and run it only once.",
		name: 'migrationNotice',
		type: 'notice',
		default: '',
	},
	{
		displayName: 'Confirm Migration',
		name: 'confirm',
		type: 'boolean',
		default: false,
		required: true,
		description: "Whether to convert all blob manifests. This can't be undone.",
	},
	optionsProperty([
		{
			displayName: 'Request Timeout (Seconds)',
			name: 'timeoutSeconds',
			type: 'number',
			typeOptions: { minValue: 1 },
			// The service reads and writes every manifest. The service's documentation does not say how long
			// this takes.
			default: 3600,
			description:
				'How long to wait for the response. The migration might continue in the service after that.',
		},
	]),
]);
