/**
 * Pushes a document to the URL of the command line and tests the credential, in a process of its own: Node.js reads
 * NODE_EXTRA_CA_CERTS when it starts. Prints `{ error?, description?, test }` as JSON.
 */
import './setup';
import { PushEndpointApi } from '../credentials/PushEndpointApi.credentials';
import { PushDocuments } from '../nodes/PushDocuments/PushDocuments.node.js';
import { runNode, testCredential } from './engine';

// Set here, since the setup removes the proxies of the machine.
const { PROXY_OF_TEST } = process.env;
if (PROXY_OF_TEST !== undefined) process.env.HTTPS_PROXY = PROXY_OF_TEST;

async function main([pushUrl]: string[]): Promise<void> {
	const pushEndpointApi = { pushUrl, endpoint: 'docs', apiKey: 'key-12345' };
	const { error } = await runNode({
		node: new PushDocuments(),
		items: [{ id: 'a', name: 'A' }],
		parameters: { options: { maxAttempts: 1 } },
		credentials: { pushEndpointApi },
	});
	const { ok, message } = await testCredential(new PushEndpointApi(), pushEndpointApi);
	const seen = { error: error?.message, description: error?.description, ok, test: message };
	process.stdout.write(`${JSON.stringify(seen)}\n`);
}

void main(process.argv.slice(2)).then(() => process.exit(0));
