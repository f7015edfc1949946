import { credentialClasses } from '../../support/manifest';
import type { Stage } from './stage';

/** Presses the Test button of each of our credentials; a wrong secret must be refused in words. */
export async function testCredentials({ demo, checks }: Stage): Promise<void> {
	const { api } = demo.n8n;
	for (const credential of Object.values(demo.credentials)) {
		if (!credentialClasses.has(credential.type)) continue;
		const { status, message } = await api.testCredential(credential);
		checks.add(`The test of '${credential.name}' says OK`, status === 'OK', message);
	}
	const wrong = { 'Demo AI Service': 'clientSecret', 'Demo Push Endpoint': 'apiKey' };
	for (const [name, field] of Object.entries(wrong)) {
		const credential = demo.credentials[name];
		const data = { ...credential.data, [field]: 'not-the-right-one' };
		const { status, message } = await api.testCredential({ ...credential, data });
		checks.add(`The test of '${name}' refuses a wrong ${field}`, status === 'Error', message);
	}
}
