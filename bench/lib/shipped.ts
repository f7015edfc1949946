import path from 'node:path';

type Shipped = typeof import('../../nodes/ChunkText/ChunkText.node.js') &
	typeof import('../../nodes/DeleteDocument/DeleteDocument.node.js') &
	typeof import('../../nodes/PushDocuments/PushDocuments.node.js');

/**
 * Loads a node from `dist`, as n8n does. If tsx loaded the source, functions would be created more slowly than in the
 * compiled code, and the results would be wrong.
 */
function shipped<Name extends keyof Shipped>(name: Name): Shipped[Name] {
	const file = path.join(__dirname, '../../dist/nodes', name, `${name}.node.js`);
	// eslint-disable-next-line @typescript-eslint/no-require-imports -- The file exists only after a build.
	return (require(file) as Shipped)[name];
}

export const ChunkText = shipped('ChunkText');
export const DeleteDocument = shipped('DeleteDocument');
export const PushDocuments = shipped('PushDocuments');
