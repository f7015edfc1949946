import type { WorkflowNode } from './workflow';
import { node } from './workflow';

type Position = [x: number, y: number];

export const CREDENTIALS = {
	push: { lucidworksPushApi: { id: 'demoPushEndpoint', name: 'Demo Push Endpoint' } },
	ai: { lucidworksAiOAuth2Api: { id: 'demoAiService', name: 'Demo AI Service' } },
	database: { postgres: { id: 'demoPostgres', name: 'Demo PostgreSQL' } },
	blobs: { lucidworksBlobApi: { id: 'demoBlobService', name: 'Demo Blob Service' } },
	drive: { googleDriveOAuth2Api: { id: 'demoDrive', name: 'Demo Google Drive' } },
	sftp: { sftp: { id: 'demoSftp', name: 'Demo SFTP' } },
	webhook: { httpHeaderAuth: { id: 'demoWebhook', name: 'Demo Webhook' } },
	statusPage: { httpBasicAuth: { id: 'demoStatusPage', name: 'Demo Status Page' } },
	chatModel: { openAiApi: { id: 'demoChatModel', name: 'Demo Chat Model' } },
};

/** The model, chosen from a list or entered as an ID. */
export const model = (mode: 'list' | 'id' = 'list') => ({ __rl: true, mode, value: 'gte-small' });

/** A chunk begins at each Markdown heading. */
export const AT_HEADINGS = '\\r?\\n(?=#{1,6} )';

/** Where texts with headings are split: before each heading, and where Documents has cut a long section. */
export const SECTION_BREAK = `${AT_HEADINGS}|\\f`;

/**
 * How the syncs split texts: those with headings at their headings, all others by sentences, such as the pages of a PDF
 * file. One Chunk Text does both, because two nodes could have different models, and their vectors could not be compared.
 */
export const BY_HEADING = {
	chunker: 'custom',
	chunkerName: "={{ $json.isByHeading ? 'regex-splitter' : 'dynamic-sentence' }}",
	chunkerConfig: `={{ $json.isByHeading ? { regex: '${SECTION_BREAK.replaceAll('\\', '\\\\')}' } : {} }}`,
};

/** Defines a condition of n8n's If, Filter and Switch nodes: the expression must be true. */
export const whenTrue = (leftValue: string): object => ({
	...{ id: 'condition', leftValue, rightValue: '' },
	operator: { type: 'boolean', operation: 'true', singleValue: true },
});

/** Defines conditions of n8n's If, Filter and Switch nodes. */
export const conditions = (combinator: 'and' | 'or', ...all: object[]): object => ({
	options: { caseSensitive: true, leftValue: '', typeValidation: 'loose', version: 2 },
	...{ conditions: all, combinator },
});

/** Defines the parameters of n8n's If and Filter nodes: one expression that must be true. */
export const isTrue = (leftValue: string): object => ({
	conditions: conditions('and', whenTrue(leftValue)),
	...{ looseTypeValidation: true, options: {} },
});

/** Defines an output of n8n's Switch node. It returns the items whose field has this value. */
export const whenIs = (field: string, value: string): object => ({
	conditions: conditions('and', whenTrue(`={{ $json.${field} === '${value}' }}`)),
	...{ renameOutput: true, outputKey: value },
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

/**
 * Defines a trigger for callers that send a header with a secret.
 *
 * @param responseMode by default, a Respond to Webhook node answers them
 */
export const webhook = (
	name: string,
	path: string,
	position: Position,
	id: string,
	responseMode: 'responseNode' | 'onReceived' = 'responseNode',
): WorkflowNode =>
	node(
		name,
		'webhook',
		2.1,
		position,
		{
			...{ httpMethod: 'POST', path, authentication: 'headerAuth' },
			...{ responseMode, options: {} },
		},
		{ webhookId: id, credentials: CREDENTIALS.webhook },
	);

/**
 * Defines the node that answers a webhook's caller with a JSON object and its `status`.
 *
 * @param from the object as an expression
 */
export const answer = (position: Position, from = '$json'): WorkflowNode =>
	node('Answer', 'respondToWebhook', 1.4, position, {
		...(from === '$json'
			? { respondWith: 'firstIncomingItem' }
			: { respondWith: 'json', responseBody: `={{ ${from} }}` }),
		options: { responseCode: `={{ ${from}.status }}` },
	});

/** Defines a Code node that returns these documents. */
export const samples = (
	name: string,
	position: Position,
	documents: Array<Record<string, string>>,
): WorkflowNode => {
	const quoted = (text: string) => `'${JSON.stringify(text).slice(1, -1)}'`;
	const lines = documents.map((document) => {
		const values = Object.entries(document).map(([field, text]) => `${field}: ${quoted(text)}`);
		return `\t{ json: { ${values.join(', ')} } },\n`;
	});
	return node(name, 'code', 2, position, { jsCode: `return [\n${lines.join('')}];` });
};

/** Defines a node that downloads a file. */
export const download = (name: string, position: Position, file: string): WorkflowNode =>
	node(name, 'httpRequest', 4.4, position, {
		url: `http://localhost:4321/files/${file}`,
		options: { response: { response: { responseFormat: 'file', outputPropertyName: 'data' } } },
	});

/** Defines the node whose second output fails the run. */
export const allWentWell = (position: Position, from = '$json'): WorkflowNode =>
	node('All Went Well', 'if', 2.2, position, isTrue(`={{ ${from}.error === '' }}`));

export const failTheRun = (position: Position, from = '$json'): WorkflowNode =>
	node('Fail the Run', 'stopAndError', 1, position, { errorMessage: `={{ ${from}.error }}` });
