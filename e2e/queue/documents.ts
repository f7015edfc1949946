import { DEMO } from '../../sandbox';
import type { Sandbox } from '../../sandbox';
import type { SourceDocument } from '../demo/documents';

const SECTIONS = 3;

/** The body of one webhook call: documents that no other call sends, and the chunk to delete again. */
export interface Delivery {
	documents: Array<Omit<SourceDocument, 'url'>>;
	delete?: string;
	waitSeconds?: number;
}

function sections(id: string): string[] {
	return Array.from(
		{ length: SECTIONS },
		(_, number) => `# Part ${number} of ${id}\nWhat part ${number} of ${id} has to say.`,
	);
}

/** Documents that no other call sends; each heading starts a new chunk. */
export function documentsOf(prefix: string, count: number): Delivery['documents'] {
	return Array.from({ length: count }, (_, number) => {
		const id = `${prefix}/${number}`;
		return { id, name: `Document ${id}`, text: sections(id).join('\n') };
	});
}

/** What the index must hold after all these deliveries: each chunk's ID and text, sorted. */
export function modelOf(deliveries: Delivery[]): string[] {
	const deleted = new Set(deliveries.map((delivery) => delivery.delete));
	return deliveries
		.flatMap(({ documents }) => documents)
		.flatMap(({ id }) => sections(id).map((text, number) => [`${id}#${number}`, text]))
		.filter(([id]) => !deleted.has(id))
		.map(([id, text]) => `${id}=${text}`)
		.sort();
}

/** What the index holds, in the same form. */
export function indexOf(sandbox: Sandbox): string[] {
	return sandbox
		.documents(DEMO.endpoint)
		.map(({ id, text }) => `${String(id)}=${String(text).trim()}`)
		.sort();
}
