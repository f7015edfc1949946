/** What workflows rely on may only change if the changelog says so, and with a node version if it breaks them. */
import { readFileSync } from 'node:fs';
import path from 'node:path';

import { entriesOf, linesSince } from '../../scripts/release/changelog';
import type { PackageInterface, Parameter } from '../../scripts/release/interface';
import {
	changesSince,
	interfaceOf,
	lastReleased,
	unannouncedChanges,
} from '../../scripts/release/interface';
import { credentialClasses, nodeNames, ROOT } from '../../support/manifest';

const changelog = readFileSync(path.join(ROOT, 'CHANGELOG.md'), 'utf8');
const current = interfaceOf(ROOT);

/** A made-up release. */
const example: PackageInterface = {
	version: '0.1.0',
	types: {
		push: {
			kind: 'node',
			label: 'Push Documents',
			versions: [1],
			parameters: {
				output: [
					{ label: 'Output', type: 'options', default: 'each', values: ['each', 'all'] },
				],
				'options.size': [{ label: 'Batch Size', type: 'number', default: 100 }],
			},
			output: { 'v1.0.0: pushed': 'boolean' },
		},
		pushApi: {
			kind: 'credential',
			label: 'Push API',
			versions: [],
			parameters: { apiKey: [{ label: 'API Key', type: 'string', default: '' }] },
			output: {},
		},
	},
};

type Edit = (types: PackageInterface['types']) => void;

/** The release after a made-up change. */
function changed(edit: Edit): PackageInterface {
	const copy = structuredClone(example);
	edit(copy.types);
	return copy;
}

const parameter = (types: PackageInterface['types'], type: string, where: string): Parameter =>
	types[type].parameters[where][0];

const removed: Edit = ({ push }) => delete push.parameters['options.size'];
const renamed: Edit = ({ push: { parameters } }) => {
	parameters['options.chunk'] = parameters['options.size'];
	delete parameters['options.size'];
};

describe('the interface of this package', () => {
	it('differs from the last release only as the changelog says', () => {
		const released = lastReleased(ROOT);
		if (released) {
			const lines = linesSince(changelog, released.version);
			expect(unannouncedChanges(released, current, lines)).toEqual([]);
		} else {
			// Nothing is released yet, so nobody has a workflow to upgrade.
			expect(entriesOf(changelog).map(({ version }) => version)).toEqual([current.version]);
			expect(changelog).not.toMatch(/^#+ .*upgrade/im);
		}
	});

	it('has parameters, defaults, option values and output fields of every type', () => {
		const { chunkText, aiServiceOAuth2Api } = current.types;
		expect(Object.keys(current.types).sort()).toEqual(
			[...nodeNames, ...credentialClasses.keys()].sort(),
		);
		expect(chunkText).toMatchObject({ kind: 'node', label: 'Chunk Text' });
		expect(chunkText.parameters.operation[0]).toMatchObject({
			label: 'Operation',
			default: 'submitAndWait',
			values: expect.arrayContaining(['submit', 'getResults']) as string[],
		});
		expect(aiServiceOAuth2Api.parameters.clientSecret[0]).toMatchObject({ required: true });
		for (const { kind, parameters, output, versions } of Object.values(current.types)) {
			expect(Object.keys(parameters)).not.toEqual([]);
			expect(Object.keys(output).length > 0).toBe(kind === 'node');
			expect(versions.length > 0).toBe(kind === 'node');
		}
	});
});

describe('a change since the last release', () => {
	it('is none if nothing changed', () => {
		expect(changesSince(example, structuredClone(example))).toEqual([]);
	});

	it.each<[string, Edit, string[], boolean]>([
		['a removed parameter', removed, ['options.size: parameter removed'], true],
		[
			'a renamed parameter',
			renamed,
			['options.size: parameter removed', 'options.chunk: parameter added'],
			true,
		],
		[
			'a changed default',
			(types) => (parameter(types, 'push', 'output').default = 'all'),
			['output: default "each" is now "all"'],
			true,
		],
		[
			'a removed option value',
			(types) => parameter(types, 'push', 'output').values?.pop(),
			['output: value "all" removed'],
			true,
		],
		[
			'an added option value',
			(types) => parameter(types, 'push', 'output').values?.push('some'),
			['output: value "some" added'],
			false,
		],
		[
			'another type',
			(types) => (parameter(types, 'push', 'options.size').type = 'string'),
			['options.size: type number is now string'],
			true,
		],
		[
			'a parameter that becomes required',
			(types) => (parameter(types, 'push', 'options.size').required = true),
			['options.size: is now required'],
			true,
		],
		[
			'another label',
			(types) => (parameter(types, 'push', 'options.size').label = 'Size'),
			['options.size: was labeled "Batch Size"'],
			false,
		],
		[
			'a removed output field',
			({ push }) => delete push.output['v1.0.0: pushed'],
			['v1.0.0: pushed: output field removed'],
			true,
		],
		[
			'an output field of another type',
			({ push }) => (push.output['v1.0.0: pushed'] = 'string'),
			['v1.0.0: pushed: output field of type boolean is now string'],
			true,
		],
		[
			'an added output field',
			({ push }) => (push.output['v1.0.0: bytes'] = 'integer'),
			['v1.0.0: bytes: output field added'],
			false,
		],
		['a removed node', (types) => delete types.push, ['node removed'], true],
	])('is found: %s', (_name, edit, expected, breaks) => {
		const changes = changesSince(example, changed(edit));
		expect(changes.map(({ what }) => what)).toEqual(expected);
		expect(changes.some((change) => change.breaks)).toBe(breaks);
	});

	const announced = ['- Push Documents: the option _Batch Size_ is gone.'];
	const withVersion: Edit = (types) => {
		removed(types);
		types.push.versions.push(2);
	};

	it.each<[string, Edit, string[], RegExp[]]>([
		['neither', removed, [], [/Announce it/, /add a version of the node/]],
		['a changelog entry alone', removed, announced, [/add a version of the node/]],
		['a node version alone', withVersion, [], [/Announce it/]],
		['both', withVersion, announced, []],
		[
			'an entry on another node',
			withVersion,
			['- Chunk Text: no _Batch Size_'],
			[/Announce it/],
		],
	])('that breaks workflows, with %s', (_name, edit, lines, expected) => {
		const faults = unannouncedChanges(example, changed(edit), lines);
		expect(faults).toEqual(expected.map((pattern) => expect.stringMatching(pattern) as string));
	});

	it('of a credential may not break it, since credentials have no versions', () => {
		const edit: Edit = ({ pushApi }) => delete pushApi.parameters.apiKey;
		const lines = ['- Push API: _API Key_ is gone.'];
		expect(unannouncedChanges(example, changed(edit), lines)).toEqual([
			expect.stringMatching(/Stored credentials would break/) as string,
		]);
	});

	it('is found under the condition it concerns', () => {
		const twice = changed(({ push: { parameters } }) => {
			const [first] = parameters.output;
			parameters.output = [
				{ ...first, shown: { show: { '@version': [1] } } },
				{ ...first, shown: { show: { '@version': [2] } } },
			];
		});
		const edited = structuredClone(twice);
		edited.types.push.parameters.output.reverse();
		edited.types.push.parameters.output[0].default = 'all';
		expect(changesSince(twice, edited).map(({ what }) => what)).toEqual([
			'output: default "each" is now "all"',
		]);
	});
});

describe('the changelog', () => {
	const text =
		'# C\n\n## [Unreleased]\n\n- New\n\n## [0.2.0] - 2026-12-01\n\n- Old\n\n[0.2.0]: x\n';

	it('announces what stands above the last release', () => {
		expect(linesSince(text, '0.2.0')).toEqual(['- New']);
		expect(linesSince(text, '0.1.0')).toEqual(['- New', '- Old']);
	});
});
