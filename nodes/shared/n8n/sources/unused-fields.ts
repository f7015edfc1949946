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

	/** Looks for the fields in a record or an item. */
	note(record: unknown, fields: DocumentFields): void {
		if (typeof record !== 'object' || record === null) return;
		for (const [field, parameter] of OPTIONAL) {
			const name = fields[field];
			if (name === '') continue;
			const named = this.named.get(`${parameter} ${name}`);
			if (named?.isFound) continue;
			const isFound = fieldOf(record, name) !== undefined;
			if (named) named.isFound = isFound;
			else {
				const isDefault = name === field;
				const similar = isFound ? undefined : similarTo(name, record);
				this.named.set(`${parameter} ${name}`, { parameter, isDefault, isFound, similar });
			}
		}
	}

	/** Hints at the fields that no record has. A default name that nothing resembles is no mistake. */
	addTo(run: Pick<Run, 'hint'>): void {
		for (const [key, { parameter, isDefault, isFound, similar }] of this.named) {
			if (isFound) continue;
			const name = key.slice(parameter.length + 1);
			if (similar !== undefined)
				run.hint(
					`There is no field ${quoted(name)}, but a field ${quoted(similar)}. Enter this name as '${parameter}'.`,
				);
			else if (!isDefault)
				run.hint(
					`No document has the field ${quoted(name)}, which '${parameter}' names. Correct the name, or leave '${parameter}' empty.`,
				);
		}
	}
}

/** The field whose name is the same but for upper and lower case. */
function similarTo(name: string, record: object): string | undefined {
	const lower = name.toLowerCase();
	return Object.keys(record).find((other) => other.toLowerCase() === lower);
}
