/** The runs of Delete Document that are compared with their predictions. */
import type { DeleteGiven } from './delete';
import type { Row, SourceFile } from './files';
import type { Fault, Item } from './model';
import type { Choice } from './runs';

export const DELETE = {
	source: ['item', 'list', 'jsonLines', 'csv', 'lines', 'jsonArray'],
	onError: ['continueRegularOutput', 'stopWorkflow', 'continueErrorOutput'],
	fault: [
		...['nothing', '400', '401', '403', '404', '422', '501', '302', '503'],
		...['once 429', 'once 500', 'once lost', 'page', 'rejects', 'complains'],
	],
	hits: ['middle', 'first', 'last', 'several'],
	invalid: ['none', 'odd'],
	blank: ['none', 'two'],
	sameIds: ['none', 'near', 'hit'],
	output: ['perDocument', 'perInputItem'],
	commit: ['serviceDefault', 'lastDeleteOnly', 'everyDelete'],
	known: ['any', 'some'],
	ignoreNotFound: ['no', 'yes'],
	concurrency: ['1', '8'],
	dryRun: ['no', 'yes'],
	field: ['default', 'other'],
	chunkCount: ['none', 'some'],
	keep: ['none', 'some'],
	range: ['all', 'skip', 'max', 'beyond'],
	end: ['whole', 'cut', 'gzip'],
} as const;

export type DeleteChoice = Choice<typeof DELETE>;

const isFile = (source: string | undefined): boolean =>
	['jsonLines', 'csv', 'lines', 'jsonArray'].includes(source ?? '');

/** Says which values can occur together. A value that could have no effect is no choice. */
export function isDeleteAllowed(choice: Partial<DeleteChoice>): boolean {
	const {
		source,
		onError,
		fault,
		hits,
		invalid,
		blank,
		sameIds,
		output,
		known,
		concurrency,
		dryRun,
		chunkCount,
		keep,
		range,
		end,
		ignoreNotFound,
		commit,
		field,
	} = choice;
	const is = <T>(value: T | undefined, ...others: T[]) =>
		value === undefined || others.includes(value);
	const not = <T>(value: T | undefined, ...others: T[]) =>
		value === undefined || !others.includes(value);
	const sendsNothing = dryRun === 'yes' || (onError === 'stopWorkflow' && invalid === 'odd');
	const rules = [
		!sendsNothing || (is(fault, 'nothing') && is(known, 'any') && is(commit, 'serviceDefault')),
		not(fault, 'nothing') || is(hits, 'middle'),
		is(ignoreNotFound, 'no') || is(known, 'some') || is(fault, '404'),
		// A fault that lasts is repeated for some time. Meanwhile, others succeed before the run stops.
		not(fault, '503') || not(onError, 'stopWorkflow'),
		// What depends on the order of requests needs one request at a time.
		is(concurrency, '1') ||
			(is(fault, 'nothing', '400', '404', '501', 'page', 'rejects', 'complains') &&
				not(onError, 'stopWorkflow') &&
				is(known, 'any')),
		source === undefined || !isFile(source) || is(output, 'perDocument'),
		source === undefined || isFile(source) || (is(range, 'all') && is(end, 'whole')),
		is(output, 'perInputItem') || is(keep, 'none'),
		is(chunkCount, 'none') || is(source, 'item'),
		not(sameIds, 'hit') || (is(range, 'all') && not(end, 'cut') && is(chunkCount, 'none')),
		is(end, 'whole') || (is(range, 'all') && not(fault, '401', '302')),
		is(range, 'all') ||
			is(fault, 'nothing') ||
			(is(range, 'skip', 'max') && is(hits, 'middle', 'several')),
		not(end, 'cut') || not(source, 'lines'),
		is(range, 'all') || not(onError, 'stopWorkflow'),
		is(blank, 'none') || not(source, 'jsonArray'),
		is(field, 'default') || not(source, 'lines'),
		is(invalid, 'none') || not(source, 'csv'),
	];
	return rules.every(Boolean);
}

/** Returns what a run with this choice is given. */
export function deleteOf(choice: DeleteChoice): DeleteGiven {
	const { fault, hits, source, known, sameIds } = choice;
	const field = choice.field === 'other' ? 'sku' : source === 'list' ? 'ids' : 'id';
	const positions: number[] = { middle: [3], first: [0], last: [6], several: [1, 2, 4, 5] }[hits];
	const ids: unknown[] = ['a', 0, 'c/d?e#0', ' d ', 'é%,', 7, '="00123"'];
	for (const at of positions) if (fault !== 'nothing') ids[at] = `${at}hit`;
	if (sameIds === 'near') ids.splice(2, 0, 'a', 'a');
	if (sameIds === 'hit') ids.push(fault === 'nothing' ? 'a' : `${positions[0]}hit`);
	if (choice.invalid === 'odd') ids.splice(4, 0, 1.5, '..', '1E+12', ['x'], false);
	return {
		items: itemsOf(ids, field, choice),
		source: isFile(source) ? 'file' : (source as 'item'),
		field,
		onError: choice.onError,
		fault: (/^\d+$/.test(fault) ? Number(fault) : fault) as Fault,
		concurrency: Number(choice.concurrency),
		dryRun: choice.dryRun === 'yes',
		output: choice.output,
		keep: choice.keep === 'some' ? ['n', 'error', 'deleted', 'missing', 'id'] : [],
		skipRecords: { all: 0, skip: 3, max: 0, beyond: 50 }[choice.range],
		maxRecords: { all: 0, skip: 3, max: 4, beyond: 0 }[choice.range],
		chunkCount: choice.chunkCount === 'some' ? 'n' : '',
		commit: choice.commit,
		ignoreNotFound: choice.ignoreNotFound === 'yes',
		...(known === 'some' && { known: ['a', '0', '0hit', '3hit', '6hit', '7'] }),
	};
}

function itemsOf(ids: unknown[], field: string, { source, blank, end }: DeleteChoice): Item[] {
	const blanks = blank === 'two' ? [{}, { id: '', x: ' ' }] : [];
	if (source === 'item') {
		const items = ids.map((id, at) => ({
			[field]: id,
			n: [2, 0, 1, '', '1', 1, 2][at % 7],
			deleted: 5,
		}));
		return [...items.slice(0, 2), ...blanks, ...items.slice(2)].map((json) => ({
			json: json as Item['json'],
		}));
	}
	if (source === 'list') {
		const lists = [ids.slice(0, 4), [], ids.slice(4), 'x', [...ids.slice(0, 1), '', null]];
		return [...lists.map((list) => ({ [field]: list, n: 1 })), ...blanks].map((json) => ({
			json: json as Item['json'],
		}));
	}
	const isGzip = end === 'gzip';
	const shared = { isGzip, end: isGzip ? ('whole' as const) : end };
	const name = (extension: string) => `d.${extension}${isGzip ? '.gz' : ''}`;
	const rows = ids.map((id, at) => ({ value: at % 2 === 0 ? id : { [field]: id, x: 1 } }));
	const gaps: Row[] = blank === 'two' ? ['blank', 'blank'] : [];
	const between = <T>(list: T[]): Array<T | 'blank'> => [
		...list.slice(0, 2),
		...(gaps as never[]),
		...list.slice(2),
	];
	const text = ids.map(String);
	const files: Record<string, SourceFile> = {
		jsonLines: {
			...shared,
			name: name('jsonl'),
			format: 'jsonLines',
			rows: between<Row>([{ value: {} }, { value: '' }, ...rows]) as Row[],
		},
		jsonArray: {
			...shared,
			name: name('json'),
			format: 'jsonArray',
			rows: [...rows, { value: null }],
		},
		csv: {
			...shared,
			name: name('csv'),
			format: 'csv',
			header: [field, 'x', 'y'],
			rows: between<Row>(text.map((id) => ({ cells: [id, '', ''] }))) as Row[],
		},
		lines: {
			...shared,
			name: name('txt'),
			format: 'lines',
			rows: between<Row>(text.map((line) => ({ line }))) as Row[],
		},
	};
	return [{ json: {}, file: files[source] as SourceFile }];
}
