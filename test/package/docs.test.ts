/** Parts of the guides that are made from the code (`npm run docs` writes them). */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';

import type { INodeProperties } from 'n8n-workflow';

import { adviceIn, messagesIn, messagesOf, neededRows } from '../../scripts/docs/message-tables';
import { generatedPages, parseTable, tablesIn } from '../../scripts/docs/pages';
import {
	allProperties,
	CLASS_NAMES,
	propertiesOf,
	tableOf,
} from '../../scripts/docs/property-tables';
import { ROOT } from '../../support/manifest';

const pages = generatedPages(ROOT);

it('they are current', () => {
	// A process of its own, since Prettier cannot be loaded in Jest.
	const check = ['tsx', 'scripts/docs/cli.ts', '--check'];
	const { stdout, stderr, status } = spawnSync('npx', check, { cwd: ROOT, encoding: 'utf8' });
	expect({ stale: stdout, error: stderr.match(/^Error.*/m), status }).toEqual({
		stale: '',
		error: null,
		status: 0,
	});
}, 60_000);

/** Guides are read to the end if they are short: new details belong to bench, ARCHITECTURE or a page of their own. */
it.each([
	['chunk-text', 180],
	['credentials', 110],
	['reliability', 60],
	['scaling', 110],
	['troubleshooting', 150],
])('docs/%s.md has at most %i lines', (page, lines) => {
	const text = readFileSync(path.join(ROOT, 'docs', `${page}.md`), 'utf8');
	expect(text.split('\n').length - 1).toBeLessThanOrEqual(lines);
});

it('every parameter and option is in a table', async () => {
	const all = await allProperties();
	// What several nodes share is described once.
	const what = ({ displayName, description }: INodeProperties) =>
		`${displayName}: ${description}`;
	const described = new Set(
		[...pages.values()]
			.flatMap(tablesIn)
			.flatMap((table) => propertiesOf(all, table))
			.map(what),
	);
	const missing = CLASS_NAMES.flatMap((className) => {
		const properties = all.get(className) ?? [];
		const collections = properties.filter(({ type }) => type === 'collection');
		return [undefined, ...collections.map(({ name }) => name)].flatMap((collection) =>
			propertiesOf(all, { className, collection, links: new Map() })
				.filter((property) => !described.has(what(property)))
				.map(({ displayName }) => `${className}.${collection ?? ''}: ${displayName}`),
		);
	});
	expect(missing).toEqual([]);
});

describe('a table', () => {
	const properties = [
		{
			displayName: 'Kind',
			name: 'kind',
			type: 'options',
			options: [
				{ name: 'Big One', value: 'big', description: "Not 'Size'" },
				{ name: 'Small', value: 'small' },
			],
			default: 'big',
			description: 'What it is',
		},
		{
			displayName: 'Settings',
			name: 'settings',
			type: 'collection',
			default: {},
			options: [
				{
					displayName: 'Size',
					name: 'size',
					type: 'number',
					typeOptions: { minValue: 1, maxValue: 2000 },
					default: 1000,
					description: "How big. Only if 'Kind' is not 'a_b'.",
					displayOptions: { show: { '/kind': ['big'] } },
				},
				{
					displayName: 'On',
					name: 'on',
					type: 'boolean',
					default: false,
					description: 'A | B',
				},
				{ displayName: 'Read This', name: 'notice', type: 'notice', default: '' },
			],
		},
	] as INodeProperties[];
	const variants = ['a', 'b', 'c'].map((value) => ({
		displayName: 'More',
		name: 'more',
		type: 'collection',
		default: {},
		options: [
			{
				displayName: value === 'c' ? 'Other' : 'Same',
				name: 'x',
				type: 'string',
				default: '',
			},
		],
		displayOptions: { show: { which: [value] } },
	})) as INodeProperties[];
	const switched = [
		{ displayName: 'On', name: 'on', type: 'boolean', default: true },
		{
			displayName: 'Size',
			name: 'size',
			type: 'number',
			default: 1,
			displayOptions: { show: { on: [true] } },
		},
	] as INodeProperties[];
	const all = new Map([
		['Thing', properties],
		['Variants', variants],
		['Switched', switched],
	]);
	const table = (argument: string) => tableOf(all, parseTable(argument)).split('\n').slice(2);

	it('says what a parameter means, with its values, bounds and conditions', () => {
		expect(table('Thing')).toEqual([
			'| Kind | Big One | What it is. _Big One_: Not _Size_; _Small_ |',
		]);
		expect(table('Thing.settings\nsize: #sizes')).toEqual([
			'| Size | 1,000 | For _Kind: Big One_. How big. Only if _Kind_ is not `a_b`. 1 to 2,000. [More](#sizes) |',
			'| On | off | A \\| B |',
		]);
	});

	it('has what differs in its conditions only once', () => {
		expect(table('Variants.more')).toEqual([
			'| Same |  | For _which: a, b_ |',
			'| Other |  | For _which: c_ |',
		]);
	});

	it('says on and off of a switch, as a default and as a condition', () => {
		expect(table('Switched')).toEqual(['| On | on |  |', '| Size | 1 | For _On: on_ |']);
	});

	it('has those for one value, or all others', () => {
		expect(table('Thing.settings only kind=big')).toEqual([
			expect.stringMatching(/^\| Size \| 1,000 \| How big/),
		]);
		expect(table('Thing.settings except kind=big')).toEqual([expect.stringMatching(/^\| On /)]);
	});

	it.each(['Other', 'Thing.nothing', 'Thing, on', 'Thing.settings\nnone: #x'])(
		'of nothing is refused: %s',
		(argument) => {
			expect(() => table(argument)).toThrow();
		},
	);
});

describe('messages in a source file', () => {
	it('come with what to do, as far as both are known', () => {
		const source = `
			const KEPT = 'It is kept.';
			const ADVICE = \`\${KEPT} Try again.\`;
			const advised = (advice = 'Wait a while.') => new InputError('Not now yet', advice);
			function given(name: string, advice: string) {
				throw new InputError(\`The \${name} is given\`, advice);
			}
			const failure = (message, description) => new ServiceFailure(message, { description });
			throw new InputError(\`'\${label}' is too \${many ? 'long' : 'short'}\`, ADVICE);
			failure('Not "found" at all', one ? 'Look there.' : 'Look here.');
			new ServiceFailure('Some server is down', { kind: 'x', description: 'Try it later.' });
			new InputError(\`\${what} is\`, ADVICE);
			new Error('Not ours at all', ADVICE);
		`;
		expect(messagesIn(source)).toEqual([
			['Not now yet', 'Wait a while.'],
			["'…' is too …", 'It is kept. Try again.'],
			['Not "found" at all', 'Look there. Or: Look here.'],
			['Some server is down', 'Try it later.'],
		]);
	});

	it('say what to do, and not only where to look', () => {
		const all = messagesOf(['nodes', 'credentials'].map((name) => path.join(ROOT, name)));
		expect(all.length).toBeGreaterThan(50);
		const vague = all.filter(([, advice]) => /^(See .*)?$/.test(adviceIn(advice)));
		expect(vague).toEqual([]);
	});

	it('need no row if the page explains them once, or if there is nothing to do', () => {
		expect(
			neededRows([
				["'CSV Delimiter' must be one character, but it is …", 'Enter one.'],
				["'…' is empty", 'Fill it in.'],
				["'Additional Fields' must not contain the field '…'", 'Remove the entry.'],
				['The file … is empty', 'Check the node that outputs the file.'],
				['The record is not a JSON object', 'Each record must be an object.'],
				['It cannot be read', "What it returned is in the field 'response'."],
				[
					'It was lost',
					"Submit it again. What it returned is in the field 'response' of the first item.",
				],
				["'…' is …, a number too large to be exact", 'Have it as text.'],
				['The file … has no column …', 'Set the delimiter.'],
			]),
		).toEqual([
			['It was lost', 'Submit it again.'],
			["'…' is …, a number too large to be exact", 'Have it as text.'],
			['The file … has no column …', 'Set the delimiter.'],
		]);
	});
});
