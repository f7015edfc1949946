/** Parse a File: the nodes that read the texts of downloaded files. */
import { isTrue } from './nodes';
import type { Fetch } from './sync';
import { AFTERWARDS, BATCH, DELETE } from './sync';
import type { WorkflowNode } from './workflow';
import { code, node, X } from './workflow';

/** Extensions of files that n8n can read. Other files are counted. */
export const EXTENSIONS = 'pdf, docx, pptx, xlsx, md, txt, html, htm, csv';

/** What protects the index, in the notes of syncs of files. */
export const PROTECTION = `## What protects your index
- **A run deletes at most** *mostDeletes* files, or *mostDeletesPercent* of all if that is more. If more are missing, none is deleted. To approve the deletes, start *${DELETE}* once.
- **What cannot be read stays as it is in the index**, and the run names it and fails: files that are encrypted, damaged, or scans without text.
- **Another index?** Before you select its credential, delete the rows of the data table **Synced Documents**. Otherwise, unchanged files are missing from that index.
${AFTERWARDS}`;

const Y = 180;

const KINDS = ['pdf', 'text', 'office', 'html'];

/** In n8n's Code node, `this` reads the files of the items that the node receives. */
const READ = 'async (item, field) => await this.helpers.getBinaryDataBuffer(item, field)';

const CONTINUE = { onError: 'continueRegularOutput' };

const items = (name: string): string => `$('${name}').isExecuted ? $('${name}').all() : []`;
const data = (name: string): string =>
	`$('${name}').isExecuted ? $('${name}').all().map(({ json }) => json) : []`;

/** Defines an Extract from File node. */
const extract = (name: string, row: number, parameters: object): WorkflowNode =>
	node(name, 'extractFromFile', 1.1, [X * 5, Y * row], parameters, CONTINUE);

/** Defines a node that reads the unpacked Office files of one format. */
const office = (name: string, file: string, row: number): WorkflowNode =>
	code(
		name,
		file,
		[X * 7, Y * row],
		{
			files: "$('Check Archives').all()",
			unpacked: '$input.all()',
			read: READ,
		},
		CONTINUE,
	);

/**
 * Returns the nodes between Entries and Fetched for a source of files.
 *
 * @param download a node that downloads the file of each item. If this fails, its item contains `error`
 * @param ask a node that asks for files that are missing from the list by their IDs
 */
export function parseFiles(download: WorkflowNode, ask?: WorkflowNode): Fetch {
	const asking = ask && [
		node('Is Missing', 'filter', 2.2, [X, Y * 3], isTrue('={{ $json.isMissing }}')),
		{ ...ask, position: [X * 2, Y * 3] as [number, number], ...CONTINUE },
	];
	const nodes = [
		...(asking ?? []),
		node(
			'Is to Be Downloaded',
			'filter',
			2.2,
			[X, 0],
			isTrue('={{ !$json.isMissing && !$json.problem }}'),
		),
		{ ...download, position: [X * 2, 0] as [number, number], ...CONTINUE },
		code('Files', 'kinds', [X * 3, 0], {
			entries: data('Is to Be Downloaded'),
			downloads: "$('Download').all()",
		}),
		node('By Kind', 'switch', 3.2, [X * 4, 0], { rules: { values: KINDS.map(rule) } }),
		// Max Pages is left out, because its default 0 returns no text at all.
		extract('Read PDF', 0, { operation: 'pdf', options: { joinPages: false } }),
		// n8n would guess the encoding. Fetched and HTML to Text decode the bytes.
		extract('Read Text', 1, { operation: 'binaryToPropery', options: {} }),
		code(
			'Check Archives',
			'office-archives',
			[X * 5, Y * 2],
			{
				files: '$input.all()',
				read: READ,
				mostMegabytes: `${BATCH}.settings.mostMegabytes`,
			},
			CONTINUE,
		),
		node(
			'Unpack',
			'compression',
			1.1,
			[X * 6, Y * 2],
			{ operation: 'decompress', binaryPropertyName: 'data', outputPrefix: 'file_' },
			CONTINUE,
		),
		office('Read Word', 'docx', 2),
		office('Read Workbooks', 'xlsx', 3),
		office('Read Slides', 'pptx', 4),
		extract('Read HTML', 5, { operation: 'binaryToPropery', options: {} }),
		code('HTML to Text', 'html-texts', [X * 6, Y * 5], {
			files: items('Read HTML'),
			settings: `${BATCH}.settings`,
		}),
		node('All Read', 'merge', 3.2, [X * 9, 0], { numberInputs: ask ? 8 : 7 }),
		code('Fetched', 'fetched-files', [X * 10, 0], {
			entries: data('Entries'),
			wanted: data('Is to Be Downloaded'),
			downloads: items('Download'),
			files: items('Files'),
			pdfs: items('Read PDF'),
			texts: items('Read Text'),
			htmls: items('HTML to Text'),
			words: items('Read Word'),
			workbooks: items('Read Workbooks'),
			slides: items('Read Slides'),
			asked: ask ? items(ask.name) : 'null',
			folder: ask ? `${BATCH}.settings.folder` : "''",
			titleAsName: `${BATCH}.settings.titleAsName`,
		}),
	];
	const chains = [
		['Entries', 'Is to Be Downloaded', 'Download', 'Files', 'By Kind'],
		['Entries', 'All Read', 'Fetched'],
		...(ask ? [['Entries', 'Is Missing', ask.name, '7|All Read']] : []),
		['By Kind', 'Read PDF', '1|All Read'],
		['By Kind|1', 'Read Text', '2|All Read'],
		['By Kind|2', 'Check Archives', 'Unpack', 'Read Word', '3|All Read'],
		['Unpack', 'Read Workbooks', '4|All Read'],
		['Unpack', 'Read Slides', '5|All Read'],
		['By Kind|3', 'Read HTML', 'HTML to Text', '6|All Read'],
	];
	const group = {
		name: 'Read the Files',
		description:
			'Downloads and reads new and changed files. Your credential of the source is in Download. For another source, replace only Download.',
	};
	return { group, nodes, chains, asksForMissing: ask !== undefined, batchSize: 10 };
}

const rule = (kind: string) => ({
	conditions: {
		options: { caseSensitive: true, leftValue: '', typeValidation: 'strict', version: 2 },
		conditions: [
			{
				...{ id: kind, leftValue: '={{ $json.kind }}', rightValue: kind },
				operator: { type: 'string', operation: 'equals' },
			},
		],
		combinator: 'and',
	},
	...{ renameOutput: true, outputKey: kind },
});
