/** The runs of Chunk Text that are compared with their predictions. */
import type { IDataObject } from 'n8n-workflow';

import type { ChunkGiven, JobFault } from './texts';
import type { Row, SourceFile } from './files';
import type { Fault, Item } from './model';
import type { Choice } from './runs';

export const CHUNK = {
	operation: ['submitAndWait', 'submit', 'getResults'],
	source: ['item', 'jsonLines', 'textFile', 'csv', 'jsonArray'],
	output: ['documents', 'perDocument', 'chunks'],
	onError: ['continueRegularOutput', 'stopWorkflow', 'continueErrorOutput'],
	fault: [
		...['nothing', '400', '401', '403', '413', '404', '422', '501', '302', '503'],
		...['once 429', 'once 500', 'once lost', 'page'],
	],
	jobFault: [
		...['nothing', 'ERROR', 'ERROR once', 'never', 'lost', 'lost once', 'delivered'],
		...['mismatch', 'cut', 'page', 'no vectors', '400', '401', '403', '501', '302', '500'],
		...['once 429', 'once 500'],
	],
	hits: ['middle', 'first', 'last', 'several'],
	invalid: ['none', 'no text', 'no name', 'odd'],
	blank: ['none', 'two'],
	sameIds: ['none', 'two'],
	pages: ['none', 'some', 'cut'],
	perRequest: ['10', '1', '2', '3'],
	bytes: ['1000000', '1000'],
	concurrency: ['1', '8'],
	chunker: ['lines', 'whole'],
	quantization: ['none', 'max-scale', 'min-max'],
	vectors: ['compact', 'list', 'none'],
	to: ['items', 'files'],
	details: ['no', 'yes'],
	keep: ['unset', 'all', 'none', 'listed'],
	more: ['none', 'some'],
	previous: ['0', '3'],
	maxChunks: ['all', '2'],
	names: ['default', 'other'],
	range: ['all', 'skip', 'max', 'beyond'],
	end: ['whole', 'cut', 'gzip'],
	wait: ['no', 'yes'],
	late: ['fail', 'output'],
} as const;

export type ChunkChoice = Choice<typeof CHUNK>;

const isFile = (source: string | undefined): boolean =>
	['jsonLines', 'csv', 'jsonArray'].includes(source ?? '');

/** Says which values can occur together. A value that could have no effect is no choice. */
export function isChunkAllowed(choice: Partial<ChunkChoice>): boolean {
	const { operation, source, output, onError, fault, jobFault, hits, invalid, blank } = choice;
	const { sameIds, pages, perRequest, bytes, concurrency, chunker } = choice;
	const { vectors, to, details, keep, more, previous, maxChunks, names, range, end } = choice;
	const { wait, late } = choice;
	const is = <T>(value: T | undefined, ...others: T[]) =>
		value === undefined || others.includes(value);
	const not = <T>(value: T | undefined, ...others: T[]) =>
		value === undefined || !others.includes(value);
	const isNoFile = source !== undefined && !isFile(source);
	const isOfFile = source !== undefined && isFile(source);
	const isSound = is(fault, 'nothing') && is(jobFault, 'nothing');
	const isOnce = jobFault?.endsWith('once') === true || jobFault?.startsWith('once') === true;
	const sendsNothing =
		onError === 'stopWorkflow' && not(invalid, 'none') && invalid !== undefined;
	const rules = [
		// Submit returns no chunks.
		not(operation, 'submit') ||
			(is(jobFault, 'nothing') &&
				is(output, 'documents') &&
				is(vectors, 'compact') &&
				is(to, 'items') &&
				is(details, 'no') &&
				is(more, 'none') &&
				is(chunker, 'lines') &&
				is(maxChunks, 'all')),
		// Get Results reads the items of a Submit that went well.
		not(operation, 'getResults') ||
			(is(fault, 'nothing') &&
				is(invalid, 'none', 'no name') &&
				is(blank, 'none') &&
				is(end, 'whole') &&
				is(range, 'all')),
		not(operation, 'getResults') || not(source, 'textFile') || is(output, 'chunks'),
		not(operation, 'getResults') || !isOfFile || is(keep, 'unset'),
		not(operation, 'getResults') || !isOfFile || is(invalid, 'none'),
		is(operation, 'submitAndWait') || (is(previous, '0') && not(pages, 'cut')),
		// Submit from items needs no names.
		not(operation, 'submit') || !isNoFile || not(invalid, 'no name'),
		is(operation, 'getResults') || is(wait, 'no'),
		// A status that lasts is repeated for a long time, if nothing else ends the wait.
		not(operation, 'getResults') ||
			not(jobFault, '500', 'cut', 'page', 'lost', 'lost once') ||
			is(wait, 'yes'),
		is(wait, 'no') ||
			is(
				jobFault,
				'never',
				'500',
				'once 500',
				'once 429',
				'cut',
				'page',
				'lost',
				'lost once',
			),
		// Faults
		is(fault, 'nothing') || is(jobFault, 'nothing'),
		is(hits, 'middle') || not(fault, 'nothing') || not(jobFault, 'nothing'),
		!sendsNothing || isSound,
		// Which of several failures stops a run depends on time, and so do three polls in a row.
		not(hits, 'several') ||
			((not(onError, 'stopWorkflow') || is(jobFault, 'nothing')) &&
				!isOnce &&
				not(jobFault, '403') &&
				(not(fault, '403') || is(perRequest, '1'))),
		not(fault, '503') ||
			(not(onError, 'stopWorkflow') && is(details, 'no') && not(operation, 'submit')),
		is(concurrency, '1') ||
			(is(fault, 'nothing', '400', '422', '404', '501', 'page') &&
				not(onError, 'stopWorkflow')),
		is(late, 'fail') ||
			(is(jobFault, 'never', '500') &&
				not(output, 'perDocument') &&
				((operation === 'getResults' && is(wait, 'yes')) || !isOfFile) &&
				(not(operation, 'getResults') || is(wait, 'yes'))),
		// Each kind of value needs a place for it.
		!isOfFile ||
			not(operation, 'submitAndWait') ||
			(is(output, 'documents', 'chunks') && is(previous, '0')),
		not(source, 'textFile') ||
			(is(pages, 'none') &&
				is(sameIds, 'none') &&
				is(invalid, 'none', 'no text') &&
				is(blank, 'none')),
		not(source, 'csv') || (is(pages, 'none') && not(invalid, 'odd')),
		not(source, 'jsonArray') || is(blank, 'none'),
		isOfFile ||
			source === undefined ||
			(is(range, 'all') && is(end, 'whole') && is(names, 'default')),
		is(end, 'whole') || is(range, 'all'),
		is(range, 'all') || (not(onError, 'stopWorkflow') && isSound),
		not(pages, 'cut') || is(bytes, '1000'),
		// Nothing depends on what is not returned.
		not(to, 'files') || (is(vectors, 'compact', 'none') && not(output, 'perDocument')),
		is(previous, '0') || is(output, 'documents', 'perDocument'),
		is(more, 'none') || (not(output, 'chunks') && !isOfFile),
		not(jobFault, 'no vectors') || is(vectors, 'compact', 'list'),
		not(output, 'chunks') || is(invalid, 'none', 'no text', 'odd'),
		is(maxChunks, 'all') ||
			(isSound &&
				is(perRequest, '10', '3') &&
				is(invalid, 'none') &&
				is(chunker, 'lines') &&
				is(bytes, '1000000')),
		not(keep, 'none') || ((is(operation, 'submit') || is(late, 'output')) && !isOfFile),
		not(operation, 'getResults') ||
			not(invalid, 'no name') ||
			not(onError, 'continueErrorOutput'),
	];
	return rules.every(Boolean);
}

/** Returns what a run with this choice is given. */
export function chunkOf(choice: ChunkChoice): ChunkGiven {
	const { source, fault, jobFault, keep, names, bytes, chunker } = choice;
	const records = recordsOf(choice);
	return {
		items: itemsOf(records, choice),
		operation: choice.operation,
		source: isFile(source) ? 'file' : (source as 'item'),
		output: choice.output,
		onError: choice.onError,
		fault: (/^\d+$/.test(fault) ? Number(fault) : fault) as Fault,
		jobFault: (/^\d+$/.test(jobFault) ? Number(jobFault) : jobFault) as JobFault,
		concurrency: Number(choice.concurrency),
		toFiles: choice.to === 'files',
		vectors: choice.vectors,
		details: choice.details === 'yes',
		keep: keep === 'listed' ? ['price', 'vector', 'id', 'body', 'missing'] : keep,
		fields: NAMES[names],
		documentFields: choice.more === 'some' ? { shelf: 7, price: 9 } : {},
		previousChunkCount: Number(choice.previous),
		chunker,
		quantization: choice.quantization,
		textsPerRequest: Number(choice.perRequest),
		bytesPerRequest: Number(bytes),
		maxChunks: choice.maxChunks === 'all' ? Infinity : Number(choice.maxChunks),
		wait: choice.wait === 'yes',
		whenTimeRunsOut: choice.late,
		skipRecords: { all: 0, skip: 3, max: 0, beyond: 50 }[choice.range],
		maxRecords: { all: 0, skip: 4, max: 5, beyond: 0 }[choice.range],
	};
}

const NAMES = {
	default: { text: 'text', id: 'id', name: 'name', description: 'description', url: 'url' },
	other: { text: 'body', id: 'sku', name: 'title', description: 'summary', url: 'link' },
};

/** Eight texts with everyday and odd values. */
function recordsOf(choice: ChunkChoice): IDataObject[] {
	const { fault, jobFault, hits, invalid, pages, sameIds, bytes } = choice;
	const records: IDataObject[] = [
		{ id: 'a', name: 'A', text: 'One line', price: 0, description: 'About a' },
		{ id: 0, name: 'Zero', text: 'First of two\n\nSecond of two', url: 'http://x' },
		{ id: 'c/d', name: 'Ö', text: ' Smiles \u{1F600} here \n and there ', vector: [9] },
		{ id: 'd', name: 'D', text: 'nothing here', ok: false },
		{ id: 'e', name: 'E', text: 'Long enough', description: '', url: '' },
		{ id: '="007"', name: 'F', text: 'Line 1\nLine 2\nLine 3 is long enough', chunkIndex: 5 },
		{ id: 7, name: 'G', text: 'Tabs\tand more' },
		{ id: 'h', name: 'H', text: 'The last one', none: null },
	];
	const positions: number[] = { middle: [4], first: [0], last: [7], several: [1, 2, 5] }[hits];
	if (fault !== 'nothing' || jobFault !== 'nothing')
		for (const at of positions)
			records[at] = { ...records[at], text: `${String(records[at]?.text)} hit` };
	if (pages !== 'none') {
		records[2] = {
			...records[2],
			text: ['Page 1 is first', 'Page 2\nhas two lines', '', 'Page 4'],
		};
		records[6] = { ...records[6], text: ['One page only'] };
		if (pages === 'cut')
			records[2] = {
				...records[2],
				text: ['p1', 'p2', 'p3', 'p4'].map((page) => `${page}\n${page.repeat(200)}`),
			};
	}
	if (bytes === '1000') {
		records[1] = { ...records[1], text: `Long\n${'z'.repeat(500)}` };
		records[3] = { ...records[3], text: `Too long ${'x'.repeat(1000)}` };
	}
	if (invalid === 'no text')
		records.splice(
			5,
			1,
			{ id: 'n', name: 'N' },
			{ id: 'b', name: 'B', text: ' ' },
			{ id: 'm', name: 'M', text: '' },
		);
	if (invalid === 'no name')
		records.splice(5, 1, { id: 'n', text: 'A text' }, { id: ' ', name: 'x', text: 'B text' });
	if (invalid === 'odd')
		records.splice(
			5,
			1,
			{ id: 'n', name: 'N', text: 5 },
			{ id: 1.5, name: 'B', text: 'odd' },
			{ id: 'o', name: ['y'], text: 'odd' },
			{ id: 'p', name: 'P', text: false },
		);
	if (sameIds === 'two') records.push({ id: 'a', name: 'Again', text: 'Again a' });
	return records;
}

function itemsOf(records: IDataObject[], choice: ChunkChoice): Item[] {
	const { source, names, blank, end } = choice;
	if (source === 'item') {
		const blanks: IDataObject[] = blank === 'two' ? [{}, { id: '', text: '', name: null }] : [];
		return [...records.slice(0, 4), ...blanks, ...records.slice(4)].map((json) => ({
			json: structuredClone(json),
		}));
	}
	if (source === 'textFile')
		return records.map(({ id, text }) => ({
			json: { x: 1, price: 3 },
			file: {
				name: `${String(id).replace(/\W/g, '_')}.md`,
				format: 'text' as const,
				rows: [],
				text: typeof text === 'string' ? text : '<!doctype html><p>x',
			},
		}));
	const isGzip = end === 'gzip';
	const shared = { isGzip, end: isGzip ? ('whole' as const) : end };
	const gaps: Row[] = blank === 'two' ? ['blank', 'blank'] : [];
	const renamed = records.map((record) => rename(record, names));
	const name = (extension: string) => `d.${extension}${isGzip ? '.gz' : ''}`;
	const file = (): SourceFile => {
		if (source === 'jsonArray')
			return {
				...shared,
				name: name('json'),
				format: 'jsonArray',
				rows: renamed.map((value) => ({ value })),
			};
		if (source === 'jsonLines') {
			const rows = renamed.map((value) => ({ value }));
			return {
				...shared,
				name: name('jsonl'),
				format: 'jsonLines',
				rows: [...rows.slice(0, 2), ...gaps, ...rows.slice(2)],
			};
		}
		const header = [...new Set(renamed.flatMap((record) => Object.keys(record)))];
		const rows = renamed.map((record) => ({
			cells: header.map((column) => cellOf(record[column])),
		}));
		return {
			...shared,
			name: name('csv'),
			format: 'csv',
			header,
			rows: [...rows.slice(0, 2), ...gaps, ...rows.slice(2)],
		};
	};
	return [{ json: {}, file: file() }];
}

const rename = (
	{ id, name, text, description, url, ...others }: IDataObject,
	names: ChunkChoice['names'],
): IDataObject =>
	JSON.parse(
		JSON.stringify(
			names === 'default'
				? { id, name, text, description, url, ...others }
				: { sku: id, title: name, body: text, summary: description, link: url, ...others },
		),
	) as IDataObject;

const cellOf = (value: unknown): string =>
	value === undefined || value === null
		? ''
		: typeof value === 'string'
			? value
			: JSON.stringify(value);
