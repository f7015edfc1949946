import {
	createServer as createPlainServer,
	type RequestListener,
	type Server as PlainServer,
} from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';

import { selfSigned } from '../../support/certificate';
import { credentialClasses } from '../../support/manifest';
import { CredentialDialog, type Verdict } from '../browser/credential-dialog';
import type { Subject, Suite } from './suite';

/** Nothing listens there. */
const DEAD_URL = 'http://127.0.0.1:9';
const UNKNOWN_HOST = 'http://no-such-host.invalid';

/** A message that is only a code or a status does not tell what to do. */
const BARE = /^\W*(ECONN\w+|ENOTFOUND|EAI_AGAIN|Bad Request|Unauthorized|Not Found|\d{3})\W*$/i;

/** A wrong value, and what the test must say about it. */
interface Mistake {
	what: string;
	values: Record<string, string>;
	says: RegExp;
	/** Makes the service answer with this status. */
	status?: number;
}

/** Each credential is created through its form and tested with good and bad values. */
export const credentials: Subject = {
	title: 'Creating and testing credentials',
	async run(suite) {
		const { demo, checks } = suite;
		const dialog = new CredentialDialog(suite.page, demo.n8n.url);
		const found = await dialog.searchTypes('lucidworks');
		checks.add(
			"'lucidworks' finds all credentials",
			found.length === credentialClasses.size,
			found.join(', '),
		);
		const secure = await startServer(createServer(selfSigned(), answerPage), 'https');
		const page = await startServer(createPlainServer(answerPage), 'http');
		try {
			await checkCredential(suite, dialog, 'Demo AI Service', /AI OAuth2/, [
				...urlMistakes('aiUrl', 'AI Service URL', secure.url),
				...urlMistakes('authUrl', 'Token Server URL', secure.url),
				{
					what: 'a wrong Authorization Server ID',
					values: { authorizationServerId: 'no-such-server' },
					says: /'Authorization Server ID'/,
				},
				{
					what: 'a page in place of the AI service',
					values: { aiUrl: page.url },
					says: /This doesn't look like a chunking service: check 'AI Service URL'/,
				},
				{
					what: 'a wrong secret',
					values: { clientSecret: 'mistyped' },
					says: /client secret/i,
				},
				{
					what: 'a scope the client may not have',
					values: { scope: 'Custom', customScope: 'no.such.scope' },
					says: /scope/i,
				},
			]);
			await checkCredential(suite, dialog, 'Demo Push Endpoint', /Push/, [
				...urlMistakes('pushUrl', 'Push Service URL', secure.url),
				{ what: 'a wrong key', values: { apiKey: 'mistyped' }, says: /Check 'API Key'/ },
				{ what: 'status 400', values: {}, says: /400/, status: 400 },
			]);
			await checkCredential(suite, dialog, 'Demo Blob Service', /Blob/, [
				...urlMistakes('baseUrl', 'Blob Service URL', secure.url),
			]);
			await checkPastedUrl(suite, dialog);
		} finally {
			await secure.close();
			await page.close();
		}
	},
};

/** Mistakes in a field that holds a URL. */
function urlMistakes(field: string, label: string, secureUrl: string): Mistake[] {
	const at = (url: string) => ({ [field]: url });
	return [
		{ what: `a dead host in ${label}`, values: at(DEAD_URL), says: new RegExp(label) },
		{ what: `an unknown host in ${label}`, values: at(UNKNOWN_HOST), says: new RegExp(label) },
		{
			what: `a missing scheme in ${label}`,
			values: at('service.example.com'),
			says: new RegExp(`'${label}' must start with https://`),
		},
		{
			what: `an untrusted certificate in ${label}`,
			values: at(secureUrl),
			says: /certificate/i,
		},
	];
}

async function checkCredential(
	{ demo, checks }: Suite,
	dialog: CredentialDialog,
	stored: string,
	type: RegExp,
	mistakes: Mistake[],
): Promise<void> {
	const good = formValues(demo.credentials[stored].data);
	const displayName =
		(await dialog.searchTypes('lucidworks')).find((name) => type.test(name)) ?? '';
	await dialog.create(displayName);
	await dialog.fill(good);
	const created = await dialog.save();
	checks.add(`${displayName}: good values pass`, created.passed, created.message);
	const edited: Verdict[] = [];
	for (const mistake of mistakes) {
		await dialog.fill({ ...good, ...mistake.values });
		const verdict = await withStatus(
			demo.sandbox,
			mistake.status,
			async () => await dialog.save(),
		);
		edited.push(verdict);
		checks.add(
			`${displayName}: ${mistake.what} is explained`,
			!verdict.passed && mistake.says.test(verdict.message) && !BARE.test(verdict.message),
			verdict.message,
		);
	}
	await dialog.fill(good);
	const again = await dialog.save();
	checks.add(`${displayName}: good values pass after bad ones`, again.passed, again.message);
	const [first] = mistakes;
	await dialog.create(displayName);
	await dialog.fill({ ...good, ...first.values });
	const fresh = await dialog.save();
	checks.add(
		`${displayName}: a new one gets the same message as an edited one`,
		fresh.message === edited[0].message,
		fresh.message,
	);
}

/** A complete push URL is accepted, without the endpoint's identifier. */
async function checkPastedUrl({ demo, checks }: Suite, dialog: CredentialDialog): Promise<void> {
	const { pushUrl, endpoint, apiKey } = formValues(demo.credentials['Demo Push Endpoint'].data);
	const displayName = (await dialog.searchTypes('lucidworks')).find((name) => /Push/.test(name));
	await dialog.create(displayName ?? '');
	await dialog.fill({ pushUrl: `${pushUrl}/api/v1/push/${endpoint}`, apiKey });
	const { passed, message } = await dialog.save();
	checks.add(`${displayName ?? ''}: a complete push URL passes`, passed, message);
}

async function withStatus<T>(
	sandbox: Suite['demo']['sandbox'],
	status: number | undefined,
	work: () => Promise<T>,
): Promise<T> {
	if (status === undefined) return await work();
	sandbox.faults.add({ route: 'push', status });
	try {
		return await work();
	} finally {
		sandbox.faults.clear();
	}
}

/** How drop-down lists show what the demo's credentials have. */
const OPTION_NAMES: Readonly<Record<string, string>> = {
	'machinelearning.predict': 'Machine Learning Predict',
	none: 'None',
};

/** The values as they are typed or chosen. */
function formValues(data: Record<string, unknown>): Record<string, string> {
	return Object.fromEntries(
		Object.entries(data).map(([name, value]) => [
			name,
			OPTION_NAMES[String(value)] ?? String(value),
		]),
	);
}

/** What a web server says of a page that it does not have. */
const answerPage: RequestListener = (_request, response) => {
	response.writeHead(404, { 'content-type': 'text/html' }).end('<html><body>404</body></html>');
};

/** Starts a server; the certificate of a secure one is trusted by nobody. */
async function startServer(
	server: Server | PlainServer,
	scheme: string,
): Promise<{ url: string; close(): Promise<void> }> {
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	const { port } = server.address() as AddressInfo;
	return {
		url: `${scheme}://localhost:${port}`,
		close: async () => {
			server.closeAllConnections();
			await new Promise((resolve) => server.close(resolve));
		},
	};
}
