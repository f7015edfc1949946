import { DEMO, type RecordedRequest, type Sandbox } from '../../sandbox';
import { askedIn } from '../service/asked';

/** A document of a source: its sections become its chunks. No sections: an empty text. */
export interface SourceDocument {
	id: string;
	sections: string[];
}

/** The text of a document. */
export const textOf = ({ sections }: SourceDocument): string =>
	sections.map((section) => `# ${section}`).join('\n');

/** The chunks that the index should have of a source, as `id=text`. */
export function chunksOf(lane: string, source: SourceDocument[]): string[] {
	const ofOne = ({ id, sections }: SourceDocument) =>
		sections.map((section, number) => `${lane}/${id}#${number}=# ${section}`);
	return source.flatMap(ofOne).sort();
}

/** The chunks that the index has, in the same way. */
export const indexedOf = (lane: string, sandbox: Sandbox): string[] =>
	sandbox
		.documents(DEMO.endpoint)
		.map(({ id, text }) => `${String(id)}=${String(text)}`)
		.filter((chunk) => chunk.startsWith(`${lane}/`))
		.sort();

/** The rows that the table should have of a source, as `id:count`. */
export const rowsOf = (lane: string, source: SourceDocument[]): string[] =>
	source
		.filter(({ sections }) => sections.length > 0)
		.map(({ id, sections }) => `${lane}/${id}:${sections.length}`)
		.sort();

/** Chunks of a source that these requests tried to delete. */
export function wrongDeletes(
	lane: string,
	source: SourceDocument[],
	requests: RecordedRequest[],
): string[] {
	const chunks = new Set(chunksOf(lane, source).map((chunk) => chunk.split('=')[0]));
	return askedIn(requests).deleted.filter((id) => chunks.has(id));
}
