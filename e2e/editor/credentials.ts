import { credentialClasses } from '../../support/manifest';
import { CredentialDialog } from '../browser/credential-dialog';
import type { Suite } from './suite';

/** An address where nothing listens. */
const NOWHERE = 'http://127.0.0.1:9';

/** A credential of the demo, and the name and label of its URL field. */
const CREDENTIALS: Array<[stored: string, field: string, label: string]> = [
	['Demo AI Service', 'aiUrl', 'AI Service URL'],
	['Demo Push Endpoint', 'pushUrl', 'Push Service URL'],
	['Demo Blob Service', 'baseUrl', 'Blob Service URL'],
];

/**
 * Creates each credential through its form, with good values and with a URL where nothing listens.
 * test/engine/credentials.test.ts checks the messages for other mistakes without a window.
 */
export async function credentials({ page, demo, checks }: Suite): Promise<void> {
	const dialog = new CredentialDialog(page, demo.n8n.url);
	await dialog.search('lucidworks');
	await checks.eventually(
		"'lucidworks' finds all credentials",
		async () => (await dialog.types()).join(', '),
		(found) => found.split(', ').length === credentialClasses.size,
	);
	const displayNames = await demo.n8n.api.credentialNames();
	for (const [stored, field, label] of CREDENTIALS) {
		const { type, data } = demo.credentials[stored];
		const displayName = displayNames[type];
		const texts = typed(data);
		const good = await dialog.create(displayName, texts);
		checks.add(`${displayName}: good values pass`, good === '', good);
		const bad = await dialog.create(displayName, { ...texts, [field]: NOWHERE });
		checks.add(
			`${displayName}: a dead host is explained, with the name of the field`,
			bad.includes('could not be reached') && bad.includes(`'${label}'`),
			bad,
		);
	}
}

/** Returns the values to type. Lists keep their defaults. */
function typed(data: Record<string, unknown>): Record<string, string> {
	const lists = ['scope', 'authentication'];
	return Object.fromEntries(
		Object.entries(data)
			.filter(([name]) => !lists.includes(name))
			.map(([name, value]) => [name, String(value)]),
	);
}
