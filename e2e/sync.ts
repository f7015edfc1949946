/**
 * The example Sync Chunks by Source in a real n8n: cases in which other frameworks lost documents, and
 * random sequences of runs with faults, stopped executions and a killed n8n. Exit code 0 only if the
 * index equals the source after each.
 *
 * npm run test:sync -- [--sequences 100] [--seed 1] [--lanes 4] [--documents 20000: also measures Compare]
 */
import { parseArgs } from 'node:util';

import { Checks } from './shared/checks';
import { runCommand } from './shared/command';
import { tail } from './shared/processes';
import { say, step } from './shared/progress';
import { printChecks, printTable } from './shared/report';
import { measureCompare } from './sync/limits';
import { playCases } from './sync/cases';
import { playSequences } from './sync/sequences';
import { startStage } from './sync/stage';

const { values } = parseArgs({
	options: {
		sequences: { type: 'string', default: '100' },
		seed: { type: 'string', default: String(Date.now() % 1_000_000) },
		documents: { type: 'string', default: '0' },
		lanes: { type: 'string', default: '4' },
	},
});

runCommand(async (command) => {
	say('Sync Chunks by Source in a real n8n');
	const stage = await startStage(command, new Checks(), Number(values.lanes));
	await step('Cases that other frameworks got wrong', async () => await playCases(stage));
	const documents = Number(values.documents);
	if (documents > 0) {
		const measured = await step(
			'Comparing a long list',
			async () => await measureCompare(stage, documents),
		);
		printTable(`${documents} documents of 500 bytes, compared with as many rows`, measured);
	}
	const figures = await playSequences(stage, Number(values.sequences), Number(values.seed));
	printTable(`${values.sequences} sequences, seed ${values.seed}: runs with`, figures);
	const passed = printChecks(stage.checks);
	if (!passed) say(`\nThe last lines of n8n's log:\n${tail(stage.logFile())}`);
	return passed;
});
