/** [start, end) in UTF-16 units of a text, as JavaScript slices it. */
export type Span = readonly [start: number, end: number];

/** The `chunkerConfig` object of a request, already checked. */
export type ChunkerConfig = Record<string, unknown>;

/** Splits one text; lazily, so that the caller can pause between chunks. */
export type Chunker = (text: string, config: ChunkerConfig) => Iterable<Span>;

/** Rules for the members of a chunker's `chunkerConfig` (facts 1.3). */
export type ConfigRule = 'string' | 'boolean' | 'positive' | 'notNegative' | 'cosine';

/** A number of the configuration, or its default. */
export function numberOf(config: ChunkerConfig, key: string, fallback: number): number {
	const value = config[key];
	return typeof value === 'number' ? value : fallback;
}
