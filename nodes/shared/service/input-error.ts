/**
 * Bad input, found before any request. The n8n layer turns it into a NodeOperationError:
 * `message` says what is wrong and names the parameter or field, `description` what to do.
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

/** The words of any error. */
export const messageOf = (error: unknown): string =>
	error instanceof Error ? error.message : String(error);
