/** The choice of the option Output for one result per input item. */
export const onePerInputItem = {
	name: 'One Item per Input Item',
	value: 'perInputItem',
	description: 'Counts per input item. An item fails if any of its documents fails.',
} as const;

/** The options that several nodes have, for what all sources and sinks do with them. */
export interface CommonOptions {
	/** An item for each entry unless given, for each input item, or one for all entries that succeeded. */
	output?: 'perDocument' | 'perInputItem' | 'summary';
	/** Maximum size of a file that is returned. */
	bytesPerFile: number;
}
