/** Random files of records, and what may be wrong with them. */
import fc from 'fast-check';

import type { NodeKey } from './adapter';
import { EXTENSION, recordsOf, type Draft, type FileFormat, type FilePlan } from './files';

/** A record, given its place among all records. */
export type DraftAt = (place: string) => Draft;

export const good =
	(value: object | string | number): DraftAt =>
	() => ({ value, kind: 'good' });

export const bad =
	(value: unknown): DraftAt =>
	() => ({ value, kind: 'bad' });

export const UNREADABLE = bad('unreadable');

export const unreadable: DraftAt = (place) => ({ ...UNREADABLE(place), kind: 'unreadable' });

/** Formats whose records have fields. */
export const FORMATS = (Object.keys(EXTENSION) as FileFormat[]).filter((one) => one !== 'lines');

/** Whatever is wrong with a file itself stays so, and a node that stops would get no further. */
export function anyFiles(
	node: NodeKey,
	drafts: fc.Arbitrary<DraftAt>,
	{ first, formats = FORMATS }: { first: fc.Arbitrary<DraftAt>; formats?: FileFormat[] },
): fc.Arbitrary<(isWhole: boolean) => FilePlan[]> {
	const anyFile = fc.record({
		format: fc.constantFrom(...formats),
		isNamed: fc.boolean(),
		isTextPlain: fc.boolean(),
		naming: fc.constantFrom('own', 'own', 'own', 'bare', 'txt'),
		isGzip: fc.boolean(),
		members: fc.constantFrom(1, 1, 2, 3),
		isPadded: fc.boolean(),
		isCut: fc.constantFrom(false, false, false, true),
		cutBy: fc.constantFrom(undefined, 'zeros and a member' as const, 'other bytes' as const),
		range: fc.constantFrom(...Array<undefined>(6).fill(undefined), 3, 5),
		skip: fc.constantFrom(0, 0, 0, 2),
		encoding: fc.constantFrom(
			...Array<undefined>(6).fill(undefined),
			...(['utf-8 with mark', 'utf-16le', 'utf-16be'] as const),
		),
		blanks: fc.constantFrom(...Array<number>(11).fill(0), 70_000, 70_000, 70_000, 1_500_000),
		refused: fc.constantFrom(
			...Array<undefined>(12).fill(undefined),
			...(['missing', 'empty', 'no text', 'unclear format'] as const),
		),
		first,
		drafts: fc.array(drafts, { maxLength: 14 }),
	});
	const anyNumber = fc.array(anyFile, { minLength: 1, maxLength: 2 });
	return fc.tuple(anyNumber, fc.constantFrom(false, false, true)).map(
		([files, isOneItem]) =>
			(isWhole) =>
				files.map(isOneItem ? withFirst : asItIs).flatMap((given, number): FilePlan[] => {
					const {
						drafts: others,
						encoding,
						refused,
						naming,
						range,
						first: draft,
					} = given;
					const { isNamed, format, skip, cutBy, members, isPadded, ...rest } = given;
					const file = {
						...{ number, isNamed, format, skip },
						...{ isGzip: rest.isGzip, isCut: rest.isCut, blanks: rest.blanks },
						isTextPlain: rest.isTextPlain,
						...(isOneItem && number > 0 && { field: `data${number}` }),
						...(rest.isGzip && { members, isPadded, ...(cutBy && { cutBy }) }),
					};
					const gz = file.isGzip ? '.gz' : '';
					const name = `f${number}${extensionOf(node, file, naming)}${gz}`;
					if (refused === 'unclear format' && node === 'delete' && !isWhole) {
						const unclear = {
							isGzip: false,
							isNamed: false,
							isCut: false,
							records: [],
						};
						return [{ ...file, ...unclear, name: `f${number}`, refused }];
					}
					if (refused && refused !== 'unclear format' && !isWhole)
						return [{ ...file, name, refused, isCut: false, records: [] }];
					const records = recordsOf(node, file.format, number, [draft, ...others]);
					const whole: FilePlan = {
						...file,
						name,
						...(encoding && { encoding }),
						isCut: file.isCut && !isWhole,
						records: isWhole ? records.filter(({ key }) => key !== undefined) : records,
					};
					return range === undefined ? [whole] : rangesOf(whole, range);
				}),
	);
}

const asItIs = <Given>(given: Given): Given => given;

/** Files of one item: it has only one format and one range, and is refused with any of them. */
const withFirst = <Given extends object>(
	given: Given & Pick<FilePlan, 'format' | 'isNamed' | 'skip'>,
	_at: number,
	[first]: Array<Pick<FilePlan, 'format' | 'isNamed' | 'skip'>>,
) => ({
	...given,
	...{ format: first.format, isNamed: first.isNamed, skip: first.skip },
	...{ range: undefined, refused: undefined },
});

/** A name that the node can tell the format by, alone or with the content. */
function extensionOf(
	node: NodeKey,
	{ format, isNamed }: Pick<FilePlan, 'format' | 'isNamed'>,
	naming: string,
): string {
	const isJsonLines = format === 'jsonLines' && node !== 'delete';
	// Lines of text that begin like JSON are lines by their name only.
	if (naming === 'bare' && (isNamed || isJsonLines)) return '';
	if (naming === 'txt' && (isNamed || isJsonLines)) return '.txt';
	return `.${EXTENSION[format]}`;
}

/** The same file again and again, each time with the records that follow. */
function rangesOf(file: FilePlan, range: number): FilePlan[] {
	const count = Math.ceil(file.records.length / range);
	const rest = { ...file, name: `rest-${file.name}`, skip: count * range };
	const ranges = Array.from({ length: count }, (_, at) => ({
		...file,
		name: `r${at}-${file.name}`,
		skip: at * range,
		max: range,
	}));
	return [...ranges, rest];
}
