import AjvCompiler from '@fastify/ajv-compiler';
import type { FastifySchemaValidationError } from 'fastify';
import type { Static as StaticOf, TSchema } from 'typebox' with { 'resolution-mode': 'import' };

/** The type of the values that a JSON schema allows. The schema must be declared `as const`. */
export type Static<Schema extends TSchema> = StaticOf<Schema>;

/**
 * Returns the error's path within the value, e.g. `['batch', '1', 'text']`. If a property is missing, the path ends
 * with the name of that property.
 */
export function errorPath({ instancePath, params }: FastifySchemaValidationError): string[] {
	const member = params.missingProperty ?? params.additionalProperty;
	const path = instancePath.split('/').slice(1);
	return member === undefined ? path : [...path, String(member)];
}

/** Describes an error without its path, e.g. `must be string`. */
export function errorText({ message, params }: FastifySchemaValidationError): string {
	if (params.missingProperty !== undefined) return 'is missing';
	if (params.additionalProperty !== undefined) return 'is unknown';
	const { allowedValues } = params;
	if (Array.isArray(allowedValues)) return `must be one of ${allowedValues.join(', ')}`;
	return message ?? 'is not valid';
}

/** Creates an error that describes the first problem, e.g. `batch[1].text must be string`. */
export function describeError(errors: FastifySchemaValidationError[], what: string): Error {
	const [error] = errors;
	const path = errorPath(error)
		.map((part) => (/^\d+$/.test(part) ? `[${part}]` : `.${part}`))
		.join('')
		.replace(/^\./, '');
	return new Error(`${path === '' ? `The ${what}` : path} ${errorText(error)}`);
}

/** Returns true if the value matches the schema. Otherwise, `errors` lists the problems. */
interface Validate {
	(value: unknown): boolean;
	errors?: FastifySchemaValidationError[] | null;
}

/** Fastify's validator, configured never to change the values that it checks. */
const compile = AjvCompiler()(
	{},
	{ customOptions: { coerceTypes: false, removeAdditional: false, useDefaults: false } },
);

const validators = new WeakMap<object, Validate>();

/**
 * Returns the schema's validator. Compiling is slow, so each schema is compiled on first use, and only once per
 * process.
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
 * Checks a value that did not arrive in a request.
 * @param what name of the value in error messages, e.g. `fault rule`
 * @throws an error that describes the first problem
 */
export function check(schema: object, value: unknown, what: string): void {
	const validate = validatorOf(schema);
	if (!validate(value)) throw describeError(validate.errors ?? [], what);
}
