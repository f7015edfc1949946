import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

import type { INodeType } from 'n8n-workflow';

const E2E = join(__dirname, '..', '..', 'e2e', 'package.json');
const VERSION = 4.2;

/**
 * n8n's own HTTP Request node, from the n8n that e2e/ has installed: the root does not depend on it.
 *
 * @returns undefined if e2e/ is not installed
 */
export function httpRequestNode(credential: string): INodeType | undefined {
	if (!existsSync(join(E2E, '..', 'node_modules', 'n8n-nodes-base'))) return undefined;
	const { HttpRequest } = createRequire(E2E)(
		'n8n-nodes-base/dist/nodes/HttpRequest/HttpRequest.node.js',
	) as { HttpRequest: new () => { nodeVersions: Record<number, INodeType> } };
	const node = new HttpRequest().nodeVersions[VERSION];
	return {
		// In n8n this node may use every credential; here it has to name it.
		description: {
			...node.description,
			version: VERSION,
			credentials: [{ name: credential, required: true }],
		},
		execute: node.execute,
	};
}
