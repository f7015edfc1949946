/** Parse a File: the nodes that read the texts of downloaded files. */
import { isTrue } from './nodes';
import type { Fetch } from './sync';
import type { WorkflowNode } from './workflow';
import { code, node } from './workflow';

/** What Chunk Text does with texts of files: the pages of a PDF have neither headings nor blank lines. */
export const SENTENCES = { chunker: 'dynamic-sentence' };

/** Extensions of files that n8n can read. Other files are counted. */
export const EXTENSIONS = 'pdf, md, txt, html, htm, csv, xlsx';

/** Steps 3 to 5 in the notes of syncs of files. */
export const STEPS = `3. *Settings*: a run deletes at most *mostDeletes* documents, or *mostDeletesPercent* of all if that is more.
4. *Chunk Text*: select your credential and enter your model.
5. *Push Documents* and *Delete Document*: select your credential. Before you select a credential for another index, delete the rows of the data table. Otherwise, unchanged files are missing from that index.`;

/** The end of the notes. */
export const TRY_IT =
	'**Try it:** click *Execute workflow*. Then publish the workflow. It runs every night. To delete more files than *Settings* allows, start it once by its trigger *Delete What Is Missing*. **To be notified of failures**, choose the example **Tell Me** as *Error Workflow* in the settings.';

const X = 220;
const Y = 180;

const KINDS = ['pdf', 'text', 'xlsx', 'html'];

const CONTINUE = { onError: 'continueRegularOutput' };

const items = (name: string): string => `$('${name}').isExecuted ? $('${name}').all() : []`;
const data = (name: string): string =>
	`$('${name}').isExecuted ? $('${name}').all().map(({ json }) => json) : []`;

/** Defines an Extract from File node. */
const extract = (name: string, row: number, parameters: object): WorkflowNode =>
	node(name, 'extractFromFile', 1.1, [X * 5, Y * row], parameters, CONTINUE);

/**
 * Returns the nodes between Entries and Fetched for a source of files.
 *
 * @param download a node that downloads the file of each item. If this fails, its item contains `error`
 */
export function parseFiles(download: WorkflowNode): Fetch {
	const nodes = [
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
		extract('Read Text', 1, { operation: 'text', options: {} }),
		extract('Read XLSX', 2, { operation: 'xlsx', options: { headerRow: false } }),
		extract('Read HTML', 3, { operation: 'text', options: {} }),
		code('HTML to Text', 'html-texts', [X * 6, Y * 3], { files: items('Read HTML') }),
		node('All Read', 'merge', 3.2, [X * 7, 0], { numberInputs: KINDS.length + 1 }),
		code('Fetched', 'fetched-files', [X * 8, 0], {
			entries: data('Entries'),
			wanted: data('Is to Be Downloaded'),
			downloads: items('Download'),
			files: items('Files'),
			pdfs: items('Read PDF'),
			texts: items('Read Text'),
			htmls: items('HTML to Text'),
			rows: items('Read XLSX'),
		}),
	];
	const chains = [
		['Entries', 'Is to Be Downloaded', 'Download', 'Files', 'By Kind'],
		['Entries', 'All Read', 'Fetched'],
		['By Kind', 'Read PDF', '1|All Read'],
		['By Kind|1', 'Read Text', '2|All Read'],
		['By Kind|2', 'Read XLSX', '3|All Read'],
		['By Kind|3', 'Read HTML', 'HTML to Text', '4|All Read'],
	];
	const content =
		'## Fetch\nDownloads each new or changed file, and reads its text. For another source of files, replace only *Download*: one item per file, with the file in the field `data`.';
	return { content, nodes, chains, batchSize: 25 };
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
