import { STATUS_LOGIN } from '../service/credentials';
import { until } from '../shared/wait';
import type { Stage } from './stage';

const PUBLISHED_MS = 10_000;

const CHECK = 'check-my-service';

/**
 * Each row contains sandbox settings and what the example must report about them. `expected` maps questions in the
 * report to two strings. The answer must contain the first string, and the advice must contain the second.
 */
const SERVICES = [
	{
		settings: { resultsOnce: true, unknownDeleteStatus: 404, pushResponse: 'perDocument' },
		expected: {
			'Do results come a second time?': ['RETRIEVED', 'Results come once'],
			'What does the delete of an unknown ID return?': ['404', 'Turn on Ignore Not Found'],
			'What does a push return?': ['"status":"created"', 'The response names documents'],
		},
	},
	{
		settings: { resultsOnce: false, unknownDeleteStatus: 200, pushResponse: 'empty' },
		expected: {
			'Do results come a second time?': ['33 entries', 'may be repeated'],
			'What does the delete of an unknown ID return?': ['200', 'does not tell'],
			'What does a push return?': ['no body', 'names no document'],
			'Are 33 texts in one request accepted?': ['200', 'may be 33'],
			'What is there before results are ready?': ['SUBMITTED', 'goes on polling'],
		},
	},
] as const;

/**
 * Checks that the example detects the service's settings with few requests and does not leave its test document in the
 * index.
 */
export async function checkService(stage: Stage): Promise<void> {
	const { checks, demo } = stage;
	const { settings, requests } = demo.sandbox;
	const usual = { ...settings };
	for (const service of SERVICES) {
		Object.assign(settings, service.settings);
		const before = requests.length;
		const execution = await stage.runWith(CHECK, { Wait: { parameters: { amount: 3 } } });
		const rows = execution.items('What Follows').map(({ json }) => json);
		for (const [question, parts] of Object.entries(service.expected)) {
			const row = rows.find((one) => one.question === question) ?? {};
			const [answer, follows] = parts;
			checks.add(
				`${question} The example finds: ${answer}`,
				String(row.answer).includes(answer) && String(row.follows).includes(follows),
				`${String(row.answer)} / ${String(row.follows)}`,
			);
		}
		const sent = requests.length - before;
		checks.add('It sends at most 20 requests', sent > 0 && sent <= 20, `${sent}`);
		const left = stage.documents().filter(({ id }) => id === 'search-ingest-check');
		checks.add('Its test document is deleted', left.length === 0);
	}
	Object.assign(settings, usual);
	// If the service rejects the submitted texts, the example must report the error of the service. If a question has
	// no answer, the advice must begin with "Unknown".
	demo.sandbox.faults.add({ route: 'submit', status: 400, body: '{"error":"no such model"}' });
	const execution = await stage.runWith(CHECK, { Wait: { parameters: { amount: 1 } } });
	demo.sandbox.faults.clear();
	const rows = execution.items('What Follows').map(({ json }) => json);
	checks.add(
		'Of results that never came, it claims nothing',
		rows.some(({ follows }) => String(follows).startsWith('Unknown')) &&
			rows.some(({ answer }) => String(answer).includes('no such model')),
		JSON.stringify(rows),
	);
}

/**
 * Checks that each failed run is reported in one message that gives the reason for the failure. A run that fails only
 * in part is reported too.
 */
export async function tellMe(stage: Stage): Promise<void> {
	const { api } = stage.demo.n8n;
	const { sandbox, workflows } = stage.demo;
	const url = `${sandbox.url}/files/tell-me.json`;
	const told = async () => {
		const response = await fetch(url);
		return response.ok ? ((await response.json()) as { text: string }).text : '';
	};
	const path = 'updates-by-webhook-watched';
	const watched = (settings: object) => ({
		settings: { ...workflows['updates-by-webhook'].settings, ...settings },
		nodes: workflows['updates-by-webhook'].nodes.map((node) =>
			node.type === 'n8n-nodes-base.webhook'
				? { ...node, webhookId: path, parameters: { ...node.parameters, path } }
				: node,
		),
	});
	const settings = { errorWorkflow: workflows['tell-me'].id };
	const sentBefore = sandbox.requests.filter(({ method }) => method === 'PUT').length;
	await stage.withCopy(
		'updates-by-webhook',
		() => watched(settings),
		async (name, copy) => {
			await api.activate(copy);
			// A webhook becomes available a moment after its workflow is published. From then on, it answers 403 to a
			// call without the key.
			await until(async () => (await api.postWebhook(path, {})).status === 403, PUBLISHED_MS);
			const call = async (body: object) => await stage.callWebhook(name, body, path);
			await call({ deleted: [] });
			await stage.checks.eventually(
				'A run that failed is told, with its workflow and its reason, and no status page, because none of our nodes failed',
				told,
				(text) =>
					text.startsWith(`${name} failed`) &&
					text.includes('Nothing was done: the body has no list') &&
					text.includes('/executions/') &&
					!text.includes('https://status.'),
			);
			sandbox.faults.add({ route: 'delete', status: 400, times: 1 });
			await call({ deleted: ['x', 'y', 'z'] });
			sandbox.faults.clear();
			await stage.checks.eventually(
				'A run that failed in part is told, with how many failed and the first reason',
				told,
				(text) => text.includes('1 of 3 documents failed. The first failure: '),
			);
			await call({ deleted: ['x'] });
		},
	);
	const isTold = async () =>
		sandbox.requests.filter(({ method }) => method === 'PUT').length > sentBefore + 2;
	stage.checks.add(
		'Each failed run is told once, and one that succeeds is not',
		!(await until(isTold, 1000)),
	);
}

/** Checks that the page names the syncs that have run before, and that nobody sees it without a login. */
export async function syncStatus(stage: Stage): Promise<void> {
	const { checks, demo } = stage;
	const url = `${demo.n8n.url}/webhook/sync-status`;
	const refused = await fetch(url);
	checks.add('The page needs a login', refused.status === 401, `${refused.status}`);
	const { user, password } = STATUS_LOGIN;
	const login = Buffer.from(`${user}:${password}`).toString('base64');
	const response = await fetch(url, { headers: { authorization: `Basic ${login}` } });
	const html = await response.text();
	checks.add(
		'The page is HTML',
		response.status === 200 && String(response.headers.get('content-type')).includes('html'),
		`${response.status}: ${html.slice(0, 200)}`,
	);
	const rows = await demo.n8n.api.dataTables.rows('Sync Runs');
	const names = [...new Set(rows.map(({ name }) => String(name)))];
	const missing = names.filter((name) => !html.includes(`>${name}</a>`));
	checks.add('The page names each sync that has run', missing.length === 0, missing.join());
	const expected = names.length > 0 ? 'Last complete run' : 'No sync has run yet';
	checks.add('The page says what they did', html.includes(expected), html.slice(-300));
}
