import type { WorkflowNode } from './workflow';
import { node } from './workflow';

type Position = [x: number, y: number];

export const CREDENTIALS = {
	push: { lucidworksPushApi: { id: 'demoPushEndpoint', name: 'Demo Push Endpoint' } },
	ai: { lucidworksAiOAuth2Api: { id: 'demoAiService', name: 'Demo AI Service' } },
	drive: { googleDriveOAuth2Api: { id: 'demoDrive', name: 'Demo Google Drive' } },
	sftp: { sftp: { id: 'demoSftp', name: 'Demo SFTP' } },
	webhook: { httpHeaderAuth: { id: 'demoWebhook', name: 'Demo Webhook' } },
};

/** Defines the parameters of n8n's If and Filter nodes: one expression that must be true. */
export const isTrue = (leftValue: string): object => ({
	conditions: {
		options: { caseSensitive: true, leftValue: '', typeValidation: 'loose', version: 2 },
		conditions: [
			{
				...{ id: 'condition', leftValue, rightValue: '' },
				operator: { type: 'boolean', operation: 'true', singleValue: true },
			},
		],
		combinator: 'and',
	},
	looseTypeValidation: true,
	options: {},
});

export type FieldType = 'string' | 'number' | 'boolean' | 'array';

/** Defines the parameters of n8n's Edit Fields node. */
export const fields = (...assignments: Array<[name: string, type: FieldType, value: unknown]>) => ({
	assignments: {
		assignments: assignments.map(([name, type, value]) => ({ id: name, name, value, type })),
	},
	options: {},
});

/** Defines an Edit Fields node with one JSON expression. */
export const mapFields = (name: string, position: Position, jsonOutput: string): WorkflowNode =>
	node(name, 'set', 3.4, position, { mode: 'raw', jsonOutput, options: {} });

export const manualTrigger = (name: string, position: Position): WorkflowNode =>
	node(name, 'manualTrigger', 1, position, {});

/** Defines a trigger that starts a workflow at these hours of each day. */
export const everyNight = (position: Position, hours: number[]): WorkflowNode =>
	node('Every Night', 'scheduleTrigger', 1.2, position, {
		rule: { interval: hours.map((triggerAtHour) => ({ triggerAtHour })) },
	});

/** Defines a trigger for callers that send a header with a secret. A Respond to Webhook node answers them. */
export const webhook = (name: string, path: string, position: Position, id: string): WorkflowNode =>
	node(
		name,
		'webhook',
		2.1,
		position,
		{
			...{ httpMethod: 'POST', path, authentication: 'headerAuth' },
			...{ responseMode: 'responseNode', options: {} },
		},
		{ webhookId: id, credentials: CREDENTIALS.webhook },
	);

export const failTheRun = (position: Position): WorkflowNode =>
	node('Fail the Run', 'stopAndError', 1, position, { errorMessage: '={{ $json.error }}' });
