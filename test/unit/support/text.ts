import fc from 'fast-check';

const SPECIAL = [
	'.',
	'..',
	'/',
	'\\',
	'?',
	'#',
	'%',
	'%2e',
	'%2F',
	';',
	':',
	'@',
	'\0',
	'\n',
	' ',
	'😀',
];

/** Generates any string, including unpaired surrogates and characters with a special meaning in URLs. */
export const anyText = fc
	.array(
		fc.oneof(
			fc.nat(0xffff).map((code) => String.fromCharCode(code)),
			fc.constantFrom(...SPECIAL),
			fc.string({ maxLength: 5 }),
		),
		{ maxLength: 12 },
	)
	.map((parts) => parts.join(''));

export function thrownBy(call: () => unknown): unknown {
	try {
		call();
	} catch (error) {
		return error;
	}
	throw new Error('Nothing was thrown');
}
