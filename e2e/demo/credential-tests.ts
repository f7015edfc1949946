import { credentialClasses } from '../../support/manifest';
import type { Stage } from './stage';

const NOBODY = 'http://127.0.0.1:1';

/** An edit of each stored credential that the test must refuse; test/engine/credentials.test.ts has all others. */
const REFUSED: Array<[name: string, changes: Record<string, string>, message: RegExp]> = [
	['Demo AI Service', { clientSecret: 'not-the-right-one' }, /status 401 \(invalid_client\)/],
	['Demo AI Service', { authUrl: NOBODY }, /token server could not be reached: the connection/],
	['Demo Push Endpoint', { apiKey: 'not-the-right-one' }, /status 401.*Check 'API Key'/],
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
}
