import { fieldOf } from '../../records/fields';
import { quoted } from '../../service/outcome-messages';
import type { Run } from '../run/run';
import type { DocumentFields } from './document-fields';

/** The optional fields of a document, with the parameters that name them. */
const OPTIONAL = [
	['description', 'Description Field'],
	['url', 'URL Field'],
] as const;

/** A field that a parameter names, and what was found of it. */
interface Named {
	parameter: string;
	isDefault: boolean;
	isFound: boolean;
	/** A field of the first record whose name differs only in case. */
	similar: string | undefined;
}

/**
 * Finds out whether the optional fields that a user has named exist, because a document without them is
 * pushed all the same. A record may lack an optional field, so only a field that no record has is reported.
 */
export class UnusedFields {
	private readonly named = new Map<string, Named>();
	/** No further record can change what is hinted at for these. */
	private settled: DocumentFields | undefined;

	/** Looks for the fields in a record or an item. */
	note(record: unknown, fields: DocumentFields): void {
		if (fields === this.settled || typeof record !== 'object' || record === null) return;
		let isSettled = true;
		for (const [field, parameter] of OPTIONAL) {
			const name = fields[field];
			if (name === '') continue;
			const key = `${parameter} ${name}`;
			const named = this.named.get(key) ?? firstLook(record, name, parameter, field);
			this.named.set(key, named);
			named.isFound ||= fieldOf(record, name) !== undefined;
			if (isMistake(named)) isSettled = false;
		}
		if (isSettled) this.settled = fields;
	}

	/** Hints at the fields that no record has. */
	addTo(run: Pick<Run, 'hint'>): void {
		for (const [key, named] of this.named) {
			if (!isMistake(named)) continue;
			const { parameter, similar } = named;
			const name = key.slice(parameter.length + 1);
			if (similar !== undefined)
				run.hint(
					`There is no field ${quoted(name)}, but a field ${quoted(similar)}. Enter this name as '${parameter}'.`,
				);
			else
				run.hint(
					`No document has the field ${quoted(name)}, which '${parameter}' names. Correct the name, or leave '${parameter}' empty.`,
				);
		}
	}
}

const firstLook = (record: object, name: string, parameter: string, field: string): Named => ({
	parameter,
	isDefault: name === field,
	isFound: false,
	similar: similarTo(name, record),
});

/** A default name that nothing resembles is no mistake. */
const isMistake = ({ isFound, isDefault, similar }: Named): boolean =>
	!isFound && (!isDefault || similar !== undefined);

/** The field whose name is the same but for upper and lower case. */
function similarTo(name: string, record: object): string | undefined {
	const lower = name.toLowerCase();
	const names = Object.keys(record);
	return names.find((other) => other !== name && other.toLowerCase() === lower);
}
