import AjvCompiler from '@fastify/ajv-compiler';
import type { FastifySchemaValidationError } from 'fastify';
import type { Static as StaticOf, TSchema } from 'typebox' with { 'resolution-mode': 'import' };

/** The type of the values that a JSON schema, given `as const`, allows. */
export type Static<Schema extends TSchema> = StaticOf<Schema>;

/** Where in a value an error is, e.g. `['batch', '1', 'text']`; for a missing member, its own path. */
export function errorPath({ instancePath, params }: FastifySchemaValidationError): string[] {
	const member = params.missingProperty ?? params.additionalProperty;
	const path = instancePath.split('/').slice(1);
	return member === undefined ? path : [...path, String(member)];
}

/** What is wrong there, e.g. `must be string`. */
export function errorText({ message, params }: FastifySchemaValidationError): string {
	if (params.missingProperty !== undefined) return 'is missing';
	if (params.additionalProperty !== undefined) return 'is unknown';
	const { allowedValues } = params;
	if (Array.isArray(allowedValues)) return `must be one of ${allowedValues.join(', ')}`;
	return message ?? 'is not valid';
}

/** The message for the first error, e.g. `batch[1].text must be string`. */
export function describeError(errors: FastifySchemaValidationError[], what: string): Error {
	const [error] = errors;
	const path = errorPath(error)
		.map((part) => (/^\d+$/.test(part) ? `[${part}]` : `.${part}`))
		.join('')
		.replace(/^\./, '');
	return new Error(`${path === '' ? `The ${what}` : path} ${errorText(error)}`);
}

/** Tells whether a value fits a schema; `errors` says what does not. */
interface Validate {
	(value: unknown): boolean;
	errors?: FastifySchemaValidationError[] | null;
}

/** Fastify's validator. Values are checked as they are, never converted or completed. */
const compile = AjvCompiler()(
	{},
	{ customOptions: { coerceTypes: false, removeAdditional: false, useDefaults: false } },
);

const validators = new WeakMap<object, Validate>();

/**
 * The validator of a schema. Compiling takes long, so it is done on first use and once per process,
 * however many servers use the schema.
 */
export function validatorOf(schema: object): Validate {
	let validate = validators.get(schema);
	if (!validate) {
		let compiled: Validate | undefined;
		validate = (value) => {
			compiled ??= compile({ schema, method: '', url: '' }) as Validate;
			const isValid = compiled(value);
			(validate as Validate).errors = compiled.errors;
			return isValid;
		};
		validators.set(schema, validate);
	}
	return validate;
}

/**
 * Checks a value that comes in no request.
 * @param what names the value in messages, e.g. `fault rule`
 * @throws Error that names the first thing that is wrong
 */
export function check(schema: object, value: unknown, what: string): void {
	const validate = validatorOf(schema);
	if (!validate(value)) throw describeError(validate.errors ?? [], what);
}
