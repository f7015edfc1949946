import type { IExecuteFunctions, NodeExecutionHint } from 'n8n-workflow';

/** Says something about a run in the output pane. Old versions of n8n cannot; there it is left out. */
export function addHint(
	context: IExecuteFunctions,
	message: string,
	type: NonNullable<NodeExecutionHint['type']> = 'warning',
): void {
	(context as Partial<IExecuteFunctions>).addExecutionHints?.({
		message,
		type,
		location: 'outputPane',
	});
}

/** Says what a run overcame, so that nobody has to wonder why it took so long. */
export function addTroubleHint(
	context: IExecuteFunctions,
	{ retries, splits }: { retries: number; splits: number },
	others: string[] = [],
): void {
	const parts = [...others];
	if (retries > 0) parts.push(`${count(retries, 'attempt')} repeated after temporary failures`);
	if (splits > 0) {
		parts.push(`${count(splits, 'request')} divided because the service refused the whole`);
	}
	if (parts.length > 0) addHint(context, parts.join('; '), 'info');
}

/** `1 document`, `3 documents`. */
export function count(number: number, noun: string): string {
	return `${number.toLocaleString('en-US')} ${noun}${number === 1 ? '' : 's'}`;
}
