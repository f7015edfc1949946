/**
 * Slips in a regular expression that Python's `re` reads differently than its author likely means.
 * The pattern is sent as it is all the same: only Python can say whether it is valid.
 *
 * @returns one sentence for each slip found
 */
export function regexHints(regex: string): string[] {
	const hints: string[] = [];
	if (/^\/.+\/[dgimsuvy]*$/s.test(regex)) {
		hints.push(
			"'Regex' looks like a JavaScript literal: Python takes the slashes and flags as text. Leave them out and write flags as (?i) at the start.",
		);
	}
	const doubled = /\\\\([nrtsSdDwWbB])/.exec(regex);
	if (doubled) {
		hints.push(
			`'Regex' contains \\\\${doubled[1]}, which Python reads as a backslash followed by the letter ${doubled[1]}. Write \\${doubled[1]} with one backslash.`,
		);
	}
	if (/\(\?<[A-Za-z_]/.test(regex)) {
		hints.push("'Regex' names a group as JavaScript does. In Python it is (?P<name>...).");
	}
	return hints;
}
