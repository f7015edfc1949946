import {
	NodeConnectionTypes,
	type IExecuteFunctions,
	type INodeExecutionData,
	type INodeType,
	type INodeTypeDescription,
} from 'n8n-workflow';

import { runNode } from '../shared/run/run';
import { migrateBlobs } from './migrate';
import { migrateProperties } from './properties';

/** Migrates blob manifests from the 3.x to the 4.x format (docs/service-interface.md, Blobs). */
export class MigrateBlobs implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Migrate Blobs',
		name: 'migrateBlobs',
		icon: { light: 'file:migrateBlobs.svg', dark: 'file:migrateBlobs.dark.svg' },
		group: ['output'],
		version: 1,
		subtitle: '3.x to 4.x manifests',
		description:
			'Convert the blob manifests of Lucidworks Fusion from the 3.x to the 4.x format (deprecated)',
		defaults: { name: 'Migrate Blobs' },
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'lucidworksBlobApi', required: true }],
		// AI agents must not run the migration. One of n8n's lint rules requires this property. However, the property's
		// type has no value that forbids use as a tool.
		usableAsTool: undefined as never,
		builderHint: {
			searchHint:
				'A deprecated, one-off operation that converts all blob manifests of Lucidworks Fusion and cannot be undone. Use it only if the user asks for this migration by name. It is not needed to index, chunk or delete documents. Leave confirm off: the user turns it on.',
		},
		properties: migrateProperties,
	};

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		return await runNode(this, migrateBlobs);
	}
}
