/** The workflows on GitHub: what they run, and what they may do. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

import { parse } from 'yaml';

import { manifest, ROOT } from '../../support/manifest';

interface Step {
	uses?: string;
	run?: string;
}

interface Workflow {
	on: Record<string, unknown>;
	permissions?: Record<string, string>;
	jobs: Record<
		string,
		{ uses?: string; needs?: string; steps?: Step[]; permissions?: Record<string, string> }
	>;
}

const FOLDER = path.join(ROOT, '.github', 'workflows');
const text = (file: string) => readFileSync(path.join(FOLDER, file), 'utf8');
const read = (file: string) => parse(text(file)) as Workflow;
const commands = (file: string) =>
	Object.values(read(file).jobs).flatMap(({ steps = [] }) => steps.map(({ run = '' }) => run));

const files = readdirSync(FOLDER);

describe.each(files)('%s', (file) => {
	it('names actions by commit, with their version', () => {
		const foreign = [...text(file).matchAll(/uses: (\S+)(.*)/g)].filter(
			([, action]) => !action.startsWith('./'),
		);
		const pinned = /^uses: [\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/;
		expect(foreign.filter(([line]) => !pinned.test(line))).toEqual([]);
	});

	it('may read, and no job more than it needs', () => {
		const { permissions, jobs } = read(file);
		expect([{}, { contents: 'read' }]).toContainEqual(permissions);
		const writing = Object.entries(jobs).flatMap(([job, { permissions: own = {} }]) =>
			Object.keys(own)
				.filter((scope) => own[scope] === 'write')
				.map((scope) => `${job}: ${scope}`),
		);
		const allowed = ['publish: id-token', 'release: contents'];
		expect(writing).toEqual(file === 'publish.yml' ? allowed : []);
	});

	it('runs only commands that there are', () => {
		const named = commands(file).flatMap((run) => [
			...run.matchAll(/npm run (?:--silent )?([\w:]+)/g),
		]);
		expect(named.map(([, name]) => name).filter((name) => !(name in manifest.scripts))).toEqual(
			[],
		);
	});
});

it('a change and a release run all of .ci/run', () => {
	expect(commands('verify.yml')).toContain('.ci/run');
	for (const file of ['ci.yml', 'publish.yml']) {
		expect(read(file).jobs.verify.uses).toBe('./.github/workflows/verify.yml');
	}
	expect(read('publish.yml').jobs.publish.needs).toBe('verify');
	expect(read('publish.yml').jobs.release.needs).toBe('publish');
});

it('nothing is published but by npm run release', () => {
	const publishing = files
		.flatMap(commands)
		.filter((run) => /npm (stage |run )?(publish|release\b)/.test(run));
	expect(publishing).toEqual([expect.stringMatching(/npm run release$/m)]);
});
