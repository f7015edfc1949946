/**
 * Thrown if invalid input is found before a request is sent. The n8n layer converts this error into a
 * NodeOperationError. `message` says what is wrong and names the parameter or field. `description` says
 * what to do.
 */
export class InputError extends Error {
	override readonly name = 'InputError';

	/** Names of the missing values, if nothing else is wrong. */
	readonly missing: string | undefined;
	readonly commonMessage: string;

	/** @param options.commonMessage see `commonMessageOf`. The default is the message itself */
	constructor(
		message: string,
		readonly description: string,
		{ missing, commonMessage = message }: { missing?: string; commonMessage?: string } = {},
	) {
		super(message);
		this.missing = missing;
		this.commonMessage = commonMessage;
	}
}

/** Returns the message of an error. Any other thrown value is converted to a string. */
export const messageOf = (error: unknown): string =>
	error instanceof Error ? error.message : String(error);

/**
 * Returns the message of an error without the parts that differ between records, for example the line, ID, value or
 * size. An error whose message has such parts carries this text as `commonMessage`. Failures of a file are counted by
 * this text.
 */
export function commonMessageOf(error: unknown): string {
	const { commonMessage } = Object(error) as { commonMessage?: unknown };
	return typeof commonMessage === 'string' ? commonMessage : messageOf(error);
}
