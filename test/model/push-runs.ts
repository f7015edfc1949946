/** The runs of Push Documents that are compared with their predictions. */
import type { IDataObject } from 'n8n-workflow';

import type { Row, SourceFile } from './files';
import type { Fault, Item, OnError } from './model';
import type { PushGiven } from './push';
import type { Choice } from './runs';

export const PUSH = {
	source: ['wholeItem', 'jsonLines', 'fields', 'json', 'csv', 'jsonArray', 'textFile'],
	onError: ['continueRegularOutput', 'stopWorkflow', 'continueErrorOutput'],
	fault: [
		...['nothing', '400', '401', '403', '404', '413', '422', '501', '302', '503'],
		...['once 429', 'once 500', 'once lost', 'page', 'rejects', 'complains'],
	],
	/** The positions of the documents that the fault strikes. */
	hits: ['middle', 'first', 'last', 'several'],
	invalid: ['none', 'no name', 'odd', 'not an object'],
	blank: ['none', 'two'],
	sameIds: ['none', 'near', 'far', 'hit'],
	output: ['perDocument', 'perInputItem', 'summary'],
	perRequest: ['500', '1', '2', '3'],
	bytes: ['5000000', '100', '200'],
	bodyLimit: ['5000000', '90'],
	concurrency: ['1', '4'],
	dryRun: ['no', 'yes'],
	names: ['default', 'other', 'nested'],
	leaveOut: ['nothing', 'excluded', 'empty'],
	keep: ['none', 'some'],
	response: ['empty', 'count', 'perDocument', 'text'],
	range: ['all', 'skip', 'max', 'beyond'],
	end: ['whole', 'cut', 'open', 'gzip'],
	more: ['none', 'others', 'additional'],
} as const;

export type PushChoice = Choice<typeof PUSH>;

const isFile = (source: string | undefined): boolean =>
	['jsonLines', 'csv', 'jsonArray'].includes(source ?? '');
/** Faults that are the same for each order of the requests. */
const ANY_ORDER = ['nothing', '400', '422', '404', '501', 'page', 'rejects', 'complains'];

/** Says which values can occur together. A value that could have no effect is no choice. */
export function isPushAllowed(choice: Partial<PushChoice>): boolean {
	const { source, onError, fault, hits, invalid, blank, sameIds, output, concurrency, dryRun } =
		choice;
	const { names, keep, response, range, end, more, bytes, bodyLimit, perRequest, leaveOut } =
		choice;
	const is = <T>(value: T | undefined, ...others: T[]) =>
		value === undefined || others.includes(value);
	const not = <T>(value: T | undefined, ...others: T[]) =>
		value === undefined || !others.includes(value);
	const rules = [
		// Nothing is sent in a dry run.
		is(dryRun, 'no') ||
			(is(fault, 'nothing') && is(response, 'empty') && is(bodyLimit, '5000000')),
		not(fault, 'nothing') || is(hits, 'middle'),
		// Nothing is sent if the check of the items fails.
		not(onError, 'stopWorkflow') ||
			is(invalid, 'none') ||
			(is(fault, 'nothing') && is(response, 'empty') && is(bodyLimit, '5000000')),
		// Open: which documents of split batches count for the end of a run.
		is(hits, 'middle', 'first', 'last') || not(fault, '403') || is(perRequest, '1'),
		// A fault that lasts is repeated for some time. Meanwhile, others succeed before the run stops.
		not(fault, '503') || not(onError, 'stopWorkflow'),
		// What depends on the order of requests needs one request at a time.
		is(concurrency, '1') ||
			(is(fault, ...ANY_ORDER) && not(onError, 'stopWorkflow') && is(bodyLimit, '5000000')),
		is(bodyLimit, '5000000') ||
			(is(bytes, '5000000') && is(fault, 'nothing') && is(perRequest, '500', '3')),
		// A file has its own form of output, and its records have positions.
		source === undefined ||
			!isFile(source) ||
			(is(output, 'perDocument') && is(response, 'empty')),
		source === undefined || isFile(source) || (is(range, 'all') && is(end, 'whole')),
		is(perRequest, '500', '1') || not(bytes, '100'),
		not(perRequest, '3') || is(bytes, '5000000'),
		is(perRequest, '500') || not(onError, 'stopWorkflow') || is(invalid, 'none'),
		is(output, 'perInputItem') || is(keep, 'none'),
		is(output, 'perDocument') || is(response, 'empty'),
		is(end, 'whole', 'cut', 'gzip') || is(source, 'csv'),
		is(end, 'whole') || is(range, 'all'),
		is(range, 'all') || not(onError, 'stopWorkflow'),
		// Each kind of value needs a place for it.
		is(names, 'default') || not(source, 'json', 'textFile'),
		not(names, 'nested') || not(source, 'csv'),
		is(more, 'none') || is(source, 'fields', 'textFile'),
		not(more, 'others') || is(source, 'fields'),
		not(invalid, 'not an object') || is(source, 'json', 'jsonLines', 'jsonArray', 'textFile'),
		not(invalid, 'no name', 'odd') || not(source, 'textFile'),
		is(blank, 'none') || not(source, 'textFile', 'jsonArray'),
		is(sameIds, 'none') || not(source, 'textFile'),
		is(leaveOut, 'nothing') || not(source, 'textFile', 'fields'),
	];
	return rules.every(Boolean);
}

const NAMES = {
	default: { id: 'id', name: 'name', description: 'description', url: 'url' },
	other: { id: 'sku', name: 'title', description: 'summary', url: 'link' },
	nested: { id: 'meta.sku', name: 'meta.title', description: 'meta.summary', url: 'meta.link' },
};

/** Returns what a run with this choice is given. */
export function pushOf(choice: PushChoice): PushGiven {
	const { source, fault, hits, bytes, names, more } = choice;
	const records = recordsOf(choice);
	const isHit = (at: number) =>
		({ middle: [4], first: [0], last: [8], several: [2, 3, 5, 7] })[hits].includes(at) &&
		fault !== 'nothing';
	const named = records.map((record, at) =>
		isHit(at) && record.id !== undefined
			? { ...record, id: idOfHit(at, choice), name: 'struck' }
			: record,
	);
	const all = withSameIds(named, choice);
	return {
		items: itemsOf(all, choice),
		source: isFile(source) ? 'file' : (source as 'json'),
		onError: choice.onError as OnError,
		fault: (/^\d+$/.test(fault) ? Number(fault) : fault) as Fault,
		concurrency: Number(choice.concurrency),
		dryRun: choice.dryRun === 'yes',
		output: choice.output,
		keep:
			choice.keep === 'some'
				? ['sku', 'price', 'documents', 'error', 'pushed', 'missing', 'id']
				: [],
		skipRecords: { all: 0, skip: 3, max: 0, beyond: 50 }[choice.range],
		maxRecords: { all: 0, skip: 4, max: 5, beyond: 0 }[choice.range],
		fields: source === 'fields' ? { ...NAMES[names], url: '' } : NAMES[names],
		text: source === 'fields' ? 'text' : '',
		includeOtherFields: more === 'others',
		additionalFields: more === 'additional' ? { shelf: '7', extra: '' } : {},
		excludeFields: choice.leaveOut === 'excluded' ? ['price', 'id', 'sku', 'missing'] : [],
		dropEmpty: choice.leaveOut === 'empty',
		documentsPerRequest: Number(choice.perRequest),
		bytesPerRequest: Number(bytes),
		response: choice.response,
		bodyLimit: Number(choice.bodyLimit),
	};
}

const idOfHit = (at: number, { fault }: PushChoice): string =>
	fault === 'rejects' ? 'hit' : `hit${at}`;

/** Nine documents with everyday and odd values. Before the fifth, some are good. */
function recordsOf({ invalid, bytes }: PushChoice): IDataObject[] {
	const records: IDataObject[] = [
		{ id: 'a', name: 'Apple', price: 0 },
		{ id: 0, name: 'Zero', price: '' },
		{ id: 'c/d?e#0', name: 'Ö', ok: false },
		{ id: ' d ', name: ' ', tags: [], more: {}, url: 'http://x' },
		{ id: 'e', name: 0, text: 'Long enough', description: 'About e' },
		{ id: '="00123"', name: 'F', text: 0, none: null },
		{ id: 7, name: 'G', price: 1.5 },
		{ id: 'é', name: 'H', text: '' },
		{ id: 'i', name: 'I', description: '', url: '' },
	];
	if (bytes === '100') records.splice(6, 1, { id: 'large', name: 'G', text: 'x'.repeat(200) });
	if (bytes === '200') records[3] = { ...records[3], text: 'y'.repeat(90) };
	if (invalid === 'no name') records.splice(5, 2, { id: 'nameless' }, { id: 'i', name: '' });
	if (invalid === 'odd')
		records.splice(
			5,
			3,
			{ id: 1.5, name: 'x' },
			{ id: '4.00638E+12', name: 'x' },
			{ id: 'x', name: ['y'] },
		);
	return records;
}

function withSameIds(records: IDataObject[], { sameIds, fault }: PushChoice): IDataObject[] {
	const again = { name: 'Again' };
	if (sameIds === 'near')
		return [
			...records.slice(0, 2),
			{ ...again, id: 'a' },
			{ ...again, id: 'a', price: 2 },
			...records.slice(2),
		];
	if (sameIds === 'far') return [...records, { ...again, id: 'a' }, { ...again, id: '0' }];
	const hit = records.find(({ id }) => String(id).startsWith('hit'));
	if (sameIds === 'hit')
		return [...records, { ...again, id: fault === 'nothing' ? 'c/d?e#0' : (hit?.id ?? 'a') }];
	return records;
}

function itemsOf(records: IDataObject[], choice: PushChoice): Item[] {
	const { source, names, blank, invalid } = choice;
	const renamed = records.map((record) => rename(record, names));
	const blanks: IDataObject[] = blank === 'two' ? [{}, { id: '', name: null, x: ' ' }] : [];
	if (source === 'wholeItem' || source === 'fields')
		return [...renamed.slice(0, 4), ...blanks, ...renamed.slice(4)].map((json) => ({
			json: structuredClone(json),
		}));
	const odd: unknown[] = invalid === 'not an object' ? [5, null, 'x', ['y']] : [];
	if (source === 'json') {
		const lists: unknown[] = [
			[...renamed.slice(0, 3), ...odd],
			renamed[3],
			[],
			JSON.stringify(renamed.slice(4, 6)),
			renamed.slice(6),
			...(odd.length > 0 ? ['no JSON'] : []),
		];
		const items = lists.map((documents, at) => ({
			json: { documents: structuredClone(documents) as never, sku: at, price: 0 },
		}));
		return [
			...items,
			...(blanks.length > 0 ? [{ json: {} }, { json: { documents: ' ' } }] : []),
		];
	}
	if (source === 'textFile') return textFiles(records, invalid === 'not an object');
	const values = [...renamed.slice(0, 5), ...odd, ...renamed.slice(5)];
	return [{ json: {}, file: fileOf(values, choice) }];
}

function rename(
	{ id, name, description, url, ...others }: IDataObject,
	names: PushChoice['names'],
): IDataObject {
	if (names === 'default') return { id, name, description, url, ...others } as IDataObject;
	const renamed = { sku: id, title: name, summary: description, link: url };
	return (
		names === 'other' ? { ...renamed, ...others } : { meta: renamed, ...others }
	) as IDataObject;
}

function textFiles(records: IDataObject[], isOdd: boolean): Item[] {
	const odd = isOdd ? ['', '<!DOCTYPE html><p>x', 'a\0b', undefined] : [];
	const texts = [
		...records.map(({ id, text }) => [
			String(id).replace(/\W/g, '_'),
			`${String(text)} ${String(id)}`,
		]),
		...odd.map((text, at) => [`odd${at}`, text]),
	];
	return texts.map(([id, text]) => ({
		json: { x: 1 },
		...(text !== undefined && {
			file: { name: `${id}.md`, format: 'text' as const, rows: [], text },
		}),
	}));
}

function fileOf(
	values: unknown[],
	{ source, blank, end, leaveOut, invalid }: PushChoice,
): SourceFile {
	const plain = JSON.parse(JSON.stringify(values)) as unknown[];
	const isGzip = end === 'gzip';
	const shared = { isGzip, end: end === 'gzip' ? ('whole' as const) : end };
	const blanks: Row[] = blank === 'two' ? ['blank', 'blank'] : [];
	const rows: Row[] = plain.map((value) => ({ value }));
	const name = (extension: string) => `d.${extension}${isGzip ? '.gz' : ''}`;
	if (source === 'jsonArray') {
		return {
			...shared,
			name: name('json'),
			format: 'jsonArray',
			rows,
			...(leaveOut === 'empty' && { listPath: 'data.list' }),
		};
	}
	if (source === 'jsonLines')
		return {
			...shared,
			name: name('jsonl'),
			format: 'jsonLines',
			rows: [
				...rows.slice(0, 2),
				...blanks,
				...(invalid === 'none' ? [] : [{ line: '{"id": oops' }]),
				...rows.slice(2),
			],
		};
	const header = [...new Set((plain as IDataObject[]).flatMap((value) => Object.keys(value)))];
	const cells = (plain as IDataObject[]).map((value) =>
		header.map((column) => cellOf(value[column])),
	);
	const table: Row[] = cells.map((row) => ({ cells: row }));
	const tooMany: Row = { cells: [...(cells[0] ?? []), 'one more'] };
	const tooFew: Row = { cells: ['short', 'Few cells'] };
	return {
		...shared,
		name: name('csv'),
		format: 'csv',
		header,
		...(leaveOut === 'nothing' && { jsonColumns: ['price', 'ok'] }),
		rows: [
			...table.slice(0, 2),
			...blanks,
			...(invalid === 'none' ? [] : [tooMany]),
			...table.slice(2),
			...(invalid === 'none' ? [] : [tooFew, ...table.slice(-1)]),
		],
	};
}

const cellOf = (value: unknown): string =>
	value === undefined || value === null
		? ''
		: typeof value === 'string'
			? value
			: JSON.stringify(value);
