/**
 * Runs every example workflow in a real n8n instance with the packed package. `npm start -- --help` lists the options.
 */
import { parseArgs } from 'node:util';

import type { Demo } from './demo/demo';
import { startDemo } from './demo/demo';
import { STARTER } from './demo/import';
import { checkScenarios, runScenarios } from './demo/scenarios';
import { Stage } from './demo/stage';
import { credentialsByHand } from './service/credentials';
import { runCommand } from './shared/command';
import { tail } from './shared/processes';
import { say } from './shared/progress';
import { printChecks } from './shared/checks';

const HELP = `npm start -- [options] [examples]
  --all     run and check every example before the login is shown
  --once    run and check every example, also on bad days, and end; the exit code is 0 only if every check passed
  --help
By default, only the starter runs. The editor stays open, and what you make in n8n is kept for the next start.
With --all, --once or names of examples, everything happens in a new folder, which is removed at the end.`;

const { values: flags, positionals: names } = parseArgs({
	options: {
		all: { type: 'boolean', default: false },
		once: { type: 'boolean', default: false },
		help: { type: 'boolean' },
	},
	allowPositionals: true,
});
if (flags.help) {
	say(HELP);
	process.exit(0);
}
const { all, once } = flags;

// The checks of the examples delete documents and break the service on purpose, so they stay away from kept data.
const keepData = !all && !once && names.length === 0;

/** Words of the starter's second document. */
const SEARCHED = 'warehouse noon';

function printSearch(stage: Stage): void {
	const [hit] = stage.search(SEARCHED);
	if (!hit) return;
	say();
	say(
		`  A search of the index for '${SEARCHED}' finds this chunk, which the starter has pushed:`,
	);
	say(`    ${hit.name} (${hit.id}): ${String(hit.text)}`);
}

function printLogin({ n8n, sandbox, files }: Demo): void {
	say();
	say(`  The editor:  ${n8n.url}`);
	say(`  Login:       ${n8n.login.email}`);
	say(`  Password:    ${n8n.login.password}`);
	say(`  The index:   ${sandbox.url}/ (a page with a search)`);
	say(`  Your files:  put them in ${files}, n8n may read only this folder`);
	say();
	say("  Begin with the workflow 'Getting Started'.");
	say('  The examples have their credentials. To create them yourself, enter:');
	for (const { title, fields } of credentialsByHand(sandbox)) {
		say(`  ${title}`);
		const width = Math.max(...fields.map(([label]) => label.length)) + 1;
		for (const [label, value] of fields) say(`    ${`${label}:`.padEnd(width)}  ${value}`);
	}
	say();
}

runCommand(
	async (command) => {
		say('n8n-nodes-search-ingest in a real n8n');
		checkScenarios(names);
		const demo = await startDemo(command, { keepData, useEditorPort: !once });
		const stage = new Stage(demo);
		if (!keepData) await runScenarios(stage, names, { withBadDays: once });
		else if (demo.edited.has(STARTER)) say('  The starter is not run, because it was edited.');
		else await runScenarios(stage, [STARTER], { withBadDays: false });
		// In a new node, n8n selects the credential that was changed last. So the examples' credential is saved once
		// more here.
		await demo.n8n.api.saveCredential(demo.credentials['Demo AI Service']);
		const passed = printChecks(stage.checks);
		if (!passed) say(`\nThe last lines of n8n's log:\n${tail(demo.n8n.logFile)}`);
		if (once) return passed;
		printSearch(stage);
		printLogin(demo);
		say(
			keepData
				? 'Ctrl-C stops everything; what you make in n8n is kept for the next start.'
				: 'Ctrl-C stops everything, and removes what you make in n8n. Plain `npm start` keeps it.',
		);
		const { n8n } = demo;
		// The editor stays open until the user presses Ctrl-C. If n8n exits on its own, the command ends too.
		const code = await n8n.process.ended;
		if (!command.isStopping) throw new Error(`n8n ended with ${code}:\n${tail(n8n.logFile)}`);
		return true;
	},
	once ? {} : { interrupted: 0 },
);
