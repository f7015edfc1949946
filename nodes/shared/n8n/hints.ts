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

/** `1 document`, `3 documents`. */
export function count(number: number, noun: string): string {
	return `${number.toLocaleString('en-US')} ${noun}${number === 1 ? '' : 's'}`;
}
