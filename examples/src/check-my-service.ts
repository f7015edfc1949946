import { CREDENTIALS, fields, manualTrigger } from './parts/nodes';
import type { WorkflowNode } from './parts/workflow';
import { code, node, note, workflow } from './parts/workflow';

const answerOf = (name: string): string => `$('${name}').first().json`;

const SETTINGS = answerOf('Settings');
const RESULTS = `={{ ${SETTINGS}.aiUrl }}/ai/async-chunking/{{ ${answerOf('Submit 33 Texts')}.body.chunkingId }}`;
const TEST_DOCUMENT = `={{ ${SETTINGS}.pushUrl }}/{{ encodeURIComponent(${SETTINGS}.testId) }}`;

/** Defines a request that returns its response whatever its status is. */
const request = (
	name: string,
	position: [x: number, y: number],
	service: 'ai' | 'push',
	parameters: object,
): WorkflowNode =>
	node(
		name,
		'httpRequest',
		4.4,
		position,
		{
			...parameters,
			authentication: 'predefinedCredentialType',
			nodeCredentialType: Object.keys(CREDENTIALS[service])[0],
			options: {
				response: {
					response: {
						fullResponse: true,
						neverError: true,
						responseFormat: 'autodetect',
					},
				},
			},
		},
		{ credentials: CREDENTIALS[service] },
	);

export default workflow(
	'Check My Service',
	[
		note(
			'Note',
			`## Check my service

In some cases, the documentation does not say how the service answers. This workflow tries these cases with your service. It returns a table that shows the responses and the settings that follow from them. Run it once after you have created the credentials.

**Change these**
1. *Settings*: enter your model, and the same service URLs as in your credentials.
2. *Submit 33 Texts* and the three nodes that get results: select your AI Service credential.
3. *Push Test Document* and the two deletes: select your Push Endpoint credential.

**Try it:** click *Execute workflow*, then open *What Follows*.

**What it costs:** 8 requests, one of them for a token, and the chunking of 33 texts of four words and a number.

**What it changes:** it pushes one document, \`search-ingest-check\`, and deletes it again. If the run stops before that, delete the document with Delete Document.

Run it again after an update of the service, because the responses may have changed.`,
			[-520, -280],
			[440, 760],
			7,
		),
		note(
			'Note 2',
			`### How the AI service answers
The workflow asks for results before they are ready, when they are ready, and a second time.`,
			[400, -160],
			[1100, 320],
			5,
		),
		note(
			'Note 3',
			`### How the push service answers
The workflow sends a push, a delete, and a delete of an ID that does not exist.`,
			[400, 220],
			[640, 320],
			4,
		),
		manualTrigger('Run by Hand', [0, 0]),
		node(
			'Settings',
			'set',
			3.4,
			[220, 0],
			fields(
				['aiUrl', 'string', 'http://localhost:4321'],
				['modelId', 'string', 'gte-small'],
				['pushUrl', 'string', 'http://localhost:4321/site-search/api/v1/push/docs'],
				['testId', 'string', 'search-ingest-check'],
			),
		),
		code('33 Texts', 'texts', [220, 200], { count: '33' }),
		request('Submit 33 Texts', [440, 0], 'ai', {
			method: 'POST',
			url: `={{ ${SETTINGS}.aiUrl }}/ai/async-chunking/regex-splitter/{{ ${SETTINGS}.modelId }}`,
			sendBody: true,
			specifyBody: 'json',
			jsonBody:
				"={{ { batch: $json.texts, modelConfig: { vectorQuantizationMethod: 'max-scale' }, useCaseConfig: { dataType: 'passage' }, chunkerConfig: { regex: '\\\\n' } } }}",
		}),
		request('Get Results at Once', [660, 0], 'ai', { url: RESULTS }),
		node(
			'Wait',
			'wait',
			1.1,
			[880, 0],
			{ amount: 15, unit: 'seconds' },
			{ webhookId: '30a73b45-1da0-597a-a240-04e9176a302f' },
		),
		request('Get Results', [1100, 0], 'ai', { url: RESULTS }),
		request('Get Results Again', [1320, 0], 'ai', { url: RESULTS }),
		request('Push Test Document', [440, 380], 'push', {
			method: 'POST',
			url: `={{ ${SETTINGS}.pushUrl }}`,
			sendBody: true,
			specifyBody: 'json',
			jsonBody: `={{ [{ id: ${SETTINGS}.testId, name: 'A test that is deleted at once' }] }}`,
		}),
		request('Delete Test Document', [660, 380], 'push', {
			method: 'DELETE',
			url: `${TEST_DOCUMENT}?commit=true`,
		}),
		request('Delete It Again', [880, 380], 'push', { method: 'DELETE', url: TEST_DOCUMENT }),
		code('What Follows', 'what-follows', [1160, 380], {
			submitted: answerOf('Submit 33 Texts'),
			atOnce: answerOf('Get Results at Once'),
			results: answerOf('Get Results'),
			again: answerOf('Get Results Again'),
			pushed: answerOf('Push Test Document'),
			deleted: answerOf('Delete Test Document'),
			unknown: answerOf('Delete It Again'),
			testId: `${SETTINGS}.testId`,
		}),
	],
	[
		[
			'Run by Hand',
			'Settings',
			'33 Texts',
			'Submit 33 Texts',
			'Get Results at Once',
			'Wait',
			'Get Results',
			'Get Results Again',
			'Push Test Document',
			'Delete Test Document',
			'Delete It Again',
			'What Follows',
		],
	],
);
