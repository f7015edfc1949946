/** With this choice for the Output option, a node returns one result per input item. */
export const onePerInputItem = {
	name: 'One Item per Input Item',
	value: 'perInputItem',
	description:
		'Each item contains the counts for one input item. An item fails if any of its documents fails.',
} as const;

/** Options that all sinks read. */
export interface CommonOptions {
	/** By default, each entry becomes an item. `summary` returns one item for all entries that succeeded. */
	output?: 'perDocument' | 'perInputItem' | 'summary';
	bytesPerFile: number;
}
