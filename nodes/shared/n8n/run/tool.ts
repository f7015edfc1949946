import type { IExecuteFunctions } from 'n8n-workflow';

/** Whether an AI agent runs the node: n8n gives its variant for agents a type of its own. */
export const isTool = (context: IExecuteFunctions): boolean =>
	context.getNode().type.endsWith('Tool');
