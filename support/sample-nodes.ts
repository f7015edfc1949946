import { NodeOperationError } from 'n8n-workflow';
import type {
	ICredentialDataDecryptedObject,
	ICredentialType,
	IExecuteFunctions,
	IHttpRequestHelper,
	IHttpRequestOptions,
	INodeExecutionData,
	INodeType,
	INodeTypeDescription,
} from 'n8n-workflow';

/** The least description n8n's engine needs. */
function description(name: string, more: Partial<INodeTypeDescription> = {}): INodeTypeDescription {
	return {
		displayName: name,
		name,
		group: ['transform'],
		version: 1,
		description: name,
		defaults: {},
		inputs: ['main'],
		outputs: ['main'],
		properties: [],
		...more,
	};
}

/** Doubles `value`; refuses an item whose `value` is negative. `onExecute` is called per try. */
export function doubleNode(onExecute = () => {}): INodeType {
	return {
		description: description('double', {
			properties: [
				{ displayName: 'Value', name: 'value', type: 'number', default: 7 },
				{ displayName: 'Mutate', name: 'mutate', type: 'boolean', default: false },
			],
		}),
		async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
			onExecute();
			const output: INodeExecutionData[] = [];
			this.getInputData().forEach((item, index) => {
				try {
					const value = this.getNodeParameter('value', index) as number;
					if (this.getNodeParameter('mutate', index)) item.json.mutated = true;
					if (value < 0) {
						throw new NodeOperationError(this.getNode(), `Value ${value} is negative`, {
							itemIndex: index,
						});
					}
					output.push({ json: { doubled: value * 2 }, pairedItem: { item: index } });
				} catch (error) {
					if (!this.continueOnFail()) throw error;
					const { message } = error as Error;
					output.push({ json: { error: message }, pairedItem: { item: index } });
				}
			});
			this.addExecutionHints({
				message: `${output.length} items done`,
				location: 'outputPane',
			});
			return [output];
		},
	};
}

/** Lets through what fulfils a condition, as n8n's Filter does. */
export function filterNode(keep: (json: INodeExecutionData['json']) => boolean): INodeType {
	return {
		description: description('filter'),
		async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
			const output = this.getInputData().flatMap(({ json }, item) =>
				keep(json) ? [{ json, pairedItem: { item } }] : [],
			);
			return [output];
		},
	};
}

/** Sends one signed GET to the URL in its `url` parameter for every item. */
export function fetchNode(): INodeType {
	return {
		description: description('fetch', {
			credentials: [{ name: 'sampleApi', required: true }],
			properties: [{ displayName: 'URL', name: 'url', type: 'string', default: '' }],
		}),
		async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
			const output: INodeExecutionData[] = [];
			for (let index = 0; index < this.getInputData().length; index++) {
				const url = this.getNodeParameter('url', index) as string;
				const json = (await this.helpers.httpRequestWithAuthentication.call(
					this,
					'sampleApi',
					{ method: 'GET', url, json: true },
				)) as INodeExecutionData['json'];
				output.push({ json, pairedItem: { item: index } });
			}
			return [output];
		},
	};
}

/** A credential that fetches a token before it signs. */
export class SampleApi implements ICredentialType {
	name = 'sampleApi';

	displayName = 'Sample API';

	properties: ICredentialType['properties'] = [
		{ displayName: 'URL', name: 'url', type: 'string', default: '' },
		{ displayName: 'Region', name: 'region', type: 'string', default: 'north' },
		{
			displayName: 'Token',
			name: 'token',
			type: 'hidden',
			typeOptions: { expirable: true, password: true },
			default: '',
		},
	];

	async preAuthentication(
		this: IHttpRequestHelper,
		credentials: ICredentialDataDecryptedObject,
	): Promise<ICredentialDataDecryptedObject> {
		const reply = (await this.helpers.httpRequest({
			method: 'POST',
			url: `${String(credentials.url)}/token`,
			json: true,
		})) as { token: string };
		return { token: reply.token };
	}

	async authenticate(
		credentials: ICredentialDataDecryptedObject,
		options: IHttpRequestOptions,
	): Promise<IHttpRequestOptions> {
		options.headers = {
			...options.headers,
			Authorization: `Bearer ${String(credentials.token)}`,
		};
		return options;
	}

	test: ICredentialType['test'] = {
		request: { baseURL: '={{$credentials.url}}', url: '=/test/{{$credentials.region}}' },
		rules: [
			{
				type: 'responseCode',
				properties: { value: 403, message: 'The key may not read this region' },
			},
		],
	};
}

/** A credential that signs declaratively. */
export class GenericApi implements ICredentialType {
	name = 'sampleApi';

	displayName = 'Generic API';

	properties: ICredentialType['properties'] = [
		{ displayName: 'Key', name: 'key', type: 'string', default: '' },
	];

	authenticate: ICredentialType['authenticate'] = {
		type: 'generic',
		properties: {
			headers: { 'X-Key': '={{$credentials.key}}', 'X-Fixed': 'fixed' },
			qs: { key: '={{ $credentials.key.toUpperCase() }}' },
		},
	};
}
