import { ValueEnd } from './json-text';

const BLANKS = /[ \n\r\t]*/y;

/**
 * Sets members of a JSON object in its text, whose other characters all stay as they are: numbers of any
 * length, spaces, the order of the members. New members come last.
 *
 * @param text a valid JSON object
 * @param members the JSON of each value, by the name of its member
 * @returns the text of the changed object
 */
export function withMembers(text: string, members: ReadonlyMap<string, string>): string {
	const added = new Map(members);
	const valueEnd = new ValueEnd();
	const endOf = (from: number): number => {
		valueEnd.reset();
		return valueEnd.find(text, from);
	};
	let changed = '';
	/** Up to where the text is in `changed`. */
	let taken = 0;
	let at = afterBlanks(text, text.indexOf('{') + 1);
	const isEmpty = text.charAt(at) === '}';
	while (text.charAt(at) === '"') {
		const nameEnd = endOf(at);
		const name = JSON.parse(text.slice(at, nameEnd)) as string;
		// Behind the colon.
		const valueAt = afterBlanks(text, afterBlanks(text, nameEnd) + 1);
		at = endOf(valueAt);
		const value = members.get(name);
		if (value !== undefined) {
			changed += text.slice(taken, valueAt) + value;
			taken = at;
			added.delete(name);
		}
		at = afterBlanks(text, at);
		if (text.charAt(at) === ',') at = afterBlanks(text, at + 1);
	}
	const more = [...added].map(([name, value]) => `${JSON.stringify(name)}:${value}`).join(',');
	const comma = more === '' || isEmpty ? '' : ',';
	return changed + text.slice(taken, at) + comma + more + text.slice(at);
}

function afterBlanks(text: string, from: number): number {
	BLANKS.lastIndex = from;
	BLANKS.test(text);
	return BLANKS.lastIndex;
}
