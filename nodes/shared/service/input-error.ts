/**
 * Invalid input that is found before a request is sent. The n8n layer turns it into a NodeOperationError.
 * `message` says what is wrong and names the parameter or field. `description` says what to do.
 */
export class InputError extends Error {
	override readonly name = 'InputError';

	/** @param missing names of the values that are missing, if nothing else is wrong */
	constructor(
		message: string,
		readonly description: string,
		readonly missing?: string,
	) {
		super(message);
	}
}

/** Returns the message of an error, or any other thrown value as text. */
export const messageOf = (error: unknown): string =>
	error instanceof Error ? error.message : String(error);
