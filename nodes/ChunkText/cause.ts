/** What a service's words name, and the parameter or option that sends it. */
const SETTINGS: ReadonlyArray<readonly [RegExp, string]> = [
	[
		/\bregex|regular expression|\b(unterminated|unbalanced|nothing to repeat|bad escape)\b/i,
		'Regex',
	],
	[/max[\s_-]?chunk[\s_-]?size/i, 'Max Chunk Size (Tokens)'],
	[/(?<!max[\s_-]?)chunk[\s_-]?size/i, 'Chunk Size (Sentences)'],
	[/overlap[\s_-]?size/i, 'Overlap Size (Sentences)'],
	[/cosine[\s_-]?threshold/i, 'Cosine Threshold'],
	[/\bdim(ension)?[\s_-]?reduction|\bdimensions?\b/i, 'Dimension Reduction Size'],
	[/quanti[sz]ation/i, 'Vector Quantization Method'],
	[/\bdata[\s_-]?type/i, 'Data Type'],
];

/** The labels of all settings that can be named, for the test that they exist. */
export const NAMED_SETTINGS: readonly string[] = [
	...SETTINGS.map(([, label]) => label),
	'Model ID',
];

const MODEL = /\bmodel\b/i;

/** Of a model: it is not there, so that no text can be the cause. */
const MISSING =
	/\b(no such|unknown|unsupported|invalid)\b|\b(not|n't|no longer) (be )?(found|available|deployed|exists?|loaded|supported|known)\b/i;

const TEXT = /\b(texts?|batch|documents?)\b/i;

/** What the words of a service say about the cause of a failure. */
export interface Cause {
	/** The labels of the settings that they name, as in `'Regex' and 'Data Type'`; '' for none. */
	settings: string;
	/** Whether one text of several can be the cause. */
	mayBeText: boolean;
}

/**
 * Looks for the cause of a failure in the words of the service: a setting that they name fails all texts
 * of a request alike.
 *
 * @param words what the service said, '' if nothing
 */
export function causeIn(words: string): Cause {
	const named = SETTINGS.flatMap(([pattern, label]) => (pattern.test(words) ? `'${label}'` : []));
	const isOfModel = MODEL.test(words) && named.length === 0;
	const labels = isOfModel ? ["'Model ID'"] : named;
	const isCertain = named.length > 0 || (isOfModel && MISSING.test(words));
	return { settings: labels.join(' and '), mayBeText: !isCertain || TEXT.test(words) };
}
