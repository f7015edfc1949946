import type { IExecuteFunctions, INodeExecutionData, INodeType } from 'n8n-workflow';

/** Lets through what fulfils a condition, as n8n's Filter does. */
export function filterNode(keep: (json: INodeExecutionData['json']) => boolean): INodeType {
	return {
		description: {
			displayName: 'Filter',
			name: 'filter',
			group: ['transform'],
			version: 1,
			description: 'Filters items',
			defaults: {},
			inputs: ['main'],
			outputs: ['main'],
			properties: [],
		},
		async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
			const output = this.getInputData().flatMap(({ json }, item) =>
				keep(json) ? [{ json, pairedItem: { item } }] : [],
			);
			return [output];
		},
	};
}
