/** The choice of the option Output for one result per input item, see `ItemTallies`. */
export const onePerInputItem = {
	name: 'One Item per Input Item',
	value: 'inputItems',
	description:
		'With counts. An item fails if any of its documents fails, and one with an empty list succeeds.',
} as const;
