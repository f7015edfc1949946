import { fieldOf } from '../formats/fields';
import { quoted } from '../service/strings';
import type { Run } from '../run/run';
import type { FieldMapping } from './field-mapping';

const OPTIONAL_FIELDS = [
	['description', 'Description Field'],
	['url', 'URL Field'],
] as const;

/** `isFound` is true if at least one record contains the field. */
interface FieldSearch {
	parameter: string;
	isDefault: boolean;
	isFound: boolean;
	/**
	 * A field name in the first record that differs from the wanted name only in capitalization. Undefined if there is
	 * none.
	 */
	similar: string | undefined;
}

/**
 * Checks that optional fields exist. A document is pushed even without them, so a wrong name would go unnoticed. An
 * optional field can be missing from some records, so only a field that is missing from all records is reported.
 */
export class UnusedFields {
	private readonly searches = new Map<string, FieldSearch>();
	/** A mapping that can no longer cause a hint. Later records are not checked against this mapping. */
	private settledMapping: FieldMapping | undefined;

	searchIn(record: unknown, mapping: FieldMapping): void {
		if (mapping === this.settledMapping || typeof record !== 'object' || record === null)
			return;
		const searches: FieldSearch[] = [];
		for (const [field, parameter] of OPTIONAL_FIELDS) {
			const name = mapping[field];
			if (name === '') continue;
			const key = `${parameter} ${name}`;
			const known = this.searches.get(key);
			const isDefault = name === field;
			const search = known ?? { parameter, isDefault, isFound: false, similar: undefined };
			search.isFound ||= fieldOf(record, name) !== undefined;
			if (!known && !search.isFound) search.similar = findSimilar(name, record);
			this.searches.set(key, search);
			searches.push(search);
		}
		if (!searches.some(isMistake)) this.settledMapping = mapping;
	}

	addTo(run: Pick<Run, 'hint'>): void {
		for (const [key, named] of this.searches) {
			if (!isMistake(named)) continue;
			const { parameter, similar } = named;
			const name = key.slice(parameter.length + 1);
			if (similar !== undefined)
				run.hint(
					`There is no field ${quoted(name)}, but there is a field ${quoted(similar)}. Enter this name as '${parameter}'.`,
				);
			else
				run.hint(
					`No document has the field ${quoted(name)}, which '${parameter}' names. Correct the name, or leave '${parameter}' empty.`,
				);
		}
	}
}

/** A missing field with the default name is treated as a mistake only if the first record has a similar field. */
const isMistake = ({ isFound, isDefault, similar }: FieldSearch): boolean =>
	!isFound && (!isDefault || similar !== undefined);

function findSimilar(name: string, record: object): string | undefined {
	const lower = name.toLowerCase();
	const names = Object.keys(record);
	return names.find((other) => other !== name && other.toLowerCase() === lower);
}
