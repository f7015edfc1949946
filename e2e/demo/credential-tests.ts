import { credentialClasses } from '../../support/manifest';
import type { Stage } from './stage';

const NOBODY = 'http://127.0.0.1:1';

/** Edits of a stored credential that the test must refuse, in words that say what to check. */
const REFUSED: Array<[name: string, changes: Record<string, string>, message: RegExp]> = [
	['Demo AI Service', { clientSecret: 'not-the-right-one' }, /status 401 \(invalid_client\)/],
	['Demo AI Service', { authUrl: NOBODY }, /token server could not be reached: the connection/],
	['Demo AI Service', { authUrl: 'http://no-such-host.invalid' }, /its host name is unknown/],
	['Demo AI Service', { aiUrl: NOBODY }, /AI service could not be reached.*'AI Service URL'/],
	[
		'Demo AI Service',
		{ aiUrl: 'nowhere' },
		/'AI Service URL' must start with https:\/\/ or http:\/\//,
	],
	['Demo AI Service', { scope: 'custom', customScope: 'unknown' }, /invalid_scope/],
	['Demo Push Endpoint', { apiKey: 'not-the-right-one' }, /status 401.*Check 'API Key'/],
	['Demo Push Endpoint', { pushUrl: NOBODY }, /push service could not be reached/],
	['Demo Push Endpoint', { endpoint: '' }, /'Endpoint Identifier' is empty/],
	['Demo Push Endpoint', { endpoint: 'unknown' }, /Check 'Push Service URL' and 'Endpoint/],
	['Demo Blob Service', { baseUrl: NOBODY }, /blob service could not be reached/],
	['Demo Blob Service', { baseUrl: '' }, /'Blob Service URL' is empty/],
];

/** Presses the Test button of each of our credentials, with good and with bad values. */
export async function testCredentials({ demo, checks }: Stage): Promise<void> {
	const { api } = demo.n8n;
	for (const credential of Object.values(demo.credentials)) {
		if (!credentialClasses.has(credential.type)) continue;
		const { status, message } = await api.testCredential(credential);
		checks.add(`The test of '${credential.name}' says OK`, status === 'OK', message);
	}
	for (const [name, changes, expected] of REFUSED) {
		const credential = demo.credentials[name];
		const data = { ...credential.data, ...changes };
		const { status, message } = await api.testCredential({ ...credential, data });
		const what = Object.keys(changes).join(' and ');
		const isRefused = status === 'Error' && expected.test(message ?? '');
		checks.add(`The test of '${name}' says what is wrong with ${what}`, isRefused, message);
	}
	const { data } = demo.credentials['Demo Push Endpoint'];
	const pushUrl = `${String(data.pushUrl)}/api/v1/push/${String(data.endpoint)}`;
	const { status, message } = await api.testCredential({
		...demo.credentials['Demo Push Endpoint'],
		data: { ...data, pushUrl, endpoint: '' },
	});
	checks.add('The test accepts a complete push URL', status === 'OK', message);
}
