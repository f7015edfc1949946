/**
 * Tests every expression of the examples that decides something: the conditions of If, Filter and Switch, and each
 * expression with `?`, `&&`, `||` or `??`. They are listed from the built examples. An expression without rows fails,
 * and so do rows that leave an outcome untested: each branch is replaced by the other one, each condition is left out,
 * and at least one row has to notice it.
 *
 * To add rows, add the expression to `DECISIONS`. The message of the failed test says which one is missing.
 */
import { readdirSync } from 'node:fs';
import path from 'node:path';

import { executeFilter, type FilterValue } from 'n8n-workflow';
import ts from 'typescript';

import { ROOT } from '../../../support/manifest';
import { evaluate, nodesOf, type Scope } from './support/expressions';

/** What the expression can read, and its value. */
type Row = readonly [Scope, unknown];

const json = ($json: unknown, more: Scope = {}): Scope => ({ $json, ...more });

/** Rows for a condition: the JSON for which it is true, and the JSON for which it is false. */
const trueFor = (good: unknown[], bad: unknown[]): Row[] => [
	...good.map((each): Row => [json(each), true]),
	...bad.map((each): Row => [json(each), false]),
];

/** Rows for a setting that a caller may send to the webhook. */
const sent = (name: string, standard: unknown): Row[] => [
	[{ outputs: { 'File Arrives': [{ body: {} }] } }, standard],
	[{ outputs: { 'File Arrives': [{ body: { [name]: 7 } }] } }, 7],
];

const calledWith = (run: number) => ({ 'When Called by Itself': [{ run }] });

const LIST_OF_API = {
	...{ site: 'https://a.example', path: '/list', list: 'data.items', next: 'links.next' },
	...{ page: '', firstPage: 0, pages: 'meta.pages' },
};
const BY_PAGE = { ...LIST_OF_API, page: '?page=', firstPage: 1 };
const after = (list: object, $response: unknown, $pageCount = 1): Scope => ({
	outputs: { 'Where the List Is': [list] },
	variables: { $response, $pageCount },
});

/** The row of a batch whose documents have all failed because of the service. */
const lost = (failed: number) => ({ failed, error: 'No request succeeded: status 503.' });

const afterBatches = (rows: readonly object[] | undefined): Scope => ({
	contexts: { 'Loop Over Batches': { processedItems: rows?.map((each) => ({ json: each })) } },
});

const AN_END = { status: 500, error: 'E' };
const A_PLAN = { status: 200, error: '' };

const PREPARED = {
	outputs: {
		'Prepare the Query': [{ query: 'Q', settings: 'S', pushAgain: '["a"]', ignored: '[]' }],
	},
};

const DECISIONS: Record<string, Row[]> = {
	'$json.records lt 1 or $json.warnings?.length > 0': trueFor(
		[{ records: 0 }, { records: 5, warnings: ['W'] }],
		[{ records: 1 }, { records: 1, warnings: [] }],
	),
	'$input.all().find(({ json }) => json.chunked !== undefined)?.json.chunked ?? $input.first().json.pushed lt 1 or $json.warnings?.length > 0':
		[
			[{ input: [{ pushed: 7 }] }, false],
			[{ input: [{ pushed: 0 }] }, true],
			[{ input: [{ pushed: 7, warnings: ['W'] }] }, true],
			[{ input: [{ pushed: 7, warnings: [] }] }, false],
			// The number of the CSV's rows counts, in whatever order the results come.
			[{ input: [{ pushed: 0 }, { chunked: 300 }] }, false],
			[{ input: [{ pushed: 900 }, { chunked: 0 }] }, true],
		],
	"$json.event === 'began' && $json.run === $('Range Arrives').first().json.body.run": [
		[
			json(
				{ event: 'began', run: 5 },
				{ outputs: { 'Range Arrives': [{ body: { run: 5 } }] } },
			),
			true,
		],
		[
			json(
				{ event: 'began', run: 4 },
				{ outputs: { 'Range Arrives': [{ body: { run: 5 } }] } },
			),
			false,
		],
		[
			json(
				{ event: 'ended', run: 5 },
				{ outputs: { 'Range Arrives': [{ body: { run: 5 } }] } },
			),
			false,
		],
	],
	"$json.failures?.[0] ? `${$json.failed} records failed, the first: ${$json.failures[0].error}` : String($json.error?.message ?? $json.error ?? 'unknown')":
		[
			[json({ failed: 2, failures: [{ error: 'E' }] }), '2 records failed, the first: E'],
			[json({ failures: [], error: 'E' }), 'E'],
			[json({ error: { message: 'M' } }), 'M'],
			[json({}), 'unknown'],
		],
	"$('File Arrives').first().json.body.ranges ?? 4": sent('ranges', 4),
	"$('File Arrives').first().json.body.recordsPerRange ?? 100000": sent(
		'recordsPerRange',
		100_000,
	),
	"$('File Arrives').first().json.body.waitSeconds ?? 65": sent('waitSeconds', 65),
	"$('File Arrives').first().json.body.deadlineSeconds ?? 3600": sent('deadlineSeconds', 3600),
	"$('File Arrives').first().json.body.maxCalls ?? 3": sent('maxCalls', 3),
	"$('File Arrives').first().json.body.n8nUrl ?? $execution.resumeUrl.split('/webhook-waiting')[0]":
		sent('n8nUrl', 'http://n').map(([scope, value]) => [
			{
				...scope,
				variables: { $execution: { resumeUrl: 'http://n/webhook-waiting/5' } },
			},
			value,
		]),
	"$json.verdict === 'again'": trueFor([{ verdict: 'again' }], [{ verdict: 'wait' }]),
	"$json.verdict === 'wait'": trueFor([{ verdict: 'wait' }], [{ verdict: 'done' }]),
	"$json.verdict === 'done'": trueFor([{ verdict: 'done' }], [{ verdict: 'failed' }]),
	"$json.verdict === 'failed'": trueFor([{ verdict: 'failed' }], [{ verdict: 'again' }]),
	'$json.records ?? 0': [
		[json({ records: 5 }), 5],
		[json({}), 0],
	],
	"$json.warnings?.[0] ?? `The file has ${$json.records} records, fewer than the node 'Records Look Wrong' requires`":
		[
			[json({ warnings: ['W', 'V'], records: 0 }), 'W'],
			[json({ records: 0, warnings: [] }), expect.stringContaining('has 0 records')],
			[json({ records: 0 }), expect.stringContaining('has 0 records')],
		],
	'!$json.atEnd && $json.records > $json.skipped && !$json.error && !$json.readError': trueFor(
		[{ atEnd: false, records: 5, skipped: 4 }],
		[
			{ atEnd: true, records: 5, skipped: 4 },
			{ atEnd: false, records: 4, skipped: 4 },
			{ atEnd: false, records: 5, skipped: 4, error: 'E' },
			{ atEnd: false, records: 5, skipped: 4, readError: 'E' },
		],
	),
	"$json.atEnd && !$json.error && !$('One Item per File').isExecuted && !$('Keep Warning').isExecuted":
		[
			...(['neither', 'One Item per File', 'Keep Warning'] as const).map((ran): Row => {
				const outputs = { 'One Item per File': undefined, 'Keep Warning': undefined };
				return [
					json({ atEnd: true }, { outputs: { ...outputs, [ran]: [{}] } }),
					ran === 'neither',
				];
			}),
			...[{ atEnd: false }, { atEnd: true, error: 'E' }].map((each): Row => {
				const outputs = { 'One Item per File': undefined, 'Keep Warning': undefined };
				return [json(each, { outputs }), false];
			}),
		],
	'$json.status exists': trueFor([{ status: 'SUBMITTED' }], [{}]),
	'$runIndex < 199': [
		[{ variables: { $runIndex: 198 } }, true],
		[{ variables: { $runIndex: 199 } }, false],
	],
	'$json.body?.pushAgain ?? []': [
		[json({ body: { pushAgain: ['a'] } }), ['a']],
		[json({ body: {} }), []],
		[json({}), []],
	],
	"'%' + ($('Settings').first().json.table || 'Synced Documents ' + $workflow.id) + '%'": [
		[{ outputs: { Settings: [{ table: 'Old' }] }, workflow: 'w' }, '%Old%'],
		[{ outputs: { Settings: [{ table: '' }] }, workflow: 'w' }, '%Synced Documents w%'],
	],
	"'%' + ($('Settings').first().json.table || $workflow.id) + '%'": [
		[{ outputs: { Settings: [{ table: 'old' }] }, workflow: 'w' }, '%old%'],
		[{ outputs: { Settings: [{ table: '' }] }, workflow: 'w' }, '%w%'],
	],
	'$json.batch > 0': trueFor([{ batch: 1 }], [{ batch: 0 }, {}]),
	"$json.id ? $('Plan the Batches').first().json.summary.compactUpTo : 0": [
		[
			json({ id: 7 }, { outputs: { 'Plan the Batches': [{ summary: { compactUpTo: 5 } }] } }),
			5,
		],
		[json({}, { outputs: { 'Plan the Batches': [{ summary: { compactUpTo: 5 } }] } }), 0],
	],
	"$json.error === ''": trueFor([{ error: '' }], [{ error: 'E' }, {}]),
	"($('Plan').isExecuted ? $('Plan') : $('Result')).first().json": [
		[{ outputs: { Plan: undefined, Result: [AN_END] } }, AN_END],
		[{ outputs: { Plan: [A_PLAN], Result: undefined } }, A_PLAN],
	],
	"($('Plan').isExecuted ? $('Plan') : $('Result')).first().json.status": [
		[{ outputs: { Plan: undefined, Result: [AN_END] } }, 500],
		[{ outputs: { Plan: [A_PLAN], Result: undefined } }, 200],
	],
	"($('Plan').isExecuted ? $('Plan') : $('Result')).first().json.error": [
		[{ outputs: { Plan: undefined, Result: [AN_END] } }, 'E'],
		[{ outputs: { Plan: [A_PLAN], Result: undefined } }, ''],
	],
	"($('Plan').isExecuted ? $('Plan') : $('Result')).first().json.error === ''": [
		[{ outputs: { Plan: undefined, Result: [{ error: '' }] } }, true],
		[{ outputs: { Plan: undefined, Result: [{ error: 'E' }] } }, false],
		[{ outputs: { Plan: undefined, Result: [{}] } }, false],
		[{ outputs: { Plan: [{ error: '' }], Result: undefined } }, true],
		[{ outputs: { Plan: [{ error: 'E' }], Result: undefined } }, false],
	],
	"$input.all().some(({ json }) => json.name === 'Sync Runs')": [
		[{ input: [{ name: 'A' }, { name: 'Sync Runs' }] }, true],
		[{ input: [{ name: 'Sync Runs of old' }] }, false],
		[{ input: [{}] }, false],
	],
	"$('Tables of n8n').all().find(({ json }) => json.name === 'Sync Runs').json.id": [
		[
			{
				outputs: {
					'Tables of n8n': [
						{ name: 'A', id: 1 },
						{ name: 'Sync Runs', id: 2 },
					],
				},
			},
			2,
		],
	],
	'$json.isPlanOnly': trueFor([{ isPlanOnly: true }], [{ isPlanOnly: false }]),
	"$('Check the Run').first().json.isPlanOnly": [true, false].map((isPlanOnly) => [
		{ outputs: { 'Check the Run': [{ isPlanOnly }] } },
		isPlanOnly,
	]),
	"!$('Check the Run').first().json.isPlanOnly": [true, false].map((isPlanOnly) => [
		{ outputs: { 'Check the Run': [{ isPlanOnly }] } },
		!isPlanOnly,
	]),
	"$('Check the Run').first().json.tableId !== ''": ['', 'T7'].map((tableId) => [
		{ outputs: { 'Check the Run': [{ tableId }] } },
		tableId !== '',
	]),
	"$('State Table').isExecuted ? $('State Table').first().json.id : $('Check the Run').first().json.tableId":
		[
			[{ outputs: { 'State Table': [{ id: 'T1' }], 'Check the Run': [{}] } }, 'T1'],
			[{ outputs: { 'State Table': undefined, 'Check the Run': [{ tableId: 'T2' }] } }, 'T2'],
		],
	"!$('Loop Over Batches').context.processedItems?.at(-1)?.json.notDone and $('Loop Over Batches').context.processedItems?.slice(-2).filter(({ json }) => String(json.error).startsWith('No request succeeded')).length !== 2 and !$('Loop Over Batches').context.processedItems?.slice(-1).some(({ json }) => json.failed >= 10 && String(json.error).startsWith('No request succeeded'))":
		(
			[
				// Before the first batch, the loop remembers nothing.
				[undefined, true],
				[[], true],
				[[{}], true],
				[[lost(1)], true],
				[[lost(9), { failed: 10, error: 'Refused.' }], true],
				[[{ failed: 10, error: 'Refused.' }], true],
				[[lost(1), {}, lost(9)], true],
				[[lost(10), {}], true],
				// A batch that was stopped may have an error that is no text.
				[[lost(1), { error: { message: 'No.' } }], true],
				[[{ failed: 10 }], true],
				[[lost(1), lost(1)], false],
				[[{}, lost(10)], false],
				[[lost(10), { notDone: 5 }], false],
			] as const
		).map(([rows, goesOn]) => [afterBatches(rows), goesOn]),
	'{ notDone: $json.documents ?? $json.work.length }': [
		[json({ documents: 7 }), { notDone: 7 }],
		[json({ work: [1, 2] }), { notDone: 2 }],
	],
	'$json.plan !== undefined': trueFor([{ plan: { new: 0 } }], [{ batch: 0 }]),
	"$input.all().length === 1 && $json.id === $('When Called by Itself').first().json.run": [
		[{ input: [{ id: 5 }], outputs: calledWith(5) }, true],
		[{ input: [{ id: 5 }, { id: 6 }], outputs: calledWith(5) }, false],
		[{ input: [{ id: 6 }], outputs: calledWith(5) }, false],
	],
	'$json.documents ?? []': [
		[json({ documents: [{ id: 'a' }] }), [{ id: 'a' }]],
		[json({}), []],
	],
	'$json.failed === 0 ? $json.removedIds ?? [] : []': [
		[json({ failed: 0, removedIds: ['a#1'] }), ['a#1']],
		[json({ failed: 0 }), []],
		[json({ failed: 1, removedIds: ['a#1'] }), []],
		[json({ removedIds: ['a#1'] }), []],
	],
	"[$json.run ?? 0, ...['settings', 'pushAgain', 'query', 'ignored'].map((name) => $('Prepare the Query').first().json[name]), 200]":
		[
			[json({ run: 5 }, PREPARED), [5, 'S', '["a"]', 'Q', '[]', 200]],
			[json({}, PREPARED), [0, 'S', '["a"]', 'Q', '[]', 200]],
		],
	"[$json.run ?? 0, ...['settings', 'pushAgain', 'query', 'ignored'].map((name) => $('Prepare the Query').first().json[name]), 1000]":
		[
			[json({ run: 5 }, PREPARED), [5, 'S', '["a"]', 'Q', '[]', 1000]],
			[json({}, PREPARED), [0, 'S', '["a"]', 'Q', '[]', 1000]],
		],
	"[$('Lock').first().json.run ?? 0, JSON.stringify($json)]": [
		[json({ a: 1 }, { outputs: { Lock: [{ run: 5 }] } }), [5, '{"a":1}']],
		[json({ a: 1 }, { outputs: { Lock: [{}] } }), [0, '{"a":1}']],
	],
	'$json.gone.length + $json.missed.length + $json.changed.length > 0': trueFor(
		[
			{ gone: [1], missed: [], changed: [] },
			{ gone: [], missed: [1], changed: [] },
			{ gone: [], missed: [], changed: [1] },
		],
		[{ gone: [], missed: [], changed: [] }],
	),
	'$json.run > 0': trueFor([{ run: 1 }], [{ run: 0 }, {}]),
	"$('Where the List Is').first().json.site + ($('Where the List Is').first().json.next.split('.').reduce((value, name) => (value ?? {})[name], $response)?.replace(/^(?=\\/\\/)/, $('Where the List Is').first().json.site.split('/')[0]).replace($('Where the List Is').first().json.site, '').replace(/^(?![/?])/, '/') ?? $('Where the List Is').first().json.path + ($('Where the List Is').first().json.page && $('Where the List Is').first().json.page + ($pageCount + $('Where the List Is').first().json.firstPage)))":
		[
			[after(LIST_OF_API, { links: { next: '/list?2' } }), 'https://a.example/list?2'],
			[after(LIST_OF_API, { links: { next: 'https://a.example/n' } }), 'https://a.example/n'],
			[after(LIST_OF_API, { links: { next: 'list?2' } }), 'https://a.example/list?2'],
			[after(LIST_OF_API, { links: { next: '//a.example/n' } }), 'https://a.example/n'],
			// The site of a credential is never left.
			[
				after(LIST_OF_API, { links: { next: '//b.example/n' } }),
				'https://a.example/https://b.example/n',
			],
			[after(LIST_OF_API, {}), 'https://a.example/list'],
			[after(BY_PAGE, {}, 2), 'https://a.example/list?page=3'],
		],
	"!($('Where the List Is').first().json.list.split('.').reduce((value, name) => (value ?? {})[name], $response)?.length > 0) || $pageCount + $('Where the List Is').first().json.firstPage > $('Where the List Is').first().json.pages.split('.').reduce((value, name) => (value ?? {})[name], $response) || (!$('Where the List Is').first().json.page && !$('Where the List Is').first().json.next.split('.').reduce((value, name) => (value ?? {})[name], $response))":
		[
			[after(LIST_OF_API, { data: { items: [1] }, links: { next: '/n' } }), false],
			[after(LIST_OF_API, { data: { items: [] }, links: { next: '/n' } }), true],
			[after(LIST_OF_API, { links: { next: '/n' } }), true],
			[after(LIST_OF_API, {}), true],
			[after(LIST_OF_API, { data: { items: [1] } }), true],
			[after(LIST_OF_API, { data: { items: [1] }, links: {} }), true],
			[after(BY_PAGE, { data: { items: [1] }, meta: { pages: 3 } }, 2), false],
			[after(BY_PAGE, { data: { items: [1] }, meta: { pages: 3 } }, 3), true],
			[after(BY_PAGE, { data: { items: [1] } }, 9), false],
		],
	'!$json.isExcluded': trueFor([{}, { isExcluded: false }], [{ isExcluded: true }]),
	'!$json.isMissing && !$json.problem': trueFor(
		[{ id: 'a' }, { isMissing: false, problem: '' }],
		[{ isMissing: true }, { problem: 'too large' }],
	),
	'$json.isMissing': trueFor([{ isMissing: true }], [{ isMissing: false }, {}]),
	"'https://www.googleapis.com/drive/v3/files/' + ($response?.body?.parents?.[0] ?? $json.id) + '?fields=id,trashed,parents&supportsAllDrives=true'":
		[undefined, {}, { body: {} }, { body: { parents: ['sub'] } }].map(($response, at) => [
			json({ id: 'a' }, { variables: { $response } }),
			`https://www.googleapis.com/drive/v3/files/${at < 3 ? 'a' : 'sub'}?fields=id,trashed,parents&supportsAllDrives=true`,
		]),
	"!$response.body?.parents || $response.body.id === $('When Called by Itself').first().json.settings.folder":
		(
			[
				[{}, true],
				[{ body: { error: {} } }, true],
				[{ body: { id: 'sub', parents: ['root'] } }, false],
				[{ body: { id: 'root', parents: ['top'] } }, true],
			] as const
		).map(([$response, isLast]) => [
			json(
				{},
				{
					variables: { $response },
					outputs: { 'When Called by Itself': [{ settings: { folder: 'root' } }] },
				},
			),
			isLast,
		]),
	"$('Lock').first().json.id ?? 0": [
		[json({}, { outputs: { Lock: [{ id: 7 }] } }), 7],
		[json({}, { outputs: { Lock: [{ error: 'full' }] } }), 0],
	],
	'$json.kind equals pdf': trueFor([{ kind: 'pdf' }], [{ kind: 'text' }]),
	'$json.kind equals text': trueFor([{ kind: 'text' }], [{ kind: 'pdf' }]),
	'$json.kind equals office': trueFor([{ kind: 'office' }], [{ kind: 'pdf' }]),
	"$json.isByHeading ? 'regex-splitter' : 'dynamic-sentence'": [
		[json({ isByHeading: true }), 'regex-splitter'],
		[json({ isByHeading: false }), 'dynamic-sentence'],
	],
	[String.raw`$json.isByHeading ? { regex: '\\r?\\n(?=#{1,6} )|\\f' } : {}`]: [
		[json({ isByHeading: true }), { regex: String.raw`\r?\n(?=#{1,6} )|\f` }],
		[json({ isByHeading: false }), {}],
	],
	'$json.kind equals html': trueFor([{ kind: 'html' }], [{ kind: 'pdf' }]),
	'$json.sitemapindex === undefined': trueFor([{ urlset: {} }], [{ sitemapindex: {} }]),
	"$json.statusCode >= 300 && $json.statusCode < 400 && $json.headers.location && !$('Entries').item.json.isMissing":
		(
			[
				[300, '/b', {}, true],
				[399, '/b', {}, true],
				[299, '/b', {}, false],
				[400, '/b', {}, false],
				[301, undefined, {}, false],
				[301, '/b', { isMissing: true }, false],
			] as const
		).map(([statusCode, location, entry, isRedirected]) => [
			json({ statusCode, headers: { location } }, { outputs: { Entries: [entry] } }),
			isRedirected,
		]),
	"$json.change === 'document'": trueFor([{ change: 'document' }], [{ change: 'deleted' }]),
	"$json.change === 'deleted'": trueFor([{ change: 'deleted' }], [{ change: 'document' }]),
	'$json.previousChunkCount ?? 0': [
		[json({ previousChunkCount: 3 }), 3],
		[json({}), 0],
	],
};

interface Decision {
	name: string;
	places: string[];
	/** Returns the value, after the code of each of its expressions has been changed. */
	valueOf: (scope: Scope, change?: (code: string) => string) => unknown;
	/** The expressions of the decision. */
	codes: string[];
	/** Conditions of If, Filter and Switch. Each of them must matter. */
	conditions: number;
	without?: (at: number) => Decision;
}

const EXPRESSION = /\{\{(.*?)\}\}(?!\s*\})/gs;
const DECIDES = /\?|&&|\|\|/;

const inOneLine = (code: string): string => code.trim().replaceAll(/\s+/g, ' ');

/** Returns the code of a text that is one expression, or undefined. */
const onlyCode = (text: unknown): string | undefined =>
	typeof text === 'string' ? /^=\{\{(.*)\}\}\s*$/s.exec(text)?.[1] : undefined;

function filterDecision(filter: FilterValue): Decision {
	const { combinator, conditions } = filter;
	const codes = conditions.map(({ leftValue }) => onlyCode(leftValue) ?? '');
	const nameOf = ({ rightValue, operator }: (typeof conditions)[number], at: number): string =>
		[inOneLine(codes[at]), operator.operation === 'true' ? '' : operator.operation, rightValue]
			.filter((part) => part !== '')
			.join(' ');
	return {
		name: conditions.map(nameOf).join(` ${combinator} `),
		places: [],
		codes,
		conditions: conditions.length,
		without: (at) => filterDecision({ ...filter, conditions: conditions.toSpliced(at, 1) }),
		valueOf: (scope, change = (code) => code) =>
			executeFilter({
				...filter,
				conditions: conditions.map((condition, at) => ({
					...condition,
					leftValue: evaluate(`={{${change(codes[at])}}}`, scope) as string,
				})),
			}),
	};
}

const expressionDecision = (code: string): Decision => ({
	name: inOneLine(code),
	places: [],
	codes: [code],
	conditions: 0,
	valueOf: (scope, change = (same) => same) => evaluate(`={{${change(code)}}}`, scope),
});

/** Returns the decisions in the parameters of a node. */
function decisionsIn(value: unknown): Decision[] {
	if (typeof value === 'string')
		return value.startsWith('=')
			? [...value.matchAll(EXPRESSION)]
					.map(([, code]) => code)
					.filter((code) => DECIDES.test(code) || /===|!==/.test(code))
					.map(expressionDecision)
			: [];
	if (typeof value !== 'object' || value === null) return [];
	if ('combinator' in value) return [filterDecision(value as FilterValue)];
	return Object.values(value).flatMap(decisionsIn);
}

function allDecisions(): Map<string, Decision> {
	const all = new Map<string, Decision>();
	for (const file of readdirSync(path.join(ROOT, 'examples')).filter((one) =>
		one.endsWith('.json'),
	))
		for (const { name, type, parameters } of nodesOf(file)) {
			// Code nodes have their own tests.
			if (type === 'n8n-nodes-base.code') continue;
			for (const decision of decisionsIn(parameters)) {
				const known = all.get(decision.name) ?? decision;
				all.set(decision.name, known);
				known.places.push(`'${name}' of ${file}`);
			}
		}
	return all;
}

const OPPOSITES: Partial<Record<ts.SyntaxKind, string>> = {
	[ts.SyntaxKind.LessThanToken]: '<=',
	[ts.SyntaxKind.LessThanEqualsToken]: '<',
	[ts.SyntaxKind.GreaterThanToken]: '>=',
	[ts.SyntaxKind.GreaterThanEqualsToken]: '>',
	[ts.SyntaxKind.EqualsEqualsEqualsToken]: '!==',
	[ts.SyntaxKind.ExclamationEqualsEqualsToken]: '===',
};

/** Returns the code with each of its branches taken always, each comparison changed, and each `?.` as `.`. */
function changesOf(code: string): string[] {
	const source = ts.createSourceFile('e.ts', `(${code})`, ts.ScriptTarget.ES2022, true);
	const changed: string[] = [];
	const replaceText = (node: ts.Node, text: string) => {
		const { text: all } = source;
		changed.push(`${all.slice(0, node.getStart())}${text}${all.slice(node.end)}`);
	};
	const replace = (node: ts.Node, text: string) => replaceText(node, `(${text})`);
	const visit = (node: ts.Node): void => {
		if (ts.isConditionalExpression(node)) {
			replace(node, node.whenTrue.getText());
			replace(node, node.whenFalse.getText());
		} else if (ts.isBinaryExpression(node)) {
			const { left, right, operatorToken } = node;
			const opposite = OPPOSITES[operatorToken.kind];
			if (['&&', '||', '??'].includes(operatorToken.getText())) {
				replace(node, left.getText());
				replace(node, right.getText());
			} else if (opposite) replace(node, `${left.getText()} ${opposite} ${right.getText()}`);
		}
		const isChain = ts.isPropertyAccessChain(node) || ts.isElementAccessChain(node);
		if (isChain && node.questionDotToken) {
			const isMember = ts.isPropertyAccessChain(node);
			replaceText(node.questionDotToken, isMember ? '.' : '');
		}
		ts.forEachChild(node, visit);
	};
	visit(source);
	return changed;
}

function outcomeOf(work: () => unknown): unknown {
	try {
		return work();
	} catch (error) {
		return error;
	}
}

const isNoticed = (rows: readonly Row[], valueOf: (scope: Scope) => unknown): boolean =>
	rows.some(([scope, value]) => {
		try {
			expect(outcomeOf(() => valueOf(scope))).toEqual(value);
			return false;
		} catch {
			return true;
		}
	});

const decisions = allDecisions();

test('each expression that decides has rows in DECISIONS, and no other expression has', () => {
	const missing = [...decisions.values()]
		.filter(({ name }) => !(name in DECISIONS))
		.map(({ name, places }) => `${places.join(', ')}: add rows for ${JSON.stringify(name)}`);
	const gone = Object.keys(DECISIONS)
		.filter((name) => !decisions.has(name))
		.map((name) => `no example contains ${JSON.stringify(name)}: remove its rows`);
	expect([...missing, ...gone]).toEqual([]);
});

describe.each([...decisions.values()].filter(({ name }) => name in DECISIONS))(
	'$name',
	({ name, codes, conditions, valueOf, without }) => {
		const rows = DECISIONS[name];

		test('has the right value in each row', () => {
			for (const [scope, value] of rows) expect(valueOf(scope)).toEqual(value);
		});

		test('has rows for each outcome', () => {
			if (conditions > 0)
				expect(new Set(rows.map(([, value]) => value))).toEqual(new Set([true, false]));
			const unnoticed = codes
				.flatMap((code) => changesOf(code).map((changed) => [code, changed] as const))
				.filter(
					([code, changed]) =>
						!isNoticed(rows, (scope) =>
							valueOf(scope, (one) => (one === code ? changed : one)),
						),
				)
				.map(([, changed]) => changed);
			for (let at = 0; conditions > 1 && at < conditions; at++) {
				const others = without?.(at);
				if (others && !isNoticed(rows, (scope) => others.valueOf(scope)))
					unnoticed.push(`without condition ${at + 1}`);
			}
			expect(unnoticed).toEqual([]);
		});
	},
);
