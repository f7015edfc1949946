/** Checks the commands and permissions of the GitHub workflows. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

import { parse } from 'yaml';

import { manifest, ROOT } from '../../support/manifest';

interface Job {
	uses?: string;
	needs?: string;
	steps?: Array<{ run?: string }>;
	permissions?: Record<string, string>;
}

interface Workflow {
	permissions?: Record<string, string>;
	jobs: Record<string, Job | undefined>;
}

const FOLDER = path.join(ROOT, '.github', 'workflows');
const PINNED = /^uses: [\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/;
const MAY_WRITE: Record<string, string[]> = {
	'publish.yml': ['publish: id-token', 'release: contents'],
};
const VERIFY = './.github/workflows/verify.yml';

const textOf = (file: string) => readFileSync(path.join(FOLDER, file), 'utf8');
const read = (file: string) => parse(textOf(file)) as Workflow;
const commandsOf = (file: string) =>
	Object.values(read(file).jobs).flatMap((job) => job?.steps?.map(({ run = '' }) => run) ?? []);

function faultsOf(file: string): string[] {
	const faults: string[] = [];
	for (const [line = '', action = ''] of textOf(file).matchAll(/uses: (\S+)(.*)/g))
		if (!action.startsWith('./') && !PINNED.test(line))
			faults.push(`'${line}' does not name a commit and its version`);
	const { permissions, jobs } = read(file);
	if (!['{}', '{"contents":"read"}'].includes(JSON.stringify(permissions)))
		faults.push('it may do more than read');
	const writes = Object.entries(jobs).flatMap(([job, own]) =>
		Object.entries(own?.permissions ?? {})
			.filter(([, access]) => access === 'write')
			.map(([scope]) => `${job}: ${scope}`),
	);
	if (writes.join() !== (MAY_WRITE[file] ?? []).join())
		faults.push(`jobs write ${writes.join()}`);
	for (const command of commandsOf(file)) {
		for (const [, name = ''] of command.matchAll(/npm run (?:--silent )?([\w:]+)/g))
			if (!(name in manifest.scripts)) faults.push(`there is no npm run ${name}`);
	}
	return faults.map((fault) => `.github/workflows/${file}: ${fault}`);
}

/** Finds faults in the workflows. A release must run all checks, and only `publish.yml` may publish. */
export function wrongWorkflows(): string[] {
	const files = readdirSync(FOLDER);
	const faults = files.flatMap(faultsOf);
	if (!commandsOf('verify.yml').includes('.ci/run'))
		faults.push('verify.yml does not run .ci/run');
	for (const file of ['ci.yml', 'publish.yml'])
		if (read(file).jobs.verify?.uses !== VERIFY) faults.push(`${file} does not use ${VERIFY}`);
	const { publish, release } = read('publish.yml').jobs;
	if (publish?.needs !== 'verify' || release?.needs !== 'publish')
		faults.push('publish.yml does not verify, publish and release in this order');
	const publishing = files
		.flatMap(commandsOf)
		.filter((command) => /npm (stage |run )?(publish|release\b)/.test(command));
	if (publishing.length !== 1 || !/npm run release$/m.test(publishing[0] ?? ''))
		faults.push(`something else than one npm run release publishes: ${publishing.join('; ')}`);
	return faults;
}
