/**
 * Common mistakes in a regular expression: Python's `re` reads it differently than its author likely
 * means. The pattern is sent unchanged anyway: only Python can tell whether it is valid.
 *
 * @returns one sentence for each mistake found
 */
export function regexHints(regex: string): string[] {
	const hints: string[] = [];
	if (/^\/.+\/[dgimsuvy]*$/s.test(regex)) {
		hints.push(
			"'Regex' looks like a JavaScript literal: Python reads the slashes and flags as text. Remove them and write flags as (?i) at the start.",
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
