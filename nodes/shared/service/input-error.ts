/**
 * Thrown if invalid input is found before a request is sent. The n8n layer converts this error into a
 * NodeOperationError. `message` says what is wrong and names the parameter or field. `description` says
 * what to do.
 */
export class InputError extends Error {
	override readonly name = 'InputError';

	/** @param missing names of the missing values, if nothing else is wrong */
	constructor(
		message: string,
		readonly description: string,
		readonly missing?: string,
	) {
		super(message);
	}
}

/** Returns the message of an error. Any other thrown value is converted to a string. */
export const messageOf = (error: unknown): string =>
	error instanceof Error ? error.message : String(error);
